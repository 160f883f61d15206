//! The ways in which right kernels index their buffers: each must go on being accepted. [`plain`]
//! has the same functions without `#[kernel]`, as ordinary Rust that runs one iteration after the
//! other.

use anabranch::prelude::*;

/// Fills a part of a buffer.
#[device]
pub fn fill(x: &mut [f32], v: f32) {
    for k in 0..x.len() {
        x[k] = v;
    }
}

/// Each as a kernel here and as an ordinary function in `plain`.
macro_rules! patterns {
    ($($(#[doc = $doc:literal])* fn $name:ident($($params:tt)*) $body:block)*) => {
        $(patterns! { one $(#[doc = $doc])* #[kernel], $name($($params)*) $body })*

        /// The same without a device.
        #[allow(clippy::manual_swap, clippy::needless_range_loop, clippy::ptr_arg, reason = "they read as the kernels do")]
        pub mod plain {
            use super::{fill, par::par};
            $(patterns! { one $(#[doc = $doc])*, $name($($params)*) $body })*
        }

        super::sources! { $($name),* }
    };
    (one $(#[$attr:meta])*, $name:ident ($($params:tt)*) $body:block) => {
        $(#[$attr])*
        pub fn $name($($params)*) $body
    };
}

patterns! {
    /// From the other end.
    fn reversed(y: &mut [f32], x: &[f32]) {
        let n = x.len();
        for i in par(0..n) {
            y[n - 1 - i] = x[i];
        }
    }

    /// Both ends at once.
    fn reversed_in_place(x: &mut [f32]) {
        let n = x.len();
        for i in par(0..n / 2) {
            let t = x[i];
            x[i] = x[n - 1 - i];
            x[n - 1 - i] = t;
        }
    }

    /// A stage of a Fourier transform, over blocks and in them.
    fn butterflies(x: &mut [f32], half: usize) {
        let n = x.len();
        for (block, t) in par((0..n / (2 * half), 0..half)) {
            let i = block * 2 * half + t;
            let j = i + half;
            let (a, b) = (x[i], x[j]);
            x[i] = a + b;
            x[j] = a - b;
        }
    }

    /// Every second element, from its neighbours.
    fn red_black(x: &mut [f32], color: usize) {
        let n = x.len();
        for i in par((1 + color..n - 1).step_by(2)) {
            x[i] = 0.5 * (x[i - 1] + x[i + 1]);
        }
    }

    /// Blocks, of which the last may be shorter: a check.
    fn blocks(y: &mut [f32], b: usize) {
        let n = y.len();
        for k in par(0..n.div_ceil(b)) {
            for j in 0..b {
                let i = k * b + j;
                if i < n {
                    y[i] = 1.0;
                }
            }
        }
    }

    /// Blocks, of which the last may be shorter: a minimum.
    fn blocks_to_the_end(y: &mut [f32], b: usize) {
        let n = y.len();
        for k in par(0..n.div_ceil(b)) {
            for i in k * b..(k * b + b).min(n) {
                y[i] = 1.0;
            }
        }
    }

    /// Two elements each.
    fn pairs(y: &mut [f32]) {
        for i in par(0..y.len() / 2) {
            let (a, b) = (2 * i, 2 * i + 1);
            y[a] = 2.0;
            y[b] = 1.0;
        }
    }

    /// The upper triangle onto the lower one.
    fn mirrored(a: &mut [f32], n: usize) {
        for (i, j) in par((0..n, 0..n)) {
            if j > i {
                a[j * n + i] = a[i * n + j];
            }
        }
    }

    /// Both triangles change places.
    fn transposed_in_place(a: &mut [f32], n: usize) {
        for (i, j) in par((0..n, 0..n)) {
            if j > i {
                (a[i * n + j], a[j * n + i]) = (a[j * n + i], a[i * n + j]);
            }
        }
    }

    /// The upper triangle onto the lower one, a row each.
    fn mirrored_by_rows(a: &mut [f32], n: usize) {
        for i in par(0..n) {
            for j in i + 1..n {
                a[j * n + i] = a[i * n + j];
            }
        }
    }

    /// A step up the tree of a scan.
    fn up_sweep(x: &mut [f32], s: usize) {
        let n = x.len();
        for i in par(0..n / (2 * s)) {
            x[(2 * i + 2) * s - 1] += x[(2 * i + 1) * s - 1];
        }
    }

    /// A flat index, taken apart and put together.
    fn flat(out: &mut [f32], w: usize) {
        for i in par(0..out.len()) {
            let (y, x) = (i / w, i % w);
            out[y * w + x] = x as f32;
        }
    }

    /// Parts of a buffer, by a device function.
    fn parts(y: &mut [f32], w: usize) {
        for r in par(0..y.len() / w) {
            fill(&mut y[r * w..(r + 1) * w], 1.0);
        }
    }

    /// Three planes, of a pixel each.
    fn planes(out: &mut [f32], w: usize, h: usize) {
        for (y, x) in par((0..h, 0..w)) {
            for c in 0..3 {
                out[c * (w * h) + y * w + x] = 1.0;
            }
        }
    }

    /// As many planes as the host says.
    fn planes_of_the_host(out: &mut [f32], w: usize, h: usize, n: usize) {
        let plane = w * h;
        for (y, x) in par((0..h, 0..w)) {
            for c in 0..n {
                out[c * plane + y * w + x] = 1.0;
            }
        }
    }

    /// From the end, in signed integers.
    fn signed(y: &mut [f32]) {
        let n = y.len() as i64;
        for i in par(0..n) {
            y[(n - 1 - i) as usize] = 1.0;
        }
    }

    /// A window of 32-bit integers, clamped at the edges.
    fn clamped_window(out: &mut [f32], src: &[f32], w: i32, h: i32) {
        for (y, x) in par((0..h, 0..w)) {
            let mut s = 0.0;
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let (yy, xx) = ((y + dy).clamp(0, h - 1), (x + dx).clamp(0, w - 1));
                    s += src[(yy * w + xx) as usize];
                }
            }
            out[(y * w + x) as usize] = s;
        }
    }

    /// Odd elements, counted in `u32`.
    fn odd_elements(out: &mut [f32], n: u32) {
        for i in par(0..n) {
            out[i as usize * 2 + 1] = 1.0;
        }
    }

    /// Ghost columns: each row wraps around.
    fn ghost_columns(a: &mut [f32], w: usize, h: usize) {
        for y in par(0..h) {
            a[y * w] = a[y * w + w - 2];
            a[y * w + w - 1] = a[y * w + 1];
        }
    }

    /// Three components each.
    fn triples(y: &mut [f32], x: &[f32], n: usize) {
        for i in par(0..n) {
            for k in 0..3 {
                let j = i * 3 + k;
                y[j] = x[j] * 2.0;
            }
        }
    }

    /// A sum as a tree, a launch a level.
    fn tree_sum(x: &mut [f32]) {
        let mut s = x.len() / 2;
        while s > 0 {
            for i in par(0..s) {
                x[i] += x[i + s];
            }
            s /= 2;
        }
    }

    /// A scan of as many rounds as bits.
    fn scan(a: &mut [f32], b: &mut [f32]) {
        let n = a.len();
        let mut s = 1;
        while s < n {
            for i in par(0..n) {
                b[i] = if i >= s { a[i] + a[i - s] } else { a[i] };
            }
            for i in par(0..n) {
                a[i] = b[i];
            }
            s *= 2;
        }
    }

    /// Neighbours in order, of one parity.
    fn odd_even(x: &mut [i32], phase: usize) {
        let n = x.len();
        for i in par(0..(n - phase) / 2) {
            let a = 2 * i + phase;
            if x[a] > x[a + 1] {
                (x[a], x[a + 1]) = (x[a + 1], x[a]);
            }
        }
    }

    /// A flat index, taken apart into three.
    fn flat_in_three(out: &mut [f32], w: usize, h: usize) {
        for i in par(0..out.len()) {
            let z = i / (w * h);
            let y = (i / w) % h;
            let x = i % w;
            out[(z * h + y) * w + x] += (z * 100 + y * 10 + x) as f32;
        }
    }

    /// A half of what a step goes over.
    fn halved_steps(y: &mut [f32], x: &[f32]) {
        for i in par((1..x.len() - 1).step_by(2)) {
            y[i / 2] = x[i] + x[i + 1];
        }
    }

    /// A stage of a Fourier transform, by quotient and remainder.
    fn butterflies_by_quotients(x: &mut [f32], half: usize) {
        let n = x.len();
        for t in par(0..n / 2) {
            let i = (t / half) * 2 * half + t % half;
            let j = i + half;
            let (a, b) = (x[i], x[j]);
            x[i] = a + b;
            x[j] = a - b;
        }
    }

    /// A stage of a bitonic merge, by a mask.
    fn merged_by_mask(x: &mut [f32], half: usize) {
        let n = x.len();
        for t in par(0..n / 2) {
            let i = 2 * t - (t & (half - 1));
            let j = i + half;
            if x[i] > x[j] {
                (x[i], x[j]) = (x[j], x[i]);
            }
        }
    }

    /// A step of a bitonic sort.
    fn bitonic(x: &mut [f32], j: usize, k: usize) {
        let n = x.len();
        for i in par(0..n) {
            let l = i ^ j;
            if l > i && ((i & k == 0) == (x[i] > x[l])) {
                (x[i], x[l]) = (x[l], x[i]);
            }
        }
    }

    /// Neighbours change places on the way.
    fn swapped_neighbours(y: &mut [f32], x: &[f32]) {
        for i in par(0..y.len()) {
            y[i ^ 1] = x[i];
        }
    }

    /// Four elements each, by their bits.
    fn by_bits(y: &mut [f32]) {
        for i in par(0..y.len() / 4) {
            for k in 0..4 {
                y[(i << 2) | k] += k as f32;
            }
        }
    }

    /// The elements of one color, from neighbours of the other one.
    fn red_black_of_a_plane(a: &mut [f32], w: usize, h: usize, color: usize) {
        for (y, x) in par((1..h - 1, 1..w - 1)) {
            if (x + y) % 2 == color {
                a[y * w + x] =
                    0.25 * (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]);
            }
        }
    }

    /// The same over the whole plane: of its inside, whose condition comes before that of the
    /// color.
    fn red_black_inside(a: &mut [f32], w: usize, h: usize, color: usize) {
        for (y, x) in par((0..h, 0..w)) {
            if x > 0 && x + 1 < w && y > 0 && y + 1 < h && (x + y) % 2 == color {
                a[y * w + x] =
                    0.25 * (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]);
            }
        }
    }

    /// Pairs, with the condition of their places after that of the end, and before it.
    fn pairs_inside(a: &mut [f32], from: usize) {
        let n = a.len();
        for i in par(0..n) {
            if i + 1 < n && i % 2 == from {
                a[i] += a[i + 1];
            }
        }
        for i in par(0..n) {
            if i % 2 == from && !(i + 1 >= n || i / 2 % 2 == 1) {
                a[i + 1] -= 0.5 * a[i];
            }
        }
    }

    /// A step of an elimination.
    fn eliminated(a: &mut [f32], n: usize, k: usize) {
        for (i, j) in par((k + 1..n, k + 1..n)) {
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }

    /// The right half of each row onto the left one.
    fn halves_of_rows(a: &mut [f32], w: usize, h: usize) {
        for (y, x) in par((0..h, 0..w / 2)) {
            a[y * w + x] += a[y * w + x + w / 2];
        }
    }

    /// Ghost rows: each column wraps around.
    fn ghost_rows(a: &mut [f32], w: usize, h: usize) {
        for x in par(0..w) {
            a[x] = a[(h - 2) * w + x];
            a[(h - 1) * w + x] = a[w + x];
        }
    }

    /// As many threads as the host says.
    fn grid_stride(y: &mut [f32], threads: usize) {
        let n = y.len();
        for t in par(0..threads) {
            for k in (t..n).step_by(threads) {
                y[k] += 1.0;
            }
        }
    }

    /// Of a plane of iterations, those of the diagonal.
    fn diagonal(x: &mut [f32], n: usize) {
        for (i, j) in par((0..n, 0..n)) {
            if i == j {
                x[i] += (i + 2 * j) as f32;
            }
        }
    }

    /// A histogram for each chunk.
    fn histograms(h: &mut [u32], x: &[u8], chunk: usize) {
        for b in par(0..h.len() / 256) {
            for k in 0..chunk {
                h[b * 256 + (x[b * chunk + k] as usize & 255)] += 1;
            }
        }
    }
}

/// Blocks whose size is a parameter of the type.
#[kernel]
pub fn blocks_of<const N: usize>(y: &mut [f32]) {
    for i in par(0..y.len() / N) {
        for k in 0..N {
            y[i * N + k] = 1.0;
        }
    }
}

/// What `par` goes over, one after the other.
pub(super) mod par {
    use std::iter::StepBy;
    use std::ops::Range;

    pub(in super::super) trait Ranges {
        type Values: IntoIterator;
        fn values(self) -> Self::Values;
    }

    impl<T> Ranges for Range<T>
    where
        Range<T>: Iterator,
    {
        type Values = Self;
        fn values(self) -> Self {
            self
        }
    }

    impl<T> Ranges for StepBy<Range<T>>
    where
        StepBy<Range<T>>: Iterator,
    {
        type Values = Self;
        fn values(self) -> Self {
            self
        }
    }

    impl<A: Iterator<Item: Copy>, B: Iterator + Clone> Ranges for (A, B) {
        type Values = Vec<(A::Item, B::Item)>;
        fn values(self) -> Self::Values {
            self.0.flat_map(|a| self.1.clone().map(move |b| (a, b))).collect()
        }
    }

    impl<A: Iterator<Item: Copy>, B: Iterator<Item: Copy> + Clone, C: Iterator<Item: Copy> + Clone> Ranges for (A, B, C) {
        type Values = Vec<(A::Item, B::Item, C::Item)>;
        fn values(self) -> Self::Values {
            (self.0, (self.1, self.2).values().into_iter()).values().into_iter().map(|(a, (b, c))| (a, b, c)).collect()
        }
    }

    pub(in super::super) fn par<R: Ranges>(ranges: R) -> R::Values {
        ranges.values()
    }
}
