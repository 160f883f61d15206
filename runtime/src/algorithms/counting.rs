//! Histograms.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::chunks::chunk;
use crate::launch::refusal::require;
use crate::{Int, kernel, scratch};

/// What a block counts in bytes before it adds them up: 255 elements for each of 128 threads.
const TILE: usize = 255 * 128;

/// With more bins, a block has no room for bins of each thread.
const MOST_SHARED: usize = 256;

/// Returns the number of elements of scratch that [`histogram_with_scratch`] needs for `len`
/// elements and `bins` bins.
pub fn histogram_scratch(len: usize, bins: usize) -> usize {
    if bins <= MOST_SHARED { len.div_ceil(chunk(len, TILE)) * bins } else { 0 }
}

/// `bins[k]` becomes the number of elements of `x` that are `k`. Other elements, those that are
/// negative or at least `bins.len()`, are not counted.
///
/// Up to 256 bins, each thread counts in bins of its own, and nothing is atomic. With more bins,
/// all of them are atomic.
///
/// # Panics
/// If `x` has more than `u32::MAX` elements.
#[track_caller]
#[kernel(crate = crate)]
pub fn histogram<T: Int>(x: &[T], bins: &mut [u32]) {
    check("histogram", x.len(), bins.len(), usize::MAX);
    let mut counts = scratch::<u32>(histogram_scratch(x.len(), bins.len()));
    histogram_with_scratch(&x, &mut bins, &mut counts);
}

/// [`histogram`] with memory of the caller: `scratch` needs at least
/// [`histogram_scratch`]`(x.len(), bins.len())` elements.
///
/// # Panics
/// If `scratch` is too short, or `x` has more than `u32::MAX` elements.
#[track_caller]
#[kernel(crate = crate)]
pub fn histogram_with_scratch<T: Int>(x: &[T], bins: &mut [u32], scratch: &mut [u32]) {
    let (n, width) = (x.len(), bins.len());
    check("histogram_with_scratch", n, width, scratch.len());
    if width > MOST_SHARED {
        for bin in par(0..width) {
            bins[bin] = 0;
        }
        count(&x, &mut bins);
        return;
    }
    let chunk = chunk(n, TILE);
    let blocks = n.div_ceil(chunk);
    for block in par_blocks(0..blocks).threads(128) {
        let b = block.index();
        // Rows of 33 words, so that threads that add up their rows do not meet in a bank.
        let mut seen = block.shared([[0u8; 132]; 256]);
        let mut me = block.each(0usize);
        let mut sums = block.each([0u32; 2]);
        for t in block.threads() {
            me = t;
        }
        let end = ((b + 1) * chunk).min(n);
        for start in (b * chunk..end).step_by(32640) {
            for i in block.par(start..(start + 32640).min(end)) {
                let bin = x[i].cast::<usize>();
                if bin < width && bin.cast::<T>() == x[i] {
                    // SAFETY: column `me` belongs to the thread.
                    unsafe { seen[bin][me] += 1 };
                }
            }
            for t in block.threads() {
                for half in 0..2 {
                    for j in 0..128 {
                        sums[half] += seen[half * 128 + t][j] as u32;
                        seen[half * 128 + t][j] = 0;
                    }
                }
            }
        }
        for t in block.threads() {
            for half in 0..2 {
                if half * 128 + t < width {
                    scratch[(half * 128 + t) * blocks + b] = sums[half];
                }
            }
        }
    }
    for block in par_blocks(0..width).threads(128) {
        let bin = block.index();
        let mut own = block.each(0u32);
        for b in block.par(0..blocks) {
            own += scratch[bin * blocks + b];
        }
        bins[bin] = block.sum(own);
    }
}

/// `n` elements are counted in `width` bins.
#[track_caller]
fn check(kernel: &str, n: usize, width: usize, scratch: usize) {
    require(u32::try_from(n).is_ok(), || format!("`{kernel}`: `x` has {n} elements, more than u32::MAX"));
    let need = histogram_scratch(n, width);
    require(scratch >= need, || {
        format!(
            "`{kernel}`: `scratch` has {scratch} elements, but {n} elements in {width} bins need \
             `histogram_scratch({n}, {width})`, which is {need}"
        )
    });
}

/// Counts in bins that all threads share.
#[kernel(crate = crate)]
fn count<T: Int>(x: &[T], bins: &[AtomicU32]) {
    for i in par(0..x.len()) {
        let bin = x[i].cast::<usize>();
        if bin < bins.len() && bin.cast::<T>() == x[i] {
            bins[bin].fetch_add(1, Relaxed);
        }
    }
}
