//! Views of buffers in a host part: real borrows, each branded with its group.

#![allow(unsafe_code, reason = "the elements of a loop, which the launch has judged")]

use crate::cpu::views::{DevAtomic, DevMut, DevRef, Length};
use crate::layout::Layout;
use crate::slice::{Slice, SliceMut};
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;

/// The brand of the views of a launch, outside of groups.
pub(super) const ROOT: usize = 0;

/// A view in a host part: a [`Slice`] with the number of its group, or 0 outside of groups.
///
/// A `par` loop takes only views of its own group, and the only source of a group's views is the
/// reborrow of all its views at the fork. Macros and attributes can rebind names, so a name may not
/// mean what `#[kernel]` assumes. Even then, a group can only access views that the borrow checker
/// has compared with those of the other groups.
pub type View<'a, T, const G: usize, const D: usize = 1> = Slice<'a, T, D, G>;

/// The same of a unique one.
pub type ViewMut<'a, T, const G: usize, const D: usize = 1> = SliceMut<'a, T, D, G>;

/// The view of an argument `&[T]`.
#[inline(always)]
pub fn root<T, const D: usize>(slice: Slice<'_, T, D>) -> View<'_, T, ROOT, D> {
    slice.in_group()
}

/// The view of an argument `&mut [T]`.
#[inline(always)]
pub fn root_mut<T, const D: usize>(slice: SliceMut<'_, T, D>) -> ViewMut<'_, T, ROOT, D> {
    slice.in_group()
}

/// The view of an argument `&[A]` of atomics. It is shared, although the launcher borrows the
/// buffer uniquely.
#[inline(always)]
pub fn root_atomic<A: Atomic, const D: usize>(slice: SliceMut<'_, A::Value, D>) -> View<'_, A, ROOT, D> {
    slice.into_atomic().in_group()
}

/// A view of group `G` that can be read.
#[diagnostic::on_unimplemented(
    message = "this slice does not belong to the group that reads it",
    label = "another group could write the same elements",
    note = "use the slice by the name that it has in front of `stream_parallel!`, or split or rename it inside the group"
)]
pub trait ReadView<const G: usize, const D: usize> {
    /// The element type.
    type Elem;
    /// A shared reborrow.
    fn read(&self) -> Slice<'_, Self::Elem, D>;
}

/// A view of group `G` that can be written.
#[diagnostic::on_unimplemented(
    message = "this slice cannot be written by the group that does",
    label = "it is read-only, or does not belong to the group",
    note = "use the slice by the name that it has in front of `stream_parallel!`, or split or rename it inside the group"
)]
pub trait WriteView<const G: usize, const D: usize>: ReadView<G, D> {
    /// A unique reborrow.
    fn write(&mut self) -> SliceMut<'_, Self::Elem, D>;
}

impl<T, const G: usize, const D: usize> ReadView<G, D> for View<'_, T, G, D> {
    type Elem = T;
    fn read(&self) -> Slice<'_, T, D> {
        self.in_group()
    }
}
impl<T, const G: usize, const D: usize> ReadView<G, D> for ViewMut<'_, T, G, D> {
    type Elem = T;
    fn read(&self) -> Slice<'_, T, D> {
        self.shared().in_group()
    }
}
#[diagnostic::do_not_recommend]
impl<T, const G: usize, const D: usize> WriteView<G, D> for ViewMut<'_, T, G, D> {
    fn write(&mut self) -> SliceMut<'_, T, D> {
        self.reborrow().in_group()
    }
}

/// A shared reborrow at a fork: group `INTO` reads a view of `G`.
#[inline(always)]
pub fn read<const G: usize, const INTO: usize, V: ReadView<G, D>, const D: usize>(
    view: &V,
) -> View<'_, V::Elem, INTO, D> {
    view.read().in_group()
}

/// A unique reborrow at a fork: group `INTO` writes a view of `G`.
#[inline(always)]
pub fn write<const G: usize, const INTO: usize, V: WriteView<G, D>, const D: usize>(
    view: &mut V,
) -> ViewMut<'_, V::Elem, INTO, D> {
    view.write().in_group()
}

/// `let y = &x;`
#[inline(always)]
pub fn share<V: ReadView<G, D>, const G: usize, const D: usize>(view: &V) -> View<'_, V::Elem, G, D> {
    view.read().in_group()
}

/// `let y = &mut x;`
#[inline(always)]
pub fn reborrow<V: WriteView<G, D>, const G: usize, const D: usize>(view: &mut V) -> ViewMut<'_, V::Elem, G, D> {
    view.write().in_group()
}

/// The shape of a view. A group may use the shape of a view that another group writes, because it
/// cannot change.
#[derive(Debug, Clone, Copy)]
pub struct Shape<const D: usize = 1>([usize; D]);

impl<const D: usize> Shape<D> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of elements along each dimension.
    pub fn shape(&self) -> [usize; D] {
        self.0
    }
}

/// What has a shape of `D` dimensions.
pub trait Shaped<const D: usize> {
    /// Its shape.
    fn dims(&self) -> [usize; D];
    /// Its strides. Through a shape alone no element is used, so any numbers will do.
    fn strides(&self) -> [usize; D] {
        Layout::whole(self.dims()).strides()
    }
}
impl<T, const G: usize, const D: usize> Shaped<D> for View<'_, T, G, D> {
    fn dims(&self) -> [usize; D] {
        self.shape()
    }
    fn strides(&self) -> [usize; D] {
        self.layout().strides()
    }
}
impl<T, const G: usize, const D: usize> Shaped<D> for ViewMut<'_, T, G, D> {
    fn dims(&self) -> [usize; D] {
        self.shape()
    }
    fn strides(&self) -> [usize; D] {
        self.layout().strides()
    }
}
impl<const D: usize> Shaped<D> for Shape<D> {
    fn dims(&self) -> [usize; D] {
        self.0
    }
}

impl<T, const G: usize, const D: usize> Length for View<'_, T, G, D> {
    fn length(&self) -> usize {
        self.len()
    }
}
impl<T, const G: usize, const D: usize> Length for ViewMut<'_, T, G, D> {
    fn length(&self) -> usize {
        self.len()
    }
}
impl<const D: usize> Length for Shape<D> {
    fn length(&self) -> usize {
        self.len()
    }
}
/// The shape of a view.
#[inline(always)]
pub fn shape<V: Shaped<D>, const D: usize>(view: &V) -> Shape<D> {
    Shape(view.dims())
}

/// The number of elements of a grid along a dimension.
#[inline(always)]
pub fn extent<V: Shaped<D>, const D: usize>(grid: &V, dim: usize) -> usize {
    grid.dims()[dim]
}

/// The number of elements of a grid from one index to the next along a dimension.
#[inline(always)]
pub fn stride<V: Shaped<D>, const D: usize>(grid: &V, dim: usize) -> usize {
    grid.strides()[dim]
}

/// Proof that a host part is running: only [`Ctx`](super::host::Ctx) creates this. So code cannot
/// get a view without a lifetime for memory that no launch borrows.
#[derive(Debug, Clone, Copy)]
pub struct Launching<'l>(std::marker::PhantomData<&'l ()>);

impl Launching<'_> {
    pub(super) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// The view for a loop of group `G` that only reads.
#[inline(always)]
pub fn raw_ref<const G: usize, V: ReadView<G, D>, const D: usize>(
    _: Launching<'_>,
    view: &V,
) -> DevRef<<V::Elem as DeviceCopy>::Same>
where
    V::Elem: DeviceCopy,
{
    let view = view.read();
    // SAFETY: see `Launching`; the view borrows the elements while the host part runs.
    unsafe { DevRef::new(view.as_ptr().cast(), view.layout().span()) }
}

/// The same in a generic kernel, where rustc would not know that the two types are one.
#[inline(always)]
pub fn raw_ref_of<const G: usize, V: ReadView<G, D>, const D: usize>(_: Launching<'_>, view: &V) -> DevRef<V::Elem>
where
    V::Elem: DeviceCopy,
{
    let view = view.read();
    // SAFETY: see `Launching`; the view borrows the elements while the host part runs.
    unsafe { DevRef::new(view.as_ptr(), view.layout().span()) }
}

/// The view for a loop of group `G` that writes.
#[inline(always)]
pub fn raw_mut<const G: usize, V: WriteView<G, D>, const D: usize>(
    _: Launching<'_>,
    view: &mut V,
) -> DevMut<<V::Elem as DeviceCopy>::Same>
where
    V::Elem: DeviceCopy,
{
    let view = view.write();
    // SAFETY: as for `raw_ref`; the view borrows them uniquely.
    unsafe { DevMut::new(view.as_ptr().cast(), view.layout().span()) }
}

/// The same in a generic kernel, where rustc would not know that the two types are one.
#[inline(always)]
pub fn raw_mut_of<const G: usize, V: WriteView<G, D>, const D: usize>(_: Launching<'_>, view: &mut V) -> DevMut<V::Elem>
where
    V::Elem: DeviceCopy,
{
    let view = view.write();
    // SAFETY: as for `raw_ref`; the view borrows them uniquely.
    unsafe { DevMut::new(view.as_ptr(), view.layout().span()) }
}

/// The view for a loop of group `G` that modifies atomics.
#[inline(always)]
pub fn raw_atomic<const G: usize, V: ReadView<G, D, Elem: Atomic>, const D: usize>(
    _: Launching<'_>,
    view: &V,
) -> DevAtomic<V::Elem> {
    let view = view.read();
    // SAFETY: as for `raw_ref`. A view of atomics comes from a unique borrow (`root_atomic`), and
    // only has atomic operations.
    unsafe { DevAtomic::new(view.as_ptr().cast(), view.layout().span()) }
}
