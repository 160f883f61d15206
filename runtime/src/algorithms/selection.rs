//! Elements that are kept, next to each other.

use super::chunks::{chunk, offsets};
use crate::launch::refusal::require;
use crate::{DeviceCopy, Scalar, kernel, scratch};

/// Elements that a block handles at once: 256 threads have 8 each.
const TILE: usize = 2048;

/// Returns the number of elements of scratch that [`compact_with_scratch`] and
/// [`unique_with_scratch`] need for `len` elements.
pub fn compact_scratch(len: usize) -> usize {
    len.div_ceil(chunk(len, TILE))
}

/// Copies the elements of `from` whose `keep` is set to the front of `to`, in their order, and
/// writes their number to `kept[0]`.
///
/// The other elements of `to` stay as they are. `to` needs as many elements as are kept. If it is
/// too short, the next call that waits returns an error.
///
/// # Panics
/// If `keep` is not as long as `from`, `kept` is empty, or `from` has more than `u32::MAX`
/// elements.
#[track_caller]
#[kernel(crate = crate)]
pub fn compact<T: DeviceCopy>(from: &[T], keep: &[bool], to: &mut [T], kept: &mut [u32]) {
    check("compact", from.len(), ("keep", keep.len()), kept.len(), usize::MAX);
    let mut counts = scratch::<u32>(compact_scratch(from.len()));
    compact_with_scratch(&from, &keep, &mut to, &mut kept, &mut counts);
}

/// [`compact`] with memory of the caller: `scratch` needs at least
/// [`compact_scratch`]`(from.len())` elements.
///
/// # Panics
/// If `scratch` is too short, and as [`compact`] does.
#[track_caller]
#[kernel(crate = crate)]
pub fn compact_with_scratch<T: DeviceCopy>(
    from: &[T],
    keep: &[bool],
    to: &mut [T],
    kept: &mut [u32],
    scratch: &mut [u32],
) {
    let n = from.len();
    check("compact_with_scratch", n, ("keep", keep.len()), kept.len(), scratch.len());
    let blocks = compact_scratch(n);
    let chunk = chunk(n, TILE);
    let (counts, _) = scratch.split_at_mut(blocks);
    for block in par_blocks(0..blocks).threads(256) {
        let b = block.index();
        let mut own = block.each(0u32);
        for i in block.par(b * chunk..((b + 1) * chunk).min(n)) {
            own += keep[i] as u32;
        }
        counts[b] = block.sum(own);
    }
    offsets(&mut counts, &mut kept);
    for block in par_blocks(0..blocks).threads(256) {
        let b = block.index();
        let end = ((b + 1) * chunk).min(n);
        let mut next = counts[b];
        let mut own = block.each(0u32);
        for start in (b * chunk..end).step_by(2048) {
            for t in block.threads() {
                own = 0;
                for i in start + t * 8..(start + t * 8 + 8).min(end) {
                    own += keep[i] as u32;
                }
            }
            let before = block.exclusive_sum(own);
            for t in block.threads() {
                let mut at = next + before;
                for i in start + t * 8..(start + t * 8 + 8).min(end) {
                    if keep[i] {
                        // SAFETY: `at` is the number of kept elements before this one, which no
                        // other one has.
                        unsafe { to[at as usize] = from[i] };
                        at += 1;
                    }
                }
            }
            next += block.sum(own);
        }
    }
}

/// Copies the first of each run of equal elements of `from` to the front of `to`, in their order,
/// and writes their number to `kept[0]`.
///
/// A NaN is equal to nothing. The rest is as for [`compact`].
///
/// # Panics
/// As [`compact`] does.
#[track_caller]
#[kernel(crate = crate)]
pub fn unique<T: Scalar>(from: &[T], to: &mut [T], kept: &mut [u32]) {
    let n = from.len();
    check("unique", n, ("from", n), kept.len(), usize::MAX);
    let mut marks = scratch::<bool>(n);
    let mut counts = scratch::<u32>(compact_scratch(n));
    unique_with_scratch(&from, &mut to, &mut kept, &mut marks, &mut counts);
}

/// [`unique`] with memory of the caller: `marks` is scratch, as long as `from`, and `scratch` is
/// that of [`compact_with_scratch`].
///
/// # Panics
/// If `marks` is not as long as `from`, and as [`compact_with_scratch`] does.
#[track_caller]
#[kernel(crate = crate)]
pub fn unique_with_scratch<T: Scalar>(
    from: &[T],
    to: &mut [T],
    kept: &mut [u32],
    marks: &mut [bool],
    scratch: &mut [u32],
) {
    let n = from.len();
    check("unique_with_scratch", n, ("marks", marks.len()), kept.len(), scratch.len());
    for i in par(0..n) {
        marks[i] = i == 0 || from[i - 1] != from[i];
    }
    compact_with_scratch(&from, &marks, &mut to, &mut kept, &mut scratch);
}

/// `flags` is the slice with a flag for each of `n` elements: its name and its length.
#[track_caller]
fn check(kernel: &str, n: usize, flags: (&str, usize), kept: usize, scratch: usize) {
    let (name, len) = flags;
    require(len == n, || format!("`{kernel}`: `from` has {n} elements, but `{name}` has {len}"));
    require(u32::try_from(n).is_ok(), || format!("`{kernel}`: `from` has {n} elements, more than u32::MAX"));
    require(kept > 0, || format!("`{kernel}`: `kept` is empty, so the number of kept elements has no place"));
    let need = compact_scratch(n);
    require(scratch >= need, || {
        format!(
            "`{kernel}`: `scratch` has {scratch} elements, but {n} elements need `compact_scratch({n})`, which is {need}"
        )
    });
}
