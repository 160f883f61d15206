//! A sparse matrix times a vector.

use anabranch::prelude::*;

/// `y = A x`, where row `r` of `A` has the elements `starts[r]..starts[r + 1]` of `values`, in the
/// columns that `columns` says.
#[kernel]
pub fn spmv<T: Num>(starts: &[u32], columns: &[u32], values: &[T], x: &[T], y: &mut [T]) {
    for row in par(0..y.len()) {
        let mut sum = T::ZERO;
        for at in starts[row]..starts[row + 1] {
            sum += values[at as usize] * x[columns[at as usize] as usize];
        }
        y[row] = sum;
    }
}
