//! Views of buffers as generated code uses them: real borrows in the host part, copies of them in `par` bodies.

use crate::cpu::panic::out_of_bounds;
use crate::scalar::Scalar;
use crate::slice::{Slice, SliceMut};

/// A view that can be read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice that a `par` loop can read",
    label = "used as a slice in a `par` loop",
    note = "slice parameters, their parts from `split_at` and `split_at_mut`, and renames of them can be indexed"
)]
pub trait ReadView {
    /// The element type.
    type Elem;
    /// A shared reborrow.
    fn read(&self) -> Slice<'_, Self::Elem>;
}

/// A view that can be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice that a `par` loop can write",
    label = "written in a `par` loop",
    note = "make the parameter `&mut [T]`, and split it with `split_at_mut`"
)]
pub trait WriteView: ReadView {
    /// A unique reborrow.
    fn write(&mut self) -> SliceMut<'_, Self::Elem>;
}

impl<T: Scalar> ReadView for Slice<'_, T> {
    type Elem = T;
    fn read(&self) -> Slice<'_, T> {
        *self
    }
}
impl<T: Scalar> ReadView for SliceMut<'_, T> {
    type Elem = T;
    fn read(&self) -> Slice<'_, T> {
        self.as_slice()
    }
}
impl<T: Scalar> WriteView for SliceMut<'_, T> {
    fn write(&mut self) -> SliceMut<'_, T> {
        self.reborrow()
    }
}

/// A shared reborrow, for a group that reads.
#[inline(always)]
pub fn read<V: ReadView>(view: &V) -> Slice<'_, V::Elem> {
    view.read()
}

/// A unique reborrow, for a group that writes.
#[inline(always)]
pub fn write<V: WriteView>(view: &mut V) -> SliceMut<'_, V::Elem> {
    view.write()
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
impl<T: Scalar> ShapeOf for Slice<'_, T> {
    fn shape_of(&self) -> Shape {
        Shape(self.len())
    }
}
impl<T: Scalar> ShapeOf for SliceMut<'_, T> {
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

/// A writable view without its lifetime; see [`DevRef`]. Elements are copied in and out one at a time, never borrowed.
pub struct DevMut<T> {
    start: *mut T,
    len: usize,
}

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
// SAFETY: as above.
unsafe impl<T: Scalar> Send for DevMut<T> {}
// SAFETY: as above.
unsafe impl<T: Scalar> Sync for DevMut<T> {}

/// The view of a loop that only reads.
#[inline(always)]
pub fn raw_ref<V: ReadView>(view: &V) -> DevRef<V::Elem>
where
    V::Elem: Scalar,
{
    let view = view.read();
    DevRef { start: view.as_ptr(), len: view.len() }
}

/// The view of a loop that writes.
#[inline(always)]
pub fn raw_mut<V: WriteView>(view: &mut V) -> DevMut<V::Elem>
where
    V::Elem: Scalar,
{
    let view = view.write();
    DevMut { start: view.as_ptr(), len: view.len() }
}

impl<T: Scalar> DevRef<T> {
    /// Address on the device.
    pub(crate) fn address(&self) -> u64 {
        self.start as u64
    }

    /// Number of elements.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Element `index`; a bad one fails the iteration.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        if index >= self.len {
            out_of_bounds(index, self.len)
        }
        // SAFETY: the index is below the length of the borrow that `raw_ref` took, which outlives the loop (see the
        // type). Only the CPU device calls this, so the memory is the host's.
        unsafe { *self.start.add(index) }
    }
}

impl<T: Scalar> DevMut<T> {
    /// Address on the device.
    pub(crate) fn address(&self) -> u64 {
        self.start as u64
    }

    /// Number of elements.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    #[track_caller]
    fn at(&self, index: usize) -> *mut T {
        if index >= self.len {
            out_of_bounds(index, self.len)
        }
        // SAFETY: the index is below the length of the borrow that `raw_mut` took.
        unsafe { self.start.add(index) }
    }

    /// Element `index`; a bad one fails the iteration.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        // SAFETY: `at` is inside the borrow, which outlives the loop (see `DevRef`).
        unsafe { *self.at(index) }
    }

    /// `view[index] = value`; the value comes first because Rust evaluates it first.
    #[inline(always)]
    #[track_caller]
    pub fn put(&self, value: T, index: usize) {
        // SAFETY: `at` is inside the borrow, which is unique and outlives the loop (see `DevRef`).
        unsafe { *self.at(index) = value }
    }

    /// `view[index] op= value`, in the same order.
    #[inline(always)]
    #[track_caller]
    pub fn update<V>(&self, value: V, index: usize, combine: impl FnOnce(T, V) -> T) {
        let at = self.at(index);
        // SAFETY: `at` is inside the borrow, which is unique and outlives the loop (see `DevRef`).
        unsafe { *at = combine(*at, value) }
    }
}
