//! What a struct implements for ordinary Rust is not for device code, which has no functions of its
//! own for it.
use anabranch::prelude::*;
use std::ops::{Index, IndexMut};

#[device]
#[derive(Clone, Copy)]
struct Row {
    cells: [f32; 4],
}

impl<I> Index<I> for Row {
    type Output = f32;
    fn index(&self, _: I) -> &f32 {
        &self.cells[0]
    }
}

impl<I> IndexMut<I> for Row {
    fn index_mut(&mut self, _: I) -> &mut f32 {
        &mut self.cells[0]
    }
}

impl<T> PartialEq<T> for Row {
    fn eq(&self, _: &T) -> bool {
        true
    }
}

#[device]
#[derive(Clone, Copy)]
struct Meters(f32);
type Feet = Meters;

#[allow(non_snake_case)]
fn Feet(x: f32) -> Feet {
    Meters(0.3048 * x)
}

#[kernel]
fn indexed(x: &mut [f32], row: Row) {
    for i in par(0..x.len()) {
        x[i] = row[1];
    }
}

#[kernel]
fn written(x: &mut [Row]) {
    for i in par(0..x.len()) {
        x[i][2] += 1.0;
    }
}

#[kernel]
fn compared(x: &mut [f32], row: Row) {
    for i in par(0..x.len()) {
        x[i] = if row == i { 1.0 } else { 0.0 };
    }
}

#[kernel]
fn converted(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = Feet(x[i]).0;
    }
}

fn main() {}
