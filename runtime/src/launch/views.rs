//! Views of buffers in a host part: real borrows, each branded with its group.

use crate::cpu::views::{DevAtomic, DevMut, DevRef, Length};
use crate::slice::{Slice, SliceMut};
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;

/// The brand of the views of a launch, outside of groups.
const ROOT: usize = 0;

/// A shared view in a host part: a [`Slice`] with a brand.
///
/// `G` is the number of the group that the view belongs to; `ROOT` means no group. A `par` loop takes only views of its own group, and
/// the only source of a group's views is the reborrow of all its views at the fork. Macros and attributes can rebind names, so a name may
/// not mean what `#[kernel]` assumes. Even then, a group can only access views that the borrow checker has compared with those of the other
/// groups.
pub struct View<'a, T, const G: usize>(Slice<'a, T>);

/// A unique view in a host part: a [`SliceMut`] with a brand; see [`View`].
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

/// The view of an argument `&[A]` of atomics. It is shared, although the launcher borrows the buffer uniquely.
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
#[diagnostic::do_not_recommend]
impl<T, const G: usize> WriteView<G> for ViewMut<'_, T, G> {
    fn write(&mut self) -> SliceMut<'_, T> {
        self.0.reborrow()
    }
}

/// A shared reborrow at a fork: group `INTO` reads a view of `G`.
#[inline(always)]
pub fn read<const G: usize, const INTO: usize, V: ReadView<G>>(view: &V) -> View<'_, V::Elem, INTO> {
    View(view.read())
}

/// A unique reborrow at a fork: group `INTO` writes a view of `G`.
#[inline(always)]
pub fn write<const G: usize, const INTO: usize, V: WriteView<G>>(view: &mut V) -> ViewMut<'_, V::Elem, INTO> {
    ViewMut(view.write())
}

/// The length of a view. A group may use the length of a view that another group writes, because the length cannot change.
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
/// The shape of a view.
#[inline(always)]
pub fn shape<V: Length>(view: &V) -> Shape {
    Shape(view.length())
}

/// Proof that a host part is running: only [`Ctx`](super::host::Ctx) creates this. So code cannot get a view without a lifetime for memory
/// that no launch borrows.
#[derive(Debug, Clone, Copy)]
pub struct Launching<'l>(std::marker::PhantomData<&'l ()>);

impl Launching<'_> {
    pub(super) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// The view for a loop of group `G` that only reads.
#[inline(always)]
pub fn raw_ref<const G: usize, V: ReadView<G>>(_: Launching<'_>, view: &V) -> DevRef<<V::Elem as DeviceCopy>::Same>
where
    V::Elem: DeviceCopy,
{
    let view = view.read();
    // SAFETY: see `Launching`; the view borrows the elements while the host part runs.
    unsafe { DevRef::new(view.as_ptr().cast(), view.len()) }
}

/// The view for a loop of group `G` that writes.
#[inline(always)]
pub fn raw_mut<const G: usize, V: WriteView<G>>(_: Launching<'_>, view: &mut V) -> DevMut<<V::Elem as DeviceCopy>::Same>
where
    V::Elem: DeviceCopy,
{
    let view = view.write();
    // SAFETY: as for `raw_ref`; the view borrows them uniquely.
    unsafe { DevMut::new(view.as_ptr().cast(), view.len()) }
}

/// The view for a loop of group `G` that modifies atomics.
#[inline(always)]
pub fn raw_atomic<const G: usize, V: ReadView<G, Elem: Atomic>>(_: Launching<'_>, view: &V) -> DevAtomic<V::Elem> {
    let view = view.read();
    // SAFETY: as for `raw_ref`. A view of atomics comes from a unique borrow (`root_atomic`), and only has atomic operations.
    unsafe { DevAtomic::new(view.as_ptr().cast(), view.len()) }
}
