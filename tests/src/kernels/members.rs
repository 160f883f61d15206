//! Indexes that are made of parts of host values, and of the numbers of tables.

use anabranch::prelude::*;

/// A size with names.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Columns.
    pub w: usize,
    /// Rows, and a name that needs the `r#`.
    pub r#in: usize,
    /// The first column and row, in another type.
    pub first: [i32; 2],
}

/// A size, of a generic type.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside<T> {
    /// The size.
    pub size: T,
    /// No integer.
    pub scale: f32,
}

/// Its operator gives another element than the brackets of an array.
#[device]
#[derive(Clone, Copy)]
pub struct Swapped(pub [usize; 2]);

#[device]
impl std::ops::Index<usize> for Swapped {
    type Output = usize;
    fn index(&self, at: usize) -> &usize {
        &self.0[1 - at]
    }
}

/// The neighbours of a cell.
pub const NEIGHBOURS: [[i32; 2]; 5] = [[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]];
/// The same as pairs, with weights.
pub const WEIGHTED: [(i32, i32, f32); 5] = [(0, 0, 2.0), (0, 1, 0.5), (0, -1, 0.25), (1, 0, 0.125), (-1, 0, 1.0)];

/// The fields of a tuple.
#[kernel]
pub fn of_a_tuple(y: &mut [f32], dims: (usize, usize)) {
    for (row, column) in par((0..dims.1, 0..dims.0)) {
        y[row * dims.0 + column] += 1.0;
    }
}

/// The elements of an array.
#[kernel]
pub fn of_an_array(y: &mut [f32], shape: [usize; 3]) {
    for (a, b, c) in par((0..shape[0], 0..shape[1], 0..shape[2])) {
        let [_, rows, columns] = shape;
        y[(a * rows + b) * columns + c] += 1.0;
    }
}

/// The fields of a struct, in a struct, with casts.
#[kernel]
pub fn of_a_struct(y: &mut [f32], inside: Inside<Size>) {
    for (row, column) in par((0..inside.size.r#in, 0..inside.size.w)) {
        let size = inside.size;
        let (y0, x0) = (inside.size.first[1], size.first[0]);
        y[(row as i32 + y0) as usize * size.w + (column as i32 + x0) as usize] += inside.scale;
    }
}

/// An index operator of the user's.
#[kernel]
pub fn of_an_index_operator(y: &mut [f32], dims: Swapped) {
    for (row, column) in par((0..3usize, 0..2usize)) {
        y[row * dims[1] + column] += 1.0;
    }
}

/// Numbers of a table in an index.
#[kernel]
pub fn of_a_table(y: &mut [f32], x: &[f32], w: usize, h: usize) {
    for (row, column) in par((1..h - 1, 1..w - 1)) {
        let mut sum = 0.0;
        for k in 0..5 {
            let [dy, dx] = NEIGHBOURS[k];
            sum += x[(row as i32 + dy) as usize * w + (column as i32 + dx) as usize];
        }
        y[row * w + column] = sum;
    }
}

/// Of a table of tuples, without a loop of indexes.
#[kernel]
pub fn of_a_list(y: &mut [f32], x: &[f32], w: usize, h: usize) {
    for (row, column) in par((1..h as i32 - 1, 1..w as i32 - 1)) {
        let mut sum = 0.0;
        for (dy, dx, weight) in WEIGHTED {
            sum += weight * x[(row + dy) as usize * w + (column + dx) as usize];
        }
        y[row as usize * w + column as usize] = sum;
    }
}

/// Of a table of the host part, with an index that data gives.
#[kernel]
pub fn of_a_table_of_the_host(y: &mut [f32], x: &[f32], which: &[u8], starts: [u32; 4]) {
    for i in par(0..y.len()) {
        y[i] = x[starts[which[i] as usize] as usize + i];
    }
}

/// The parts of variables of the body.
#[kernel]
pub fn of_variables(y: &mut [f32], x: &[f32], w: usize, h: usize) {
    for (row, column) in par((1..h, 0..w)) {
        let at = [row, column];
        let place = (at[0] * w, at[1]);
        y[place.0 + place.1] = x[(at[0] - 1) * w + place.1];
    }
}

super::sources! {
    of_variables, of_a_tuple, of_an_array, of_a_struct, of_an_index_operator, of_a_table, of_a_list, of_a_table_of_the_host,
}
