// Structs of slices that are used as what they are not.
use anabranch::prelude::*;

#[device]
struct Planes<'a> {
    red: &'a mut [f32],
    green: &'a [f32],
    table: [f32; 4],
    width: usize,
}

#[kernel]
fn written(p: Planes<'_>) {
    for i in par(0..p.red.len()) {
        p.width = i;
    }
}

#[kernel]
fn moved(p: Planes<'_>) {
    let planes = p;
    for i in par(0..4) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn printed(p: Planes<'_>) {
    println!("{:?}", p);
    for i in par(0..4) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn in_a_loop(p: Planes<'_>) {
    for i in par(0..4) {
        p.red[i] = sum(p);
    }
}

#[kernel]
fn without_lifetime(p: Planes) {
    for i in par(0..4) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn by_reference(p: &mut Planes<'_>) {
    for i in par(0..4) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn hidden(p: Planes<'_>) {
    for i in par(0..4) {
        let p = 1.0;
        p.red[i] = p;
    }
}

#[kernel]
fn race(p: Planes<'_>) {
    stream_parallel! {
        { for i in par(0..4) { p.red[i] = 1.0; } }
        { for i in par(0..4) { p.red[i] = p.green[i]; } }
    }
}

#[kernel]
fn race_of_all(p: Planes<'_>) {
    stream_parallel! {
        { inner(&mut p); }
        { for i in par(0..4) { p.red[i] = 1.0; } }
    }
}

#[kernel]
fn inner(p: Planes<'_>) {
    for i in par(0..4) {
        p.red[i + 1] = p.red[i];
    }
}

#[kernel]
fn lent_twice(p: Planes<'_>) {
    both(&mut p, &mut p.red);
}

#[kernel]
fn both(p: Planes<'_>, x: &mut [f32]) {
    for i in par(0..4) {
        p.red[i] = x[i];
    }
}

#[kernel]
fn lent_for_reading(p: Planes<'_>) {
    inner(&p);
    inner(p);
    for i in par(0..4) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn named(p: Planes<'_>) {
    let p·red = 1.0;
    for i in par(0..4) {
        p.red[i] = p·red;
    }
}

#[kernel]
fn hidden_by_items(p: Planes<'_>) {
    use std::primitive::{self, f32 as p};
    for i in par(0..4) {
        const p: f32 = 1.0;
        p.red[i] = p;
    }
}

#[kernel]
fn in_a_macro(p: Planes<'_>) {
    macro_rules! width {
        () => {{
            let p = Values { width: 3 };
            p.width
        }};
    }
    let width = width!();
    for i in par(0..width) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn renamed(p: Planes<'_>) {
    let red = p.red;
    for i in par(0..4) {
        red[i] = 1.0;
    }
}

#[kernel(library)]
fn of_a_library(stream: &Stream, p: Planes<'_>) {
    let _ = p.red.len();
}

#[device]
fn sum(p: Planes<'_>) -> f32 {
    p.table[0]
}

#[device]
struct Borrows<'a> {
    one: &'a f32,
    red: &'a mut [f32],
}

#[device]
struct TwoLifetimes<'a, 'b> {
    red: &'a mut [f32],
    green: &'b mut [f32],
}

#[device]
#[repr(C)]
struct WithRepr<'a> {
    red: &'a mut [f32],
}

#[device]
struct Forever<'a> {
    red: &'a mut [f32],
    green: &'static [f32],
}

#[device]
struct Unnamed<'a>(&'a mut [f32]);

fn main() {}
