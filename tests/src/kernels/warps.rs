//! What the threads of each warp of a block compute together.

use anabranch::prelude::*;

macro_rules! folds {
    ($($name:ident $threads:tt;)*) => { $(
        /// All that warps compute of numbers.
        #[kernel]
        pub fn $name<T: Num>(x: &[T], to: &mut [T], n: usize) {
            for block in par_blocks(0..n).threads($threads) {
                let b = block.index();
                let mut own = block.each(T::ZERO);
                for t in block.threads() {
                    own = x[b * $threads + t];
                }
                let sum: T = block.warps().sum(own);
                let product = block.warps().product(own);
                let min = block.warps().min(own);
                let max = block.warps().max(own);
                let up_to = block.warps().inclusive_sum(own);
                let before = block.warps().exclusive_sum(own);
                for t in block.threads() {
                    let at = (b * $threads + t) * 6;
                    to[at] = sum;
                    to[at + 1] = product;
                    to[at + 2] = min;
                    to[at + 3] = max;
                    to[at + 4] = up_to;
                    to[at + 5] = before;
                }
            }
        }
    )* };
}
folds! {
    folds_32 32;
    folds_96 96;
    folds_1024 1024;
}

/// Votes, also of what is no variable, and in two dimensions.
#[kernel]
pub fn votes(x: &[u32], bits: &mut [u32], found: &mut [u64]) {
    for block in par_blocks(0..x.len() / 128).threads((4, 32)) {
        let b = block.index();
        let mut own = block.each(0);
        for (y, t) in block.threads() {
            own = x[(b * 4 + y) * 32 + t];
        }
        let odd: u32 = block.r#warps().ballot(own % 2 == 1);
        let any = block.warps().any(own > 900);
        let all = block.warps().all(own > 2);
        let count = block.warps().count(own % 3 == b as u32 % 3);
        for (y, t) in block.threads() {
            bits[(b * 4 + y) * 32 + t] = odd;
            found[(b * 4 + y) * 32 + t] = (count * 4 + any as usize * 2 + all as usize) as u64;
        }
    }
}

/// Values of other threads, whose numbers differ from thread to thread, are negative or too large.
#[kernel]
pub fn shuffles<T: Scalar>(x: &[T], from: &[i64], to: &mut [T]) {
    for block in par_blocks(0..to.len() / 64).threads(64) {
        let b = block.index();
        let mut own = block.each(x[0]);
        let mut lane = block.each(0);
        for t in block.threads() {
            own = x[b * 64 + t];
            lane = from[b * 64 + t];
        }
        let other = block.warps().shuffle(own, lane);
        let first = block.warps().shuffle(own, 0);
        let next = block.warps().shuffle(other, lane as u8 + 1);
        for t in block.threads() {
            to[b * 64 + t] = if t % 3 == 0 {
                first
            } else if t % 3 == 1 {
                other
            } else {
                next
            };
        }
    }
}

macro_rules! matches {
    ($($name:ident $K:ty;)*) => { $(
        /// The threads with the same key.
        #[kernel]
        pub fn $name(keys: &[$K], to: &mut [u32]) {
            for block in par_blocks(0..to.len() / 64).threads(64) {
                let b = block.index();
                let mut key = block.each(keys[0]);
                for t in block.threads() {
                    key = keys[b * 64 + t];
                }
                let same = block.warps().matching(key);
                for t in block.threads() {
                    to[b * 64 + t] = same;
                }
            }
        }
    )* };
}
matches! {
    matches_bool bool;
    matches_i8 i8;
    matches_u16 u16;
    matches_i32 i32;
    matches_u64 u64;
}

/// Each part of 32 in ascending order: a key's place is found from the bits of all, from the lowest
/// on. What is shared between the rounds is read by other warps, too.
#[kernel]
pub fn sorted(x: &mut [u16]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut keys = block.shared([0; 64]);
        let mut own = block.each(0);
        for t in block.threads() {
            own = x[b * 64 + t];
        }
        for bit in 0..16 {
            let set = block.warps().ballot(own >> bit & 1 == 1);
            for t in block.threads() {
                let below = !(!0 << (t % 32));
                let ones = (set & below).count_ones();
                let zeros = (!set & below).count_ones();
                let place = if own >> bit & 1 == 1 { (!set).count_ones() + ones } else { zeros };
                // SAFETY: the places of a warp are a permutation.
                unsafe { keys[t / 32 * 32 + place as usize] = own };
            }
            for t in block.threads() {
                own = keys[t];
            }
        }
        // The other warp's.
        for t in block.threads() {
            x[b * 64 + t] = keys[63 - t];
        }
    }
}

/// A warp for each row of a matrix with few elements in a row: a product with a vector.
#[kernel]
pub fn rows(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    for block in par_blocks(0..y.len()).threads(32) {
        let row = block.index();
        let mut sum = block.each(0.0);
        for k in block.par(starts[row] as usize..starts[row + 1] as usize) {
            sum += values[k] * x[columns[k] as usize];
        }
        let all = block.warps().sum(sum);
        for t in block.threads() {
            if t == 0 {
                y[row] = all;
            }
        }
    }
}

crate::kernels::sources! { votes, matches_bool, matches_i8, matches_u16, matches_i32, matches_u64, sorted, rows }

/// Instances of the generic kernels.
pub fn typed() -> Vec<crate::kernels::Source> {
    use anabranch::half::{bf16, f16};
    macro_rules! typed {
        ($($t:ident)*) => { vec![ $(
            source!(concat!("warps_96_", stringify!($t)), folds_96, $t),
            source!(concat!("shuffles_", stringify!($t)), shuffles, $t),
        )* ] };
    }
    let mut all = typed! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f16 bf16 f32 f64 };
    all.push(source!("shuffles_bool", shuffles, bool));
    all.push(source!("warps_32_f32", folds_32, f32));
    all.push(source!("warps_1024_f32", folds_1024, f32));
    all
}
