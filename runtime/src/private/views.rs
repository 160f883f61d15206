//! Views of buffers as generated code uses them: real borrows in the host part, copies of them in `par` bodies.

use super::facts::Verdict;
use crate::atomic::Atomic;
use crate::cpu::panic::out_of_bounds;
use crate::scalar::{Element, Scalar};
use crate::slice::{Slice, SliceMut};

/// The brand of the views of a launch, outside of groups.
pub const ROOT: usize = 0;

/// A shared view as a host part sees it: a [`Slice`] with a brand.
///
/// `G` numbers the group that the view belongs to; [`ROOT`] is none. A `par` loop takes only views of its own group, and
/// the only way to views of a group is through the reborrow of all its views at the fork. So whatever a name means in
/// the end (macros and attributes can make it mean something else than `#[kernel]` thought), a group cannot touch a view
/// that the borrow checker has not compared with those of the other groups.
pub struct View<'a, T, const G: usize>(Slice<'a, T>);

/// A unique view as a host part sees it: a [`SliceMut`] with a brand; see [`View`].
pub struct ViewMut<'a, T, const G: usize>(SliceMut<'a, T>);

impl<T, const G: usize> Clone for View<'_, T, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const G: usize> Copy for View<'_, T, G> {}

impl<'a, T, const G: usize> View<'a, T, G> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As [`Slice::split_at`].
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (View<'a, T, G>, View<'a, T, G>) {
        let (lo, hi) = self.0.split_at(mid);
        (View(lo), View(hi))
    }
}

impl<T, const G: usize> ViewMut<'_, T, G> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As [`SliceMut::split_at`].
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (View<'_, T, G>, View<'_, T, G>) {
        let (lo, hi) = self.0.split_at(mid);
        (View(lo), View(hi))
    }

    /// As [`SliceMut::split_at_mut`].
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (ViewMut<'_, T, G>, ViewMut<'_, T, G>) {
        let (lo, hi) = self.0.split_at_mut(mid);
        (ViewMut(lo), ViewMut(hi))
    }
}

/// The view of an argument `&[T]`.
#[inline(always)]
pub fn root<T>(slice: Slice<'_, T>) -> View<'_, T, ROOT> {
    View(slice)
}

/// The view of an argument `&mut [T]`.
#[inline(always)]
pub fn root_mut<T>(slice: SliceMut<'_, T>) -> ViewMut<'_, T, ROOT> {
    ViewMut(slice)
}

/// The view of an argument `&[A]` of atomics: shared, though the launcher has borrowed the buffer alone.
#[inline(always)]
pub fn root_atomic<A: Atomic>(slice: SliceMut<'_, A::Value>) -> View<'_, A, ROOT> {
    View(slice.into_atomic())
}

/// A view of group `G` that can be read.
#[diagnostic::on_unimplemented(
    message = "this slice does not belong to the group that reads it",
    label = "another group could write the same elements",
    note = "use the slice by the name that it has in front of `stream_parallel!`, or split or rename it inside the group"
)]
pub trait ReadView<const G: usize> {
    /// The element type.
    type Elem;
    /// A shared reborrow.
    fn read(&self) -> Slice<'_, Self::Elem>;
}

/// A view of group `G` that can be written.
#[diagnostic::on_unimplemented(
    message = "this slice cannot be written by the group that does",
    label = "it is read-only, or does not belong to the group",
    note = "use the slice by the name that it has in front of `stream_parallel!`, or split or rename it inside the group"
)]
pub trait WriteView<const G: usize>: ReadView<G> {
    /// A unique reborrow.
    fn write(&mut self) -> SliceMut<'_, Self::Elem>;
}

impl<T, const G: usize> ReadView<G> for View<'_, T, G> {
    type Elem = T;
    fn read(&self) -> Slice<'_, T> {
        self.0
    }
}
impl<T, const G: usize> ReadView<G> for ViewMut<'_, T, G> {
    type Elem = T;
    fn read(&self) -> Slice<'_, T> {
        self.0.as_slice()
    }
}
impl<T, const G: usize> WriteView<G> for ViewMut<'_, T, G> {
    fn write(&mut self) -> SliceMut<'_, T> {
        self.0.reborrow()
    }
}

/// A shared reborrow at a fork: group `INTO` reads what belongs to `G`.
#[inline(always)]
pub fn read<const G: usize, const INTO: usize, V: ReadView<G>>(view: &V) -> View<'_, V::Elem, INTO> {
    View(view.read())
}

/// A unique reborrow at a fork: group `INTO` writes what belongs to `G`.
#[inline(always)]
pub fn write<const G: usize, const INTO: usize, V: WriteView<G>>(view: &mut V) -> ViewMut<'_, V::Elem, INTO> {
    ViewMut(view.write())
}

/// What groups may know of a view that another group writes: its length, which nobody can change.
#[derive(Debug, Clone, Copy)]
pub struct Shape(usize);

impl Shape {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

/// Something with a length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length",
    label = "only slices and arrays have `len()` and `is_empty()` in device code"
)]
pub trait Length {
    /// Number of elements.
    fn length(&self) -> usize;
}
impl<T, const G: usize> Length for View<'_, T, G> {
    fn length(&self) -> usize {
        self.0.len()
    }
}
impl<T, const G: usize> Length for ViewMut<'_, T, G> {
    fn length(&self) -> usize {
        self.0.len()
    }
}
impl Length for Shape {
    fn length(&self) -> usize {
        self.0
    }
}
impl<T> Length for DevRef<T> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.len
    }
}
impl<T> Length for DevMut<T> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.0.len
    }
}
impl<A: Atomic> Length for DevAtomic<A> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.0.len
    }
}
impl<T> Length for [T] {
    #[inline(always)]
    fn length(&self) -> usize {
        self.len()
    }
}
impl<T, const N: usize> Length for [T; N] {
    #[inline(always)]
    fn length(&self) -> usize {
        N
    }
}
#[diagnostic::do_not_recommend]
impl<T: Length + ?Sized> Length for &T {
    #[inline(always)]
    fn length(&self) -> usize {
        T::length(self)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Length + ?Sized> Length for &mut T {
    #[inline(always)]
    fn length(&self) -> usize {
        T::length(self)
    }
}

/// `x.len()`.
#[inline(always)]
pub fn len<V: Length + ?Sized>(of: &V) -> usize {
    of.length()
}

/// `x.is_empty()`.
#[inline(always)]
pub fn is_empty<V: Length + ?Sized>(of: &V) -> bool {
    of.length() == 0
}

/// The shape of a view.
#[inline(always)]
pub fn shape<V: Length>(view: &V) -> Shape {
    Shape(view.length())
}

/// A readable view without its lifetime, as the body of a loop gets it.
///
/// Safe to use although it erases a lifetime: the only way to get one is [`raw_ref`], which asks for the [`Launching`] of a host
/// part that runs. Generated code hands it right to [`Ctx::par`](super::ctx::Ctx::par). What runs there has returned before the launcher
/// does, which holds the borrow: loops run at once, those of groups when the `Fork` guard goes. The jobs of a capture live on in its
/// graph, which co-owns the memory and is launched only while nobody else uses it (`graph`, `turn`).
pub struct DevRef<T> {
    start: *const T,
    len: usize,
}

/// A writable view without its lifetime; see [`DevRef`], which it is for reading.
///
/// What writes an element takes the view by `&mut`, so that the borrow checker knows what happens to it while a
/// `#[device]` function has a reference to it.
pub struct DevMut<T>(DevRef<T>);

impl<T> Clone for DevRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DevRef<T> {}
impl<T> Clone for DevMut<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DevMut<T> {}
// SAFETY: the views point to scalars, which have no thread of their own; that no two iterations touch the same element
// unless both read is what a `par` loop states.
unsafe impl<T: Scalar> Send for DevRef<T> {}
// SAFETY: as above.
unsafe impl<T: Scalar> Sync for DevRef<T> {}

/// Shows that a host part is running: only [`Ctx`](super::ctx::Ctx) makes one. So nobody gets a view without a lifetime
/// whose memory no launch holds.
#[derive(Debug, Clone, Copy)]
pub struct Launching<'l>(std::marker::PhantomData<&'l ()>);

impl Launching<'_> {
    pub(super) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// The view of a loop of group `G` that only reads.
#[inline(always)]
pub fn raw_ref<const G: usize, V: ReadView<G>>(_: Launching<'_>, view: &V) -> DevRef<<V::Elem as Element>::Same>
where
    V::Elem: Element,
{
    let view = view.read();
    DevRef { start: view.as_ptr().cast(), len: view.len() }
}

/// The view of a loop of group `G` that writes.
#[inline(always)]
pub fn raw_mut<const G: usize, V: WriteView<G>>(_: Launching<'_>, view: &mut V) -> DevMut<<V::Elem as Element>::Same>
where
    V::Elem: Element,
{
    let view = view.write();
    DevMut(DevRef { start: view.as_ptr().cast(), len: view.len() })
}

/// A view of atomics without its lifetime; see [`DevRef`].
pub struct DevAtomic<A: Atomic>(DevRef<A::Value>);

impl<A: Atomic> Clone for DevAtomic<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: Atomic> Copy for DevAtomic<A> {}

/// The view of a loop of group `G` that changes atomics.
#[inline(always)]
pub fn raw_atomic<const G: usize, V: ReadView<G, Elem: Atomic>>(_: Launching<'_>, view: &V) -> DevAtomic<V::Elem> {
    let view = view.read();
    DevAtomic(DevRef { start: view.as_ptr().cast(), len: view.len() })
}

/// Whether the launch has shown that the accesses of a loop whose check it decides are in bounds.
///
/// Generated code passes it to those accesses, and to no others. That they are in bounds is then a fact of arithmetic,
/// which [`facts`](super::facts) explains; that facts and accesses belong together is on the macro.
#[derive(Debug, Clone, Copy)]
pub struct Decided(bool);

impl Decided {
    /// Every access checks for itself.
    pub const NO: Decided = Decided(false);

    /// What a verdict says; the only way to another value.
    pub(crate) fn by(verdict: Verdict) -> Self {
        Self(matches!(verdict, Verdict::Proved { .. }))
    }
}

impl<T> DevRef<T> {
    /// Number of elements.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.len
    }

    /// Address on the device.
    pub(super) fn address(self) -> u64 {
        self.start as u64
    }

    /// The first element.
    #[inline(always)]
    pub(super) fn start(self) -> *const T {
        self.start
    }

    /// To element `index`; a bad one fails the iteration.
    #[inline(always)]
    #[track_caller]
    pub(super) fn pointer(self, index: usize, decided: Decided) -> *const T {
        if !decided.0 && index >= self.len {
            out_of_bounds(index, self.len)
        }
        // SAFETY: the index is below the length of the borrow that the view was made from. Where the check is left out,
        // `Facts::decide` has shown that of every index that this access can have in this launch.
        unsafe { self.start.add(index) }
    }
}

impl<T> DevMut<T> {
    /// For reading.
    #[inline(always)]
    pub(super) fn read(&self) -> DevRef<T> {
        self.0
    }
}

impl<A: Atomic> DevAtomic<A> {
    /// The values of the atomics.
    #[inline(always)]
    pub(super) fn values(&self) -> DevRef<A::Value> {
        self.0
    }
}
