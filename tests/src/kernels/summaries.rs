//! Indexes that device functions compute, and accesses in device functions: the launch decides them
//! as if they stood in the loop.

use anabranch::prelude::*;

/// Helpers of another module.
pub mod layout {
    use anabranch::prelude::*;

    /// An element of a matrix.
    #[device]
    pub fn at(y: usize, x: usize, w: usize) -> usize {
        y * w + x
    }

    /// The same of several: a function calls another.
    #[device]
    pub fn at3(z: usize, y: usize, x: usize, h: usize, w: usize) -> usize {
        let row = z * h + y;
        at(row, x, w)
    }
}

use layout::at;

/// Five points around an element.
#[device]
pub fn laplace(x: &[i32], i: usize, w: usize) -> i32 {
    x[i - 1] + x[i + 1] + x[i - w] + x[i + w] - 4 * x[i]
}

/// A function between the loop and the accesses.
#[device]
pub fn stepped(x: &[i32], y: usize, c: usize, w: usize, by: i32) -> i32 {
    by * laplace(x, at(y, c, w), w)
}

/// A stencil through two functions.
#[kernel]
pub fn stencil(x: &[i32], y: &mut [i32], w: usize, h: usize, by: i32) {
    for (r, c) in par((1..h - 1, 1..w - 1)) {
        y[at(r, c, w)] = stepped(&x, r, c, w, by);
    }
}

/// Three ranges, through functions that call functions.
#[kernel]
pub fn volume(x: &mut [u32], d: usize, h: usize, w: usize) {
    for (z, r, c) in par((0..d, 0..h, 0..w)) {
        let i = layout::at3(z, r, c, h, w);
        x[i] += 1 + i as u32;
    }
}

/// The sum of a part of a slice, which is lent as a part of that.
#[device]
pub fn sum_of(x: &[i32], first: usize, len: usize) -> i32 {
    let part = sum_all(&x[first..first + len]);
    part + x[first]
}

/// The sum of all elements.
#[device]
pub fn sum_all(x: &[i32]) -> i32 {
    let mut sum = 0;
    for k in 0..x.len() {
        sum += x[k];
    }
    sum
}

/// Rows through parts of parts.
#[kernel]
pub fn row_sums(x: &[i32], sums: &mut [i32], w: usize) {
    for r in par(0..sums.len()) {
        sums[r] = sum_of(&x[r * w..(r + 1) * w], 1, w - 2);
    }
}

/// A row that a function writes.
#[device]
pub fn number_row(row: &mut [i32], from: i32) {
    for k in 0..row.len() {
        row[k] = from + k as i32;
    }
}

/// Each iteration lends a row of its own, whose ends a function computes.
#[kernel]
pub fn numbered_rows(x: &mut [i32], w: usize) {
    for r in par(0..x.len() / w) {
        number_row(&mut x[at(r, 0, w)..at(r, w, w)], r as i32);
    }
}

/// An element by an index that the caller may have loaded.
#[device]
pub fn pick(x: &[i32], k: usize) -> i32 {
    x[k]
}

/// What is loaded is checked in the function, and only there.
#[kernel]
pub fn gathered(x: &[i32], places: &[u32], y: &mut [i32], shift: usize) {
    for i in par(0..y.len()) {
        y[i] = pick(&x, places[i] as usize) + pick(&x, i + shift);
    }
}

/// Whose bits wrap is decided by the type of the instance.
#[device]
pub fn twice<T: Int>(k: T) -> T {
    k + k
}

/// Iterations meet where the type is too small.
#[kernel]
pub fn doubled<T: Int>(x: &mut [u32], n: usize) {
    for i in par(0..n) {
        let k: T = i.cast();
        x[twice(k).cast::<usize>()] += 1;
    }
}

/// A column by a constant of the instance.
#[device]
pub fn in_columns<const W: usize>(y: usize, x: usize) -> usize {
    y * W + x
}

/// Iterations meet where the constant is too small.
#[kernel]
pub fn columns<const W: usize>(x: &mut [u32], h: usize) {
    for (r, c) in par((0..h, 0..4)) {
        x[in_columns::<W>(r, c)] += 1;
    }
}

/// A form on one way alone: nothing is known of the result.
#[device]
pub fn clamped(k: usize, n: usize) -> usize {
    if k >= n {
        return n - 1;
    }
    k
}

/// The same as a choice, whose values the launch knows.
#[device]
pub fn chosen(k: usize, n: usize) -> usize {
    if k < n { k } else { n - 1 }
}

/// A parameter that changes is no form.
#[device]
pub fn further(mut k: usize, n: usize) -> usize {
    k = (k + 1) % n;
    k
}

/// Reads through all of them.
#[kernel]
pub fn opaque(x: &[i32], y: &mut [i32], way: u32) {
    for i in par(0..y.len()) {
        let n = x.len();
        y[i] = match way {
            0 => x[clamped(i + 3, n)],
            1 => x[chosen(i + 3, n)],
            _ => x[further(i, n)],
        };
    }
}

/// It fails before it comes to its access.
#[device]
pub fn guarded(x: &[i32], k: usize, limit: usize) -> i32 {
    assert!(k < limit, "too far");
    x[k]
}

/// Iterations beyond the limit fail, and read nothing.
#[kernel]
pub fn guards(x: &[i32], y: &mut [i32], limit: usize) {
    for i in par(0..y.len()) {
        y[i] = guarded(&x, i, limit);
    }
}

/// Ways to lay elements out.
#[device]
#[derive(Clone, Copy)]
pub struct Layout {
    /// Elements from one row to the next.
    pub pitch: u32,
}

#[device]
impl Layout {
    /// An index by numbers alone.
    pub fn place(y: u32, x: u32, pitch: u32) -> usize {
        (y * pitch + x) as usize
    }

    /// The element after one.
    pub fn next(self, x: &[i32], i: usize) -> i32 {
        x[i + 1]
    }
}

/// Methods and associated functions.
#[kernel]
pub fn methods(x: &[i32], y: &mut [i32], of: Layout, pitch: u32) {
    for (r, c) in par((0..4u32, 0..8u32)) {
        let i = Layout::place(r, c, pitch);
        y[Layout::place(r, c, 8)] = of.next(&x, i);
    }
}

/// A trait with a function of the same name as one of this module.
#[device]
pub trait Place {
    /// Not `at` of the module.
    fn at(self, w: usize) -> usize;
}

#[device]
impl Place for u32 {
    fn at(self, w: usize) -> usize {
        self as usize + w
    }
}

/// A function that hides another, a method of its name, and a variable of the name of a function.
#[kernel]
pub fn shadowed(x: &[i32], y: &mut [i32], w: usize) {
    use in_reverse::at;
    for i in par(0..y.len()) {
        let laplace = i as u32;
        y[at(i, 0, y.len())] = x[laplace.at(w)];
    }
}

/// A function of the same name as another.
pub mod in_reverse {
    use anabranch::prelude::*;

    /// From the end.
    #[device]
    pub fn at(y: usize, x: usize, n: usize) -> usize {
        n - 1 - y - x
    }
}

/// Which body it has, the configuration says.
#[cfg(not(any()))]
#[device]
pub fn configured(i: usize) -> usize {
    i + 1
}

/// This one is not there.
#[cfg(any())]
#[device]
pub fn configured(i: usize) -> usize {
    i
}

/// What a function prints does not change what it returns.
#[device]
pub fn spoken(i: usize, loud: bool) -> usize {
    if loud {
        println!("at {i}");
    }
    i + 1
}

/// Both of them, and a closure that a function calls with an index.
#[kernel]
pub fn further_on(x: &[i32], y: &mut [i32], loud: bool) {
    for i in par(0..y.len()) {
        let next = spoken(i, loud);
        y[i] = x[configured(i)] + x[spoken(i, loud)] + by_index(|k| x[k], i + 1);
        y[i] += x[next] + pick(&x, spoken(i, loud));
    }
}

/// It calls a closure.
#[device]
pub fn by_index(f: impl Fn(usize) -> i32, i: usize) -> i32 {
    f(i)
}

/// Every kernel; of generic ones an instance.
pub const SOURCES: &[super::Source] = &[
    source!("stencil through functions", stencil),
    source!("volume", volume),
    source!("row_sums", row_sums),
    source!("numbered_rows", numbered_rows),
    source!("gathered", gathered),
    source!("doubled", doubled, u8),
    source!("columns", columns, 4),
    source!("opaque", opaque),
    source!("guards", guards),
    source!("methods through functions", methods),
    source!("shadowed", shadowed),
    source!("further_on", further_on),
];
