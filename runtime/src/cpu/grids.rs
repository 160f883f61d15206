//! Grids of device code on the CPU: indexes with several components, each of which has a check of
//! its own.

#![allow(unsafe_code, reason = "elements of grids")]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use anabranch_core::check::Check;

use super::places::{Elements, Indexed};
use super::views::{DevAtomic, DevMut, Length};
use crate::model::judge::Decided;
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;
use crate::value::check::{fail_check, out_of_bounds};

/// Device memory with several dimensions, as kernels and `#[device]` functions see it:
/// `&Grid<f32, 2>`, `&mut Grid<f32, 3>`.
///
/// A grid has two or three dimensions. Its elements lie in row-major order: the last index varies
/// fastest. Each component of an index must be below the extent of its dimension.
///
/// A launch takes a [`Buffer`](crate::Buffer) with as many dimensions, or some rows of it
/// ([`Buffer::rows`](crate::Buffer::rows)).
///
/// ```
/// # use anabranch::prelude::*;
/// #[kernel]
/// fn transpose(from: &Grid<f32, 2>, to: &mut Grid<f32, 2>) {
///     let [rows, cols] = from.shape();
///     for (y, x) in par((0..rows, 0..cols)) { to[[x, y]] = from[[y, x]]; }
/// }
///
/// # fn main() -> anabranch::Result<()> {
/// let device = Device::auto()?;
/// let from = device.grid_from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// let mut to = device.grid_zeros([3, 2])?;
/// transpose(&device.default_stream(), &from, &mut to)?;
/// assert_eq!(to.to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Grid<T, const D: usize> {
    start: *mut T,
    shape: [usize; D],
    strides: [usize; D],
}

/// A type that is a [`Grid`], whatever it is called where it is used.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the `Grid` of anabranch",
    label = "expected `anabranch::Grid`",
    note = "a parameter `&Grid<T, 2>` or `&mut Grid<T, 2>` is device memory; give another type another name"
)]
pub trait GridType {
    /// The element type.
    type Elem;
}
impl<T, const D: usize> GridType for Grid<T, D> {
    type Elem = T;
}

/// What a grid is indexed with: an array of `usize`.
#[diagnostic::on_unimplemented(
    message = "device code cannot index a grid of {D} dimensions with `{Self}`",
    label = "expected `[usize; {D}]`",
    note = "all indexes are in one array, as in `g[[y, x]]`; convert a number with `as usize`; `g.as_slice()` of the host part has one number for each element"
)]
pub trait GridIndex<const D: usize> {
    #[allow(missing_docs)]
    fn ab_indexes(self) -> [usize; D];
}
#[diagnostic::do_not_recommend]
impl<const D: usize> GridIndex<D> for [usize; D] {
    #[inline(always)]
    fn ab_indexes(self) -> [usize; D] {
        self
    }
}

/// The indexes of an element. As with slices, the functions with views are not generic.
#[inline(always)]
pub fn indexes<const D: usize, I: GridIndex<D>>(indexes: I) -> [usize; D] {
    indexes.ab_indexes()
}

/// The place of an element. A component out of bounds fails the iteration.
#[inline(always)]
#[track_caller]
pub fn in_grid<const D: usize>(shape: [usize; D], strides: [usize; D], index: [usize; D], decided: Decided) -> usize {
    let mut place = 0usize;
    for (dim, ((index, len), stride)) in index.into_iter().zip(shape).zip(strides).enumerate() {
        if !decided.is_proved() && index >= len {
            fail_check(Check::Dimension(dim as u32), index as u64, len as u64)
        }
        // No overflow in bounds: a buffer has at most `isize::MAX` elements.
        place = place.wrapping_add(index.wrapping_mul(stride));
    }
    place
}

/// A grid for reading that a `#[device]` function borrows.
#[derive(Debug)]
pub struct GridRef<'g, T, const D: usize>(Grid<T, D>, PhantomData<&'g T>);

/// A grid for writing that a `#[device]` function borrows.
#[derive(Debug)]
pub struct GridMut<'g, T, const D: usize>(Grid<T, D>, PhantomData<&'g mut T>);

impl<T, const D: usize> Deref for GridRef<'_, T, D> {
    type Target = Grid<T, D>;
    #[inline(always)]
    fn deref(&self) -> &Grid<T, D> {
        &self.0
    }
}
impl<T, const D: usize> Deref for GridMut<'_, T, D> {
    type Target = Grid<T, D>;
    #[inline(always)]
    fn deref(&self) -> &Grid<T, D> {
        &self.0
    }
}
impl<T, const D: usize> DerefMut for GridMut<'_, T, D> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Grid<T, D> {
        &mut self.0
    }
}

impl<T, const D: usize> Grid<T, D> {
    /// The elements at `start`, where there are `len`.
    #[inline(always)]
    fn new(start: *mut T, len: usize, shape: [usize; D], strides: [usize; D]) -> Self {
        // The place behind the last element, if there is one.
        let last = |place: usize, (len, by): (&usize, usize)| place.checked_add(len.checked_sub(1)?.checked_mul(by)?);
        let end = shape.iter().zip(strides).try_fold(1, last).unwrap_or(0);
        if end > len {
            out_of_bounds(end, len)
        }
        Self { start, shape, strides }
    }

    #[inline(always)]
    #[track_caller]
    fn pointer(&self, AtGrid(index): AtGrid<D>) -> *mut T {
        // SAFETY: each component is below its extent, so the place is at most that of the last
        // element, which is there (`new`).
        unsafe { self.start.add(in_grid(self.shape, self.strides, index, Decided::NO)) }
    }
}

/// `&grid`.
#[inline(always)]
pub fn grid<V: Elements, const D: usize>(view: &V, shape: [usize; D], strides: [usize; D]) -> GridRef<'_, V::Elem, D> {
    let view = view.read();
    GridRef(Grid::new(view.start().cast_mut(), view.len(), shape, strides), PhantomData)
}

/// `&mut grid`.
#[inline(always)]
pub fn grid_mut<T: DeviceCopy, const D: usize>(
    view: &mut DevMut<T>,
    shape: [usize; D],
    strides: [usize; D],
) -> GridMut<'_, T, D> {
    let view = DevMut::read(view);
    GridMut(Grid::new(view.start().cast_mut(), view.len(), shape, strides), PhantomData)
}

/// `&grid`, of atomics.
#[inline(always)]
pub fn grid_atomic<A: Atomic, const D: usize>(
    view: &DevAtomic<A>,
    shape: [usize; D],
    strides: [usize; D],
) -> GridRef<'_, A, D> {
    let values = view.values();
    GridRef(Grid::new(values.start().cast_mut().cast(), values.len(), shape, strides), PhantomData)
}

/// An index of a grid. It is a separate type, so that an index out of bounds fails like device
/// code.
#[derive(Debug, Clone, Copy)]
pub struct AtGrid<const D: usize>([usize; D]);

/// `grid[at_grid(index)]`.
#[inline(always)]
pub fn at_grid<const D: usize>(index: [usize; D]) -> AtGrid<D> {
    AtGrid(index)
}

impl<T, const D: usize> Indexed for Grid<T, D> {}

impl<T, const D: usize> Index<AtGrid<D>> for Grid<T, D> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: AtGrid<D>) -> &T {
        // SAFETY: a grid without a lifetime is only lent by a `GridRef` or `GridMut`, which borrows
        // the elements of a view. Only the CPU device makes these, so this is host memory. As for a
        // slice, a `par` loop guarantees that no other iteration writes the element.
        unsafe { &*self.pointer(index) }
    }
}

impl<T, const D: usize> IndexMut<AtGrid<D>> for Grid<T, D> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: AtGrid<D>) -> &mut T {
        // SAFETY: as above. Only a `GridMut` lends a grid uniquely.
        unsafe { &mut *self.pointer(index) }
    }
}

impl<T, const D: usize> Length for Grid<T, D> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.shape.iter().product()
    }
}

/// `grid.shape()`.
#[inline(always)]
pub fn grid_shape<T, const D: usize>(grid: &Grid<T, D>) -> [usize; D] {
    grid.shape
}
