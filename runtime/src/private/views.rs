//! Views of buffers as generated code uses them: real borrows in the host part, copies of them in `par` bodies.

use std::ops::Deref;

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
pub trait ShapeOf {
    /// Its shape.
    fn shape_of(&self) -> Shape;
}
impl<T, const G: usize> ShapeOf for View<'_, T, G> {
    fn shape_of(&self) -> Shape {
        Shape(self.len())
    }
}
impl<T, const G: usize> ShapeOf for ViewMut<'_, T, G> {
    fn shape_of(&self) -> Shape {
        Shape(self.len())
    }
}
impl ShapeOf for Shape {
    fn shape_of(&self) -> Shape {
        *self
    }
}

/// The shape of a view.
#[inline(always)]
pub fn shape<V: ShapeOf>(view: &V) -> Shape {
    view.shape_of()
}

/// A readable view without its lifetime, as the body of a loop gets it.
///
/// Safe to use although it erases a lifetime: the only way to get one is [`raw_ref`], which generated code hands right
/// to [`Ctx::par`](super::ctx::Ctx::par); and what runs there has returned before the borrow behind it ends, because the
/// `Fork` guard that records it holds that borrow's scope.
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

impl<T> Deref for DevMut<T> {
    type Target = DevRef<T>;
    #[inline(always)]
    fn deref(&self) -> &DevRef<T> {
        &self.0
    }
}

/// The view of a loop of group `G` that only reads.
#[inline(always)]
pub fn raw_ref<const G: usize, V: ReadView<G>>(view: &V) -> DevRef<<V::Elem as Element>::Same>
where
    V::Elem: Element,
{
    let view = view.read();
    DevRef { start: view.as_ptr().cast(), len: view.len() }
}

/// The view of a loop of group `G` that writes.
#[inline(always)]
pub fn raw_mut<const G: usize, V: WriteView<G>>(view: &mut V) -> DevMut<<V::Elem as Element>::Same>
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
pub fn raw_atomic<const G: usize, V: ReadView<G, Elem: Atomic>>(view: &V) -> DevAtomic<V::Elem> {
    let view = view.read();
    DevAtomic(DevRef { start: view.as_ptr().cast(), len: view.len() })
}

/// What a slice is indexed with: `usize`, and nothing else. A trait, so that the error says so.
#[diagnostic::on_unimplemented(
    message = "expected a `usize`, found a value of type `{Self}`",
    label = "indexes and steps are `usize`",
    note = "convert an integer with `as`: `x[i as usize]`"
)]
pub trait ElementIndex: Copy {
    /// The index.
    fn get(self) -> usize;
}

#[diagnostic::do_not_recommend]
impl ElementIndex for usize {
    #[inline(always)]
    fn get(self) -> usize {
        self
    }
}

/// Whether the launch has shown that the accesses of a loop whose check it decides are in bounds.
///
/// Generated code passes it to those accesses, and to no others. That they are in bounds is then a fact of arithmetic,
/// which [`facts`](super::facts) explains; that facts and accesses belong together is on the macro.
#[derive(Debug, Clone, Copy)]
pub struct Decided(bool);

impl Decided {
    /// Every access checks for itself.
    pub(crate) const NO: Decided = Decided(false);

    /// What a verdict says; the only way to another value.
    pub(crate) fn by(verdict: Verdict) -> Self {
        Self(matches!(verdict, Verdict::Proved { .. }))
    }
}

// Methods by value, because an index may borrow the view that it is an index of: `x[f(&mut x[0])]`.
impl<T: Scalar> DevRef<T> {
    /// Number of elements.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Element `index`; a bad one fails the iteration.
    #[inline(always)]
    #[track_caller]
    pub fn get(self, index: impl ElementIndex) -> T {
        // SAFETY: `pointer` is to an element of the borrow, which outlives the loop (see the type). Only the CPU device
        // calls this, so the memory is the host's.
        unsafe { *self.pointer(index) }
    }

    /// [`get`](Self::get), where the launch may have decided. That is the same for the whole loop, so that the compiler
    /// makes two of it, one of them without checks.
    #[inline(always)]
    #[track_caller]
    pub fn get_decided(self, index: impl ElementIndex, decided: Decided) -> T {
        // SAFETY: as in `get`.
        unsafe { *self.pointer_decided(index, decided) }
    }

    /// Address on the device.
    pub(crate) fn address(self) -> u64 {
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
    pub(super) fn pointer(self, index: impl ElementIndex) -> *const T {
        self.pointer_decided(index, Decided::NO)
    }

    #[inline(always)]
    #[track_caller]
    pub(super) fn pointer_decided(self, index: impl ElementIndex, decided: Decided) -> *const T {
        let index = index.get();
        if !decided.0 && index >= self.len {
            out_of_bounds(index, self.len)
        }
        // SAFETY: the index is below the length of the borrow that the view was made from; where the check is left out,
        // `covers` was asked about this index.
        unsafe { self.start.add(index) }
    }
}

impl<A: Atomic> DevAtomic<A> {
    /// Number of elements.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Element `index`, which all iterations share; a bad index fails the iteration.
    #[inline(always)]
    #[track_caller]
    pub fn cell(&self, index: impl ElementIndex) -> &A {
        self.cell_decided(index, Decided::NO)
    }

    /// [`cell`](Self::cell), where the launch may have decided; see [`DevRef::get_decided`].
    #[inline(always)]
    #[track_caller]
    pub fn cell_decided(&self, index: impl ElementIndex, decided: Decided) -> &A {
        // SAFETY: the pointer is to an element of the borrow, which outlives the loop (see `DevRef`); the borrow was unique, and
        // whoever has this view treats the elements as atomics, which look like their values (`Atomic`).
        unsafe { &*self.0.pointer_decided(index, decided).cast() }
    }

    /// All of them.
    #[inline(always)]
    pub fn as_slice(&self) -> &[A] {
        // SAFETY: as above, of all elements.
        unsafe { std::slice::from_raw_parts(self.0.start.cast(), self.0.len) }
    }

    /// Address on the device.
    pub(crate) fn address(self) -> u64 {
        self.0.address()
    }
}
