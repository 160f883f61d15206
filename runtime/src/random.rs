//! Random numbers in device code, the same on every device and on the host.
//!
//! [`rng(seed, i)`](rng) is a stream of random numbers of its own for each `i`, such as the index
//! of an iteration:
//!
//! ```
//! use anabranch::prelude::*;
//! use anabranch::random::rng;
//!
//! /// How many of `points` random points of the unit square lie in the circle, for each iteration.
//! #[kernel]
//! fn hits(out: &mut [u32], seed: u64, points: u32) {
//!     for i in par(0..out.len()) {
//!         let mut rng = rng(seed, i);
//!         for _ in 0..points {
//!             let (x, y) = (rng.next_f32(), rng.next_f32());
//!             if x * x + y * y < 1.0 {
//!                 out[i] += 1;
//!             }
//!         }
//!     }
//! }
//!
//! let device = Device::cpu();
//! let mut out = device.zeros::<u32>(1000)?;
//! hits(&device.default_stream(), &mut out, 42, 100)?;
//! let pi = 4.0 * out.to_vec()?.iter().sum::<u32>() as f64 / 100_000.0;
//! assert!((pi - std::f64::consts::PI).abs() < 0.02);
//! # Ok::<(), anabranch::Error>(())
//! ```
//!
//! The generator is *counter-based*: word `k` of stream `i` is a function of the seed, `i` and `k`,
//! and of nothing else. So no buffer has to keep the state of each iteration, and results do not
//! depend on which thread runs which iteration, or how many there are. For other numbers in the
//! next launch, pass another seed (`seed + step`), or [`skip`](Rng::skip) the words that the
//! launches before have used.
//!
//! In a graph the seed is fixed, so each launch of the graph draws the same numbers. Keep the
//! [`Rng`] of each iteration, or a counter, in a buffer.
//!
//! # What is the same everywhere
//!
//! All numbers of this module are equal, bit for bit, on the CPU device, on a GPU and in plain Rust
//! on the host. So are those of [`normal_f32`](Rng::normal_f32), because it does not use the `ln`,
//! `sin` or `cos` of a platform, whose last bits differ. Later versions of this crate may change
//! what the methods make of the words. They will not change the words.
//!
//! # Which generator
//!
//! Philox 4x32 with 10 rounds, from J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random
//! numbers: as easy as 1, 2, 3" (SC11). Its authors report that it passes all tests of BigCrush
//! (TestU01), also with numbers that are taken in turn from many streams. There are 2^64 seeds with
//! 2^64 streams of 2^64 words of 32 bits. The words are those of cuRAND's
//! `curandStatePhilox4_32_10_t` after `curand_init(seed, i, 0, &state)`. [`philox4x32`] is the
//! function itself.
//!
//! The numbers are for simulations, not for secrets: anyone who has seen some of them can compute
//! the others.

use crate::device;

/// A stream of random numbers; see [`rng`].
///
/// It computes its words in blocks of four, when they are needed. In device code it is a variable.
/// It can also be an element of a buffer, so that a kernel goes on where another one has stopped;
/// [`skip`](Self::skip) does the same without memory.
#[device(crate = crate)]
#[derive(Clone, Copy, Debug)]
pub struct Rng {
    key: [u32; 2],
    /// The upper half of the counter. The lower half is the number of the block.
    stream: [u32; 2],
    /// How many words have been taken.
    position: u64,
    /// The block of the next word, unless that word begins a block.
    words: [u32; 4],
}

/// Returns the stream `i` of `seed`, at its beginning.
///
/// The streams of different seeds or of different `i` are independent, even for neighbouring
/// numbers. So count `i` from 0, and use seeds such as 1 and 2. The call itself costs nothing.
#[device(crate = crate)]
#[doc(alias("curand_init", "curand"))]
pub fn rng(seed: u64, i: usize) -> Rng {
    let i = i as u64;
    Rng { key: [seed as u32, (seed >> 32) as u32], stream: [i as u32, (i >> 32) as u32], position: 0, words: [0; 4] }
}

#[device(crate = crate)]
impl Rng {
    /// Returns the next word: 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        let at = self.position % 4;
        if at == 0 {
            self.fill();
        }
        self.position += 1;
        // No index that is a variable: on a GPU that would take the words from registers to memory.
        match at {
            0 => self.words[0],
            1 => self.words[1],
            2 => self.words[2],
            _ => self.words[3],
        }
    }

    /// Returns 64 random bits, of two words. The first word is the lower half.
    pub fn next_u64(&mut self) -> u64 {
        let low = self.next_u32() as u64;
        low | (self.next_u32() as u64) << 32
    }

    /// Returns a number from 0 to below 1, of one word. All 2^24 multiples of 2^-24 are equally
    /// likely.
    #[doc(alias("curand_uniform"))]
    pub fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// Returns a number from 0 to below 1, of two words. All 2^53 multiples of 2^-53 are equally
    /// likely.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Returns a number below `n`; all are equally likely. It uses one word. With a probability
    /// below `n` / 2^32 it needs another one.
    ///
    /// The method is from D. Lemire, "Fast random integer generation in an interval" (2019).
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "there is no number below 0");
        loop {
            let (rest, number) = self.next_u32().carrying_mul(n, 0);
            // Without the words whose rest is below 2^32 % n, each number has as many words as the
            // others. That is below n, so the division is rare.
            if rest >= n || rest >= n.wrapping_neg() % n {
                return number;
            }
        }
    }

    /// Returns a normally distributed number with mean 0 and standard deviation 1, of one word.
    ///
    /// It is the inverse of the cumulative distribution function at 1/2 + (word + 1/2) / 2^32,
    /// where the word counts as an `i32`, with a relative error below 4e-7. So all 2^32 steps of
    /// the distribution are equally likely, the words `w` and `!w` give `x` and `-x`, and the
    /// largest number is 6.338.
    #[doc(alias("curand_normal"))]
    pub fn normal_f32(&mut self) -> f32 {
        normal(self.next_u32())
    }

    /// Skips some words.
    pub fn skip(&mut self, words: u64) {
        self.position += words;
        if self.position % 4 != 0 {
            self.fill();
        }
    }

    /// Makes the block of the next word.
    fn fill(&mut self) {
        let block = self.position / 4;
        self.words = philox4x32([block as u32, (block >> 32) as u32, self.stream[0], self.stream[1]], self.key);
    }
}

/// Philox 4x32-10: returns four random words for a counter and a key.
///
/// For one key, different counters have different results. A stream of [`rng`] has the number of
/// the block and `i` as its counter, and the seed as its key, the lower half of each first:
/// `philox4x32([block, 0, i, 0], [seed, 0])` where all of them are small.
#[device(crate = crate)]
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut k, mut l] = key;
    for _ in 0..10 {
        let (low, high) = a.carrying_mul(0xD251_1F53, 0);
        let (lower, higher) = c.carrying_mul(0xCD9E_8D57, 0);
        (a, b, c, d) = (higher ^ b ^ k, lower, high ^ d ^ l, low);
        (k, l) = (k + 0x9E37_79B9, l + 0xBB67_AE85);
    }
    [a, b, c, d]
}

/// The normally distributed number of a word.
///
/// A number x from 0 to 1 becomes x times a polynomial in w = -ln(1 - x^2), or in the root of w for
/// large w: M. Giles, "Approximating the erfinv function" (GPU Computing Gems, 2011), with
/// coefficients for the normal distribution. All sums of products are fused, because these round
/// once on every device; whether others are fused is up to the compiler of a GPU.
#[device(crate = crate)]
fn normal(word: u32) -> f32 {
    // x is |word + 1/2| / 2^31 for a signed word, and `outside` is 1 - x. It comes from an integer,
    // so that it is accurate where x is almost 1.
    let signed = word as i32;
    let inside = if signed < 0 { !signed } else { signed };
    let outside = ((i32::MAX - inside) as f32).mul_add(2.0 * HALF_WORD, HALF_WORD);
    let w = -ln(outside * (2.0 - outside));
    let slope = if w < 5.0 { polynomial(NEAR, w - 2.5) } else { polynomial(FAR, w.sqrt() - 3.0) };
    let x = (inside as f32).mul_add(2.0 * HALF_WORD, HALF_WORD);
    // The caller's compiler could fuse a product with what the caller adds.
    let size = slope.mul_add(x, 0.0);
    if signed < 0 { -size } else { size }
}

/// The natural logarithm, with an absolute error below 1.5e-6 from 2^-32 to 1.
#[device(crate = crate)]
fn ln(x: f32) -> f32 {
    // x = (1 + f) * 2^e with |f| <= 1/3.
    let bits = x.to_bits() as i32;
    let e = (bits - TWO_THIRDS) >> 23;
    let f = f32::from_bits((bits - (e << 23)) as u32) - 1.0;
    let log1p = polynomial(LOG1P, f).mul_add(f * f, f);
    (e as f32).mul_add(std::f32::consts::LN_2, log1p)
}

/// A polynomial with the coefficients from the highest power to the lowest.
#[device(crate = crate)]
fn polynomial<const N: usize>(coefficients: [f32; N], x: f32) -> f32 {
    let mut sum = coefficients[0];
    for k in 1..N {
        sum = sum.mul_add(x, coefficients[k]);
    }
    sum
}

/// 2^-32.
const HALF_WORD: f32 = 1.0 / 4_294_967_296.0;

/// The bits of 2/3.
const TWO_THIRDS: i32 = 0x3F2A_AAAB;

// Minimax polynomials, by the algorithm of Remez, rounded to `f32`.

/// (ln(1 + f) - f) / f^2 for |f| <= 1/3. With it, ln(1 + f) has an absolute error of 4.3e-8.
const LOG1P: [f32; 7] = [-0.15918621, 0.171943, -0.1630745, 0.19784346, -0.2501434, 0.33338043, -0.49999833];

/// The normally distributed number over x, for w from 0 to 5; a polynomial in w - 2.5 with a
/// relative error of 9.4e-8.
const NEAR: [f32; 9] = [
    4.035467e-8,
    4.86104e-7,
    -4.9905657e-6,
    -6.2179934e-6,
    3.091502e-4,
    -0.0017730101,
    -0.005908171,
    0.34880266,
    2.1233137,
];

/// The same for w from 5 to 22, the largest; a polynomial in the root of w, less 3, with a relative
/// error of 9.0e-8.
const FAR: [f32; 10] = [
    6.4026404e-5,
    -2.5465674e-4,
    -1.45266e-5,
    0.0018612067,
    -0.0050780345,
    0.008145553,
    -0.010809642,
    0.013342568,
    1.416583,
    4.0064344,
];

#[cfg(test)]
mod tests;
