//! Grids: indexes with two and three components. [`plain`] has the same functions without
//! `#[kernel]`, as ordinary Rust.

use anabranch::prelude::*;

use super::structs::{Particle, Vec3};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Grids of the host, with the same indexes.
pub mod host {
    use std::ops::{Index, IndexMut};

    /// Elements in row-major order.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Grid<T, const D: usize> {
        /// The elements.
        pub values: Vec<T>,
        shape: [usize; D],
    }

    impl<T, const D: usize> Grid<T, D> {
        /// The elements by their indexes.
        pub fn from_fn(shape: [usize; D], of: impl Fn(usize) -> T) -> Self {
            Self { values: (0..shape.iter().product()).map(of).collect(), shape }
        }

        /// The number of elements along each dimension.
        pub fn shape(&self) -> [usize; D] {
            self.shape
        }

        /// The number of elements.
        pub fn len(&self) -> usize {
            self.values.len()
        }

        /// Whether there are none.
        pub fn is_empty(&self) -> bool {
            self.values.is_empty()
        }

        fn place(&self, index: [usize; D]) -> usize {
            index.iter().zip(self.shape).fold(0, |place, (&index, len)| {
                assert!(index < len);
                place * len + index
            })
        }
    }

    impl<T, const D: usize> Index<[usize; D]> for Grid<T, D> {
        type Output = T;
        fn index(&self, index: [usize; D]) -> &T {
            &self.values[self.place(index)]
        }
    }

    impl<T, const D: usize> IndexMut<[usize; D]> for Grid<T, D> {
        fn index_mut(&mut self, index: [usize; D]) -> &mut T {
            let place = self.place(index);
            &mut self.values[place]
        }
    }
}

/// Each as a kernel or device function here and as an ordinary function in `plain`.
macro_rules! kernels {
    (
        device { $($(#[doc = $of_device:literal])* fn $device:ident($($taken:tt)*) -> $result:ty $code:block)* }
        $($(#[doc = $doc:literal])* fn $name:ident($($params:tt)*) $body:block)*
    ) => {
        $(
            $(#[doc = $of_device])*
            #[device]
            pub fn $device($($taken)*) -> $result $code
        )*
        $(
            $(#[doc = $doc])*
            #[kernel]
            pub fn $name($($params)*) $body
        )*

        /// The same without a device.
        #[allow(clippy::needless_range_loop, clippy::ptr_arg, clippy::needless_borrow, reason = "they read as the kernels do")]
        pub mod plain {
            use super::super::patterns::par::par;
            use super::host::Grid;
            use super::{Particle, Vec3};
            $(
                $(#[doc = $of_device])*
                pub fn $device($($taken)*) -> $result $code
            )*
            $(
                $(#[doc = $doc])*
                pub fn $name($($params)*) $body
            )*
        }

        super::sources! { $($name,)* counted, heat_of_slices, halves, of_rows, raised, reads_at, writes_at, shapes_of_others, many, counts }
    };
}

kernels! {
    device {
    /// The neighbours of an element, around the edges.
    fn around(g: &Grid<f32, 2>, [y, x]: [usize; 2]) -> f32 {
        let [h, w] = g.shape();
        let at = [(y + 1) % h, x];
        g[at] + g[[(y + h - 1) % h, x]] + g[[y, (x + 1) % w]] + g[[y, (x + g.shape()[1] - 1) % w]]
    }
    }

    /// A step of the heat equation.
    fn heat(from: &Grid<f32, 2>, to: &mut Grid<f32, 2>, c: f32) {
        let [h, w] = from.shape();
        for (y, x) in par((1..h.max(1) - 1, 1..w.max(1) - 1)) {
            let near = from[[y - 1, x]] + from[[y + 1, x]] + from[[y, x - 1]] + from[[y, x + 1]];
            to[[y, x]] = from[[y, x]] + c * (near - 4.0 * from[[y, x]]);
        }
    }

    /// Rows to columns.
    fn transpose(from: &Grid<u32, 2>, to: &mut Grid<u32, 2>) {
        for (y, x) in par((0..from.shape()[0], 0..from.shape()[1])) {
            to[[x, y]] = from[[y, x]];
        }
    }

    /// The same in place: an element below the diagonal and one above it.
    fn transpose_in_place(a: &mut Grid<i32, 2>) {
        for (y, x) in par((0..a.shape()[0], 0..a.shape()[0])) {
            if x < y {
                let below = a[[y, x]];
                a[[y, x]] = a[[x, y]];
                a[[x, y]] = below;
            }
        }
    }

    /// Sums along rows: an iteration has a row of its own.
    fn along_rows(a: &mut Grid<i64, 2>) {
        for y in par(0..a.shape()[0]) {
            for x in 1..a.shape()[1] {
                a[[y, x]] += a[[y, x - 1]];
            }
            a[[y, 0]] -= a[[y, a.shape()[1] - 1]];
        }
    }

    /// Sums along columns: an iteration has a column of its own.
    fn along_columns(a: &mut Grid<i64, 2>) {
        for x in par(0..a.shape()[1]) {
            for y in 1..a.shape()[0] {
                a[[y, x]] += a[[y - 1, x]];
            }
            a[[0, x]] -= a[[a.shape()[0] - 1, x]];
        }
    }

    /// Sums along a diagonal of planes: only the middle dimension tells iterations apart.
    fn along_planes(a: &mut Grid<i32, 3>) {
        let [d, h, w] = a.shape();
        for y in par(0..h) {
            for z in 1..d {
                for x in 1..w {
                    a[[z, y, x]] += a[[z - 1, y, x - 1]];
                }
            }
        }
    }

    /// Three dimensions, and an index that runs backwards.
    fn volume(from: &Grid<u16, 3>, to: &mut Grid<u16, 3>) {
        let [d, h, w] = from.shape();
        for (z, y, x) in par((0..d, 0..h, 0..w)) {
            to[[z, h - 1 - y, x]] = from[[d - 1 - z, y, w - 1 - x]] + z as u16;
        }
    }

    /// Loop variables of other types.
    fn other_integers(from: &Grid<u32, 2>, to: &mut Grid<u32, 2>, w: u32) {
        for (y, x) in par((0..from.shape()[0] as i32, 0..w)) {
            to[[y as usize, x as usize]] = from[[y as usize, (w - 1 - x) as usize]];
        }
    }

    /// Elements chosen by others, and indexes in variables.
    fn gather(from: &Grid<f32, 2>, column: &[u32], to: &mut Grid<f32, 2>) {
        let [h, w] = to.shape();
        for (y, x) in par((0..h, 0..w)) {
            let p = [y, column[x] as usize];
            let q = [y, x];
            to[q] = from[p] + from[[y, column[w - 1 - x] as usize]];
        }
    }

    /// A row of its own, and any column in it.
    fn scatter_in_rows(column: &[u32], to: &mut Grid<u32, 2>) {
        for y in par(0..to.shape()[0]) {
            to[[y, column[y] as usize]] = y as u32;
            let w = to.shape()[1];
            to[[y, (y * y + column[y] as usize) % w]] += 100;
        }
    }

    /// Every other element from those between.
    fn red_and_black(a: &mut Grid<f32, 2>) {
        let [h, w] = a.shape();
        for (y, x) in par((0..h, (1..w - 1).step_by(2))) {
            a[[y, x]] = 0.5 * (a[[y, x - 1]] + a[[y, x + 1]]);
        }
    }

    /// Parts of elements.
    fn fields(a: &mut Grid<Particle, 2>, b: &Grid<[f32; 3], 2>) {
        for (y, x) in par((0..a.shape()[0], 0..a.shape()[1])) {
            a[[y, x]].pos.x += b[[y, x]][x % 3];
            a[[y, x]].pairs[y % 3].1 += a[[y, x]].float as u32;
            let Vec3 { x: u, .. } = a[[y, x]].pos;
            a[[y, x]].velocity.y -= u as f64;
        }
    }

    /// Grids and elements of grids to functions.
    fn neighbours(a: &Grid<f32, 2>, b: &mut Grid<f32, 2>) {
        for (y, x) in par((0..a.shape()[0], 0..a.shape()[1])) {
            b[[y, x]] += around(&a, [y, x]) + around(a, [a.shape()[0] - 1 - y, x]);
        }
    }

    /// Grids of several shapes, and a slice.
    fn several(a: &Grid<i32, 2>, b: &Grid<i32, 3>, c: &mut [i32], d: &mut Grid<i32, 2>) {
        let [h, w] = d.shape();
        for (y, x) in par((0..h, 0..w)) {
            d[[y, x]] = a[[x, y]] + b[[y % 2, x, y]] + (a.len() + b.len()) as i32;
            c[y * w + x] = d[[y, x]] - if d.is_empty() { 1 } else { 0 };
        }
    }
}

/// [`heat()`] by hand, with a row length for each slice: what a grid must not cost more than.
#[kernel]
pub fn heat_of_slices(from: &[f32], to: &mut [f32], h: usize, w: usize, v: usize, c: f32) {
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        let near = from[(y - 1) * w + x] + from[(y + 1) * w + x] + from[y * w + x - 1] + from[y * w + x + 1];
        to[y * v + x] = from[y * w + x] + c * (near - 4.0 * from[y * w + x]);
    }
}

/// Any type of numbers.
#[kernel]
pub fn scaled<T: Num>(a: &mut Grid<T, 2>, by: T) {
    for (y, x) in par((0..a.shape()[0], 0..a.shape()[1])) {
        a[[y, x]] = a[[y, x]] * by;
    }
}

/// Atomics: how often each pair occurs.
#[kernel]
pub fn counted(pairs: &[[u32; 2]], count: &Grid<AtomicU32, 2>) {
    for i in par(0..pairs.len()) {
        let [y, x] = pairs[i];
        add(&count, y as usize, x as usize);
        count[[0, 0]].fetch_add(1, Relaxed);
    }
}

/// Counts one.
#[device]
pub fn add(count: &Grid<AtomicU32, 2>, y: usize, x: usize) {
    count[[y, x]].fetch_add(1, Relaxed);
}

/// The upper and the lower rows in groups.
#[kernel]
pub fn halves(a: &mut Grid<u32, 2>, at: usize, other: &Grid<u32, 2>) {
    let (upper, lower) = a.split_at_mut(at);
    let (first, _) = other.split_at(at);
    stream_parallel! {
        'upper: {
            let [h, w] = upper.shape();
            for (y, x) in par((0..h, 0..w)) { upper[[y, x]] += lower.shape()[0] as u32 + first[[y, x]]; }
        }
        'lower: {
            for (y, x) in par((0..lower.shape()[0], 0..lower.shape()[1])) { lower[[y, x]] = 7 * lower[[y, x]]; }
        }
    }
}

/// Every element gets the index of its row.
#[kernel]
pub fn of_rows(a: &mut Grid<u32, 2>) {
    for (y, x) in par((0..a.shape()[0], 0..a.shape()[1])) {
        a[[y, x]] = y as u32;
    }
}

/// Adds to all elements of a row.
#[device]
pub fn raise(a: &mut Grid<u32, 3>, z: usize) -> usize {
    let [_, h, w] = a.shape();
    for y in 0..h {
        for x in 0..w {
            a[[z, y, x]] += 1;
        }
    }
    a.len()
}

/// A whole grid to a function that writes it.
#[kernel]
pub fn raised(a: &mut Grid<u32, 3>) {
    for i in par(0..1) {
        let n = raise(&mut a, i) + raise(&mut a, a.shape()[0] - 1);
        a[[0, 0, 0]] = n as u32;
    }
}

/// Reads an element that may not be there.
#[kernel]
pub fn reads_at(a: &Grid<u32, 2>, y: usize, x: usize, out: &mut [u32]) {
    for i in par(0..out.len()) {
        if i == 1 {
            out[i] = a[[y, x]];
        }
    }
}

/// Writes an element that may not be there, of three dimensions.
#[kernel]
pub fn writes_at(a: &mut Grid<u32, 3>, at: &[usize]) {
    for _ in par(0..1) {
        a[[at[0], at[1], at[2]]] = 9;
    }
}

/// A user's variables called as parts of grids are.
#[kernel]
pub fn shapes_of_others(a: &Grid<u32, 2>, a_0: u32, shape: usize, out: &mut [u32]) {
    let w = 1;
    for i in par(0..out.len()) {
        let [a_1, __a_1] = a.shape();
        out[i] = a[[shape, w]] + a_0 + (a_1 * 10 + __a_1) as u32;
    }
}

/// The sum of nineteen grids, as in a lattice Boltzmann method: more lengths and strides than the
/// launch computes with.
#[kernel]
pub fn many(
    f0: &Grid<f32, 3>,
    f1: &Grid<f32, 3>,
    f2: &Grid<f32, 3>,
    f3: &Grid<f32, 3>,
    f4: &Grid<f32, 3>,
    f5: &Grid<f32, 3>,
    f6: &Grid<f32, 3>,
    f7: &Grid<f32, 3>,
    f8: &Grid<f32, 3>,
    f9: &Grid<f32, 3>,
    f10: &Grid<f32, 3>,
    f11: &Grid<f32, 3>,
    f12: &Grid<f32, 3>,
    f13: &Grid<f32, 3>,
    f14: &Grid<f32, 3>,
    f15: &Grid<f32, 3>,
    f16: &Grid<f32, 3>,
    f17: &Grid<f32, 3>,
    f18: &Grid<f32, 3>,
    sum: &mut Grid<f32, 3>,
) {
    let [d, h, w] = sum.shape();
    for (z, y, x) in par((0..d, 0..h, 0..w)) {
        let at = [z, y, x];
        sum[[z, y, x]] = f0[at]
            + f1[at]
            + f2[at]
            + f3[at]
            + f4[at]
            + f5[at]
            + f6[at]
            + f7[at]
            + f8[at]
            + f9[at]
            + f10[at]
            + f11[at]
            + f12[at]
            + f13[at]
            + f14[at]
            + f15[at]
            + f16[at]
            + f17[at]
            + f18[at];
    }
}

/// The bin of a value, of four.
#[device]
pub fn bin_of(value: u32) -> usize {
    (value / 7 % 4) as usize
}

/// A histogram of each row: the row tells iterations apart, and only the device knows the bin.
#[kernel]
pub fn counts(values: &Grid<u32, 2>, counts: &mut Grid<u32, 2>) {
    let [h, w] = values.shape();
    for y in par(0..h) {
        for x in 0..w {
            counts[[y, bin_of(values[[y, x]])]] += 1;
        }
        counts[[y, 4]] = counts[[y, 0]] + values[[y, 0]] % 2;
    }
}
