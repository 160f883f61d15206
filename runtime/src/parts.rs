//! Parts of buffers.
//!
//! A part of a grid is a rectangle of it: some indexes of each dimension. Rows are the indexes of
//! the first dimension, the slowest one, so some rows lie next to each other in memory; other parts
//! have gaps.

use std::ops::RangeBounds;

use crate::buffer::Buffer;
use crate::layout::{Caller, Layout, Ranges, ends};
use crate::slice::{Slice, SliceMut};
use crate::value::DeviceCopy;

/// The parts for reading. `$life` is the lifetime of a part.
macro_rules! shared_parts {
    ($(impl [$($own:lifetime)?] [$(const $group:ident)?] $whole:ty: $life:lifetime $(where $elements:ty: $bound:ident)?;)*) => { $(
        impl<$($own,)? T, const D: usize $(, const $group: usize)?> $whole
        where
            $($elements: $bound)?
        {
            /// Borrows some elements for reading, in one dimension and in row-major order.
            ///
            /// # Panics
            /// Panics if the range is out of bounds, or if the elements do not lie next to each
            /// other in memory: see [`is_contiguous`](Slice::is_contiguous).
            #[track_caller]
            pub fn slice(&self, range: impl RangeBounds<usize>) -> Slice<$life, T, 1 $(, $group)?> {
                let whole = self.whole();
                whole.at((0, whole.flat("slice"))).rows_for("slice", range)
            }

            /// Borrows all elements for reading, in one dimension and in row-major order.
            ///
            /// # Panics
            /// Panics if the elements do not lie next to each other in memory: see
            /// [`is_contiguous`](Slice::is_contiguous).
            #[track_caller]
            pub fn as_slice(&self) -> Slice<$life, T, 1 $(, $group)?> {
                let whole = self.whole();
                whole.at((0, whole.flat("as_slice")))
            }

            /// Borrows some rows for reading: indexes of the first dimension, the slowest one. The
            /// part has as many dimensions as the whole. With one dimension, each row is one
            /// element.
            ///
            /// # Panics
            /// Panics if the range is out of bounds.
            #[track_caller]
            pub fn rows(&self, range: impl RangeBounds<usize>) -> Slice<$life, T, D $(, $group)?> {
                self.whole().rows_for("rows", range)
            }

            /// Borrows a rectangle of a grid for reading: a range of indexes for each dimension, as
            /// an array or a tuple. A kernel takes it like a whole grid, with indexes from 0. See
            /// [the example](crate::buffers#parts).
            ///
            /// # Panics
            /// Panics if a range is out of bounds.
            #[track_caller]
            pub fn part(&self, ranges: impl Ranges<D>) -> Slice<$life, T, D $(, $group)?> {
                let whole = self.whole();
                whole.at(whole.layout().parts(&ranges.bounds(), Caller::new::<T>("part")))
            }

            /// Splits at `mid` into two parts: the elements before `mid`, and the rest; of a grid,
            /// the rows.
            ///
            /// # Panics
            /// Panics if `mid` is greater than the number of elements or rows.
            #[track_caller]
            pub fn split_at(&self, mid: usize) -> (Slice<$life, T, D $(, $group)?>, Slice<$life, T, D $(, $group)?>) {
                self.whole().halves(self.whole().layout().split(0, mid, Caller::new::<T>("split_at")))
            }

            /// Splits along dimension `dim`, counted from 0: the indexes before `mid`, and the
            /// rest. So `split_dim_at(1, mid)` splits the columns of a grid of two dimensions.
            ///
            /// # Panics
            /// Panics if there is no such dimension, or if `mid` is greater than its length.
            #[track_caller]
            pub fn split_dim_at(&self, dim: usize, mid: usize) -> (Slice<$life, T, D $(, $group)?>, Slice<$life, T, D $(, $group)?>) {
                self.whole().halves(self.whole().layout().split(dim, mid, Caller::new::<T>("split_dim_at")))
            }

            /// Returns the parts of `size` elements, in order; of a grid, of `size` rows. The last
            /// part may have fewer.
            ///
            /// # Panics
            /// Panics if `size` is 0.
            #[track_caller]
            pub fn chunks(
                &self,
                size: usize,
            ) -> impl DoubleEndedIterator<Item = Slice<$life, T, D $(, $group)?>> + ExactSizeIterator + use<$life, T, D $(, $group)?> {
                let whole = self.whole();
                whole.layout().chunks(size, Caller::new::<T>("chunks")).map(move |chunk| whole.at(chunk))
            }
        }
    )* };
}
shared_parts! {
    impl ['a] [const G] Slice<'a, T, D, G>: 'a;
    impl ['a] [const G] SliceMut<'a, T, D, G>: '_;
    impl [] [] Buffer<T, D>: '_ where T: DeviceCopy;
}

/// The parts for writing.
macro_rules! unique_parts {
    ($(impl [$($own:lifetime)?] [$(const $group:ident)?] $whole:ty $(where $elements:ty: $bound:ident)?;)*) => { $(
        impl<$($own,)? T, const D: usize $(, const $group: usize)?> $whole
        where
            $($elements: $bound)?
        {
            /// Borrows some elements for writing, in one dimension and in row-major order.
            ///
            /// # Panics
            /// As [`slice`](Self::slice).
            #[track_caller]
            pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T, 1 $(, $group)?> {
                let whole = self.whole_mut();
                whole.at((0, whole.flat("slice_mut"))).into_rows("slice_mut", range)
            }

            /// Borrows all elements for writing, in one dimension and in row-major order.
            ///
            /// # Panics
            /// As [`as_slice`](Self::as_slice).
            #[track_caller]
            pub fn as_mut_slice(&mut self) -> SliceMut<'_, T, 1 $(, $group)?> {
                let whole = self.whole_mut();
                whole.at((0, whole.flat("as_mut_slice")))
            }

            /// Borrows some rows for writing. See [`rows`](Self::rows).
            ///
            /// # Panics
            /// Panics if the range is out of bounds.
            #[track_caller]
            pub fn rows_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T, D $(, $group)?> {
                self.whole_mut().into_rows("rows_mut", range)
            }

            /// Borrows a rectangle of a grid for writing. See [`part`](Self::part).
            ///
            /// # Panics
            /// Panics if a range is out of bounds.
            #[track_caller]
            pub fn part_mut(&mut self, ranges: impl Ranges<D>) -> SliceMut<'_, T, D $(, $group)?> {
                let whole = self.whole_mut();
                whole.at(whole.layout().parts(&ranges.bounds(), Caller::new::<T>("part_mut")))
            }

            /// Splits at `mid` into two parts that can be written at the same time: the elements
            /// before `mid`, and the rest; of a grid, the rows.
            ///
            /// # Panics
            /// Panics if `mid` is greater than the number of elements or rows.
            #[track_caller]
            pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T, D $(, $group)?>, SliceMut<'_, T, D $(, $group)?>) {
                let whole = self.whole_mut();
                whole.halves(whole.layout().split(0, mid, Caller::new::<T>("split_at_mut")))
            }

            /// Splits along dimension `dim`, counted from 0, into two parts that can be written at
            /// the same time. See [`split_dim_at`](Self::split_dim_at).
            ///
            /// # Panics
            /// Panics if there is no such dimension, or if `mid` is greater than its length.
            #[track_caller]
            pub fn split_dim_at_mut(&mut self, dim: usize, mid: usize) -> (SliceMut<'_, T, D $(, $group)?>, SliceMut<'_, T, D $(, $group)?>) {
                let whole = self.whole_mut();
                whole.halves(whole.layout().split(dim, mid, Caller::new::<T>("split_dim_at_mut")))
            }

            /// Returns the parts of `size` elements, in order, all of which can be written at the
            /// same time; of a grid, of `size` rows. The last part may have fewer.
            ///
            /// # Panics
            /// Panics if `size` is 0.
            #[track_caller]
            pub fn chunks_mut(
                &mut self,
                size: usize,
            ) -> impl DoubleEndedIterator<Item = SliceMut<'_, T, D $(, $group)?>> + ExactSizeIterator {
                let whole = self.whole_mut();
                whole.layout().chunks(size, Caller::new::<T>("chunks_mut")).map(move |chunk| whole.at(chunk))
            }
        }
    )* };
}
unique_parts! {
    impl ['a] [const G] SliceMut<'a, T, D, G>;
    impl [] [] Buffer<T, D> where T: DeviceCopy;
}

impl<'a, T, const D: usize, const G: usize> Slice<'a, T, D, G> {
    /// [`rows`](Self::rows) for this function.
    #[track_caller]
    pub(crate) fn rows_for(&self, function: &'static str, range: impl RangeBounds<usize>) -> Self {
        self.at(self.layout().parts(&[ends(&range)], Caller::new::<T>(function)))
    }

    fn halves(&self, [first, second]: [(usize, Layout<D>); 2]) -> (Self, Self) {
        (self.at(first), self.at(second))
    }
}

impl<'a, T, const D: usize, const G: usize> SliceMut<'a, T, D, G> {
    /// [`rows_mut`](Self::rows_mut) for this function, for as long as this view.
    #[track_caller]
    pub(crate) fn into_rows(self, function: &'static str, range: impl RangeBounds<usize>) -> Self {
        self.at(self.layout().parts(&[ends(&range)], Caller::new::<T>(function)))
    }

    fn halves(&self, [first, second]: [(usize, Layout<D>); 2]) -> (Self, Self) {
        (self.at(first), self.at(second))
    }
}
