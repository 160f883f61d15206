//! A radix sort: stable, from the lowest digit to the highest.
//!
//! Each digit is a pass over all keys, which counts the digits of each chunk; then each chunk knows
//! where its first key of each digit goes, and is moved. Which keys are where does not depend on
//! the size of the digits, nor on that of the chunks, so each device has its own.
//!
//! On a GPU a digit has 4 bits. A block moves its chunk tile by tile. A tile is sorted by its digit
//! in shared memory first, so that keys of one digit are written next to each other. On the CPU a
//! digit has 8 bits, so that there are half as many passes. There an iteration moves its chunk key
//! by key, because a cache holds the lines of memory to which all digits go.

use super::chunks::{chunk, offsets};
use super::keys::Key;
use crate::launch::host::on_cpu;
use crate::launch::refusal::require;
use crate::{DeviceCopy, Int, Zeroed, device, kernel, scratch};

/// Keys that a block sorts at once: 128 threads have 15 each, as many as a half-byte counts.
const TILE: usize = 1920;

/// Numbers of 4 bits.
const DIGITS: usize = 16;

/// Numbers of 8 bits.
const LONG_DIGITS: usize = 256;

/// How many blocks of a GPU have a chunk for each chunk of the CPU: then both need as many counts.
const WIDER: usize = LONG_DIGITS / DIGITS;

/// The order of what is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the smallest key to the greatest one.
    Ascending,
    /// From the greatest key to the smallest one.
    Descending,
}

/// Returns the number of elements of `scratch` that [`sort_with_scratch`] and
/// [`sort_by_key_with_scratch`] need for `len` keys.
pub fn sort_scratch(len: usize) -> usize {
    DIGITS * len.div_ceil(chunk(len, TILE)).next_multiple_of(WIDER) + 1
}

/// Sorts numbers. Floats are sorted by `total_cmp`.
///
/// # Panics
/// If there are more than `u32::MAX` keys.
#[track_caller]
#[kernel(crate = crate)]
pub fn sort<K: Key>(keys: &mut [K], order: Order) {
    let n = keys.len();
    check("sort", n, &[], usize::MAX);
    let mut spare = scratch::<K>(n);
    let mut counts = scratch::<u32>(sort_scratch(n));
    sort_with_scratch(&mut keys, order, &mut spare, &mut counts);
}

/// [`sort`] with memory of the caller.
///
/// `spare` is scratch for as many keys; `scratch` needs at least [`sort_scratch`]`(keys.len())`
/// elements.
///
/// # Panics
/// If `spare` is not as long as `keys`, `scratch` is too short, or there are more than `u32::MAX`
/// keys.
#[track_caller]
#[kernel(crate = crate)]
pub fn sort_with_scratch<K: Key>(keys: &mut [K], order: Order, spare: &mut [K], scratch: &mut [u32]) {
    check("sort_with_scratch", keys.len(), &[("spare", spare.len())], scratch.len());
    let (no_values, keys) = keys.split_at_mut(0);
    let (no_places, spare) = spare.split_at_mut(0);
    for (there, back) in passes(K::Bits::BITS) {
        pass::<K, K, false>(&keys, &no_values, &mut spare, &mut no_places, &mut scratch, there, order);
        pass::<K, K, false>(&spare, &no_places, &mut keys, &mut no_values, &mut scratch, back, order);
    }
}

/// Sorts values by their keys, and the keys too. Values with equal keys keep their order. Floats
/// are sorted by `total_cmp`.
///
/// Values of other types can be sorted by [`sort_by_key_with_scratch`].
///
/// # Panics
/// If `keys` and `values` differ in length, or there are more than `u32::MAX` keys.
#[track_caller]
#[kernel(crate = crate)]
pub fn sort_by_key<K: Key, V: Zeroed>(keys: &mut [K], values: &mut [V], order: Order) {
    let n = keys.len();
    check("sort_by_key", n, &[("values", values.len())], usize::MAX);
    let mut spare_keys = scratch::<K>(n);
    let mut spare_values = scratch::<V>(n);
    let mut counts = scratch::<u32>(sort_scratch(n));
    sort_by_key_with_scratch(&mut keys, &mut values, order, &mut spare_keys, &mut spare_values, &mut counts);
}

/// [`sort_by_key`] with memory of the caller.
///
/// `spare_keys` and `spare_values` are scratch for as many keys and values; `scratch` needs at
/// least [`sort_scratch`]`(keys.len())` elements.
///
/// # Panics
/// If `keys`, `values` and their spare slices differ in length, `scratch` is too short, or there
/// are more than `u32::MAX` keys.
#[track_caller]
#[kernel(crate = crate)]
pub fn sort_by_key_with_scratch<K: Key, V: DeviceCopy>(
    keys: &mut [K],
    values: &mut [V],
    order: Order,
    spare_keys: &mut [K],
    spare_values: &mut [V],
    scratch: &mut [u32],
) {
    let slices = [("values", values.len()), ("spare_keys", spare_keys.len()), ("spare_values", spare_values.len())];
    check("sort_by_key_with_scratch", keys.len(), &slices, scratch.len());
    for (there, back) in passes(K::Bits::BITS) {
        pass::<K, V, true>(&keys, &values, &mut spare_keys, &mut spare_values, &mut scratch, there, order);
        pass::<K, V, true>(&spare_keys, &spare_values, &mut keys, &mut values, &mut scratch, back, order);
    }
}

/// Sorts elements by a key that a [`closure!`](crate::closure!) computes of each, once. Elements
/// with equal keys keep their order. Floats are sorted by `total_cmp`.
///
/// ```
/// use anabranch::algorithms::{Order, sort_by_cached_key};
/// use anabranch::prelude::*;
///
/// #[device]
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Point { x: f32, y: f32 }
///
/// let device = Device::cpu();
/// let mut points = device.buffer_from(&[Point { x: 3.0, y: 4.0 }, Point { x: 1.0, y: 0.0 }])?;
/// let nearest_first = closure!(|p: Point| p.x * p.x + p.y * p.y);
/// sort_by_cached_key(&device.default_stream(), &mut points, nearest_first, Order::Ascending)?;
/// assert_eq!(points.get(0)?, Point { x: 1.0, y: 0.0 });
/// # Ok::<(), anabranch::Error>(())
/// ```
///
/// # Panics
/// If there are more than `u32::MAX` elements.
#[track_caller]
#[kernel(crate = crate)]
pub fn sort_by_cached_key<T: Zeroed, K: Key>(items: &mut [T], key: impl Fn(T) -> K, order: Order) {
    let n = items.len();
    check("sort_by_cached_key", n, &[], usize::MAX);
    let mut keys = scratch::<K>(n);
    for i in par(0..n) {
        keys[i] = key(items[i]);
    }
    sort_by_key(&mut keys, &mut items, order);
}

/// `slices` are those with as many elements as `keys`, and their names.
#[track_caller]
fn check(kernel: &str, keys: usize, slices: &[(&str, usize)], scratch: usize) {
    for (name, len) in slices {
        require(*len == keys, || format!("`{kernel}`: `keys` has {keys} elements, but `{name}` has {len}"));
    }
    require(u32::try_from(keys).is_ok(), || format!("`{kernel}`: `keys` has {keys} elements, more than u32::MAX"));
    let need = sort_scratch(keys);
    require(scratch >= need, || {
        format!(
            "`{kernel}`: `scratch` has {scratch} elements, but {keys} keys need `sort_scratch({keys})`, which is {need}"
        )
    });
}

/// A digit of a key: the bits of `mask` from bit `shift` on. `flip` reverses the order of the
/// digits. The last operation shows the compiler that it is one.
#[device(crate = crate)]
fn digit<K: Key>(key: K, shift: u32, mask: u32, flip: u32) -> u32 {
    ((key.ordered_bits() >> shift).cast::<u32>() ^ flip) & mask
}

/// A digit of a pass: its first bit, and the bits that it has.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    bits: u32,
}

/// The digits of a key with so many bits, two by two: a pass moves the keys to the spare elements,
/// and the next one moves them back.
fn passes(key: u32) -> impl Iterator<Item = (Digit, Digit)> {
    // Keys of 8 bits have two digits, too.
    let bits = if on_cpu() { (key / 2).min(8) } else { 4 };
    let digit = move |shift| Digit { shift, bits };
    (0..key).step_by(2 * bits as usize).map(move |shift| (digit(shift), digit(shift + bits)))
}

/// Four numbers of 4 bits become numbers of 16 bits.
#[device(crate = crate)]
fn spread(nibbles: u64) -> u64 {
    let bytes = (nibbles & 0xFF) | ((nibbles & 0xFF00) << 24);
    (bytes | bytes << 12) & 0x000F_000F_000F_000F
}

/// Moves the keys, and with `PAIRS` their values, to where their digits belong.
#[kernel(crate = crate)]
fn pass<K: Key, V: DeviceCopy, const PAIRS: bool>(
    keys: &[K],
    values: &[V],
    to_keys: &mut [K],
    to_values: &mut [V],
    scratch: &mut [u32],
    digit: Digit,
    order: Order,
) {
    let mask = (1 << digit.bits) - 1;
    let flip = if order == Order::Descending { mask } else { 0 };
    if on_cpu() {
        pass_by_keys::<K, V, PAIRS>(
            &keys,
            &values,
            &mut to_keys,
            &mut to_values,
            &mut scratch,
            digit.shift,
            mask,
            flip,
        );
    } else {
        pass_by_tiles::<K, V, PAIRS>(&keys, &values, &mut to_keys, &mut to_values, &mut scratch, digit.shift, flip);
    }
}

/// The same for the CPU: an iteration moves its chunk key by key.
#[kernel(crate = crate)]
fn pass_by_keys<K: Key, V: DeviceCopy, const PAIRS: bool>(
    keys: &[K],
    values: &[V],
    to_keys: &mut [K],
    to_values: &mut [V],
    scratch: &mut [u32],
    shift: u32,
    mask: u32,
    flip: u32,
) {
    let n = keys.len();
    let chunk = WIDER * chunk(n, TILE);
    let chunks = n.div_ceil(chunk);
    let (counts, rest) = scratch.split_at_mut(LONG_DIGITS * chunks);
    for c in par(0..chunks) {
        let mut seen = [0u32; 256];
        for i in c * chunk..((c + 1) * chunk).min(n) {
            seen[digit(keys[i], shift, mask, flip) as usize] += 1;
        }
        for digit in 0..256 {
            counts[digit * chunks + c] = seen[digit];
        }
    }
    offsets(&mut counts, &mut rest);
    for c in par(0..chunks) {
        let mut next = [0u32; 256];
        for digit in 0..256 {
            next[digit] = counts[digit * chunks + c];
        }
        for i in c * chunk..((c + 1) * chunk).min(n) {
            let digit = digit(keys[i], shift, mask, flip) as usize;
            let at = next[digit] as usize;
            next[digit] += 1;
            // SAFETY: each key has a place of its own: those of a digit are in the order of the
            // chunks, and of a chunk in their own.
            unsafe { to_keys[at] = keys[i] };
            if PAIRS {
                // SAFETY: as for the keys.
                unsafe { to_values[at] = values[i] };
            }
        }
    }
}

/// The same for a GPU: the digit has 4 bits from bit `shift` on.
#[kernel(crate = crate)]
pub fn pass_by_tiles<K: Key, V: DeviceCopy, const PAIRS: bool>(
    keys: &[K],
    values: &[V],
    to_keys: &mut [K],
    to_values: &mut [V],
    scratch: &mut [u32],
    shift: u32,
    flip: u32,
) {
    let n = keys.len();
    let chunk = chunk(n, TILE);
    let blocks = n.div_ceil(chunk);
    let (counts, rest) = scratch.split_at_mut(DIGITS * blocks);
    for block in par_blocks(0..blocks).threads(128) {
        let b = block.index();
        let mut seen = block.shared([[0u32; 128]; 16]);
        let mut me = block.each(0usize);
        for t in block.threads() {
            me = t;
        }
        for i in block.par(b * chunk..((b + 1) * chunk).min(n)) {
            let digit = digit(keys[i], shift, 15, flip) as usize;
            // SAFETY: column `me` belongs to the thread. It is below 128, which the remainder shows
            // the compiler.
            unsafe { seen[digit][me % 128] += 1 };
        }
        for digit in 0..16 {
            counts[digit * blocks + b] = block.sum(seen[digit][me % 128]);
        }
    }
    // All keys of a digit come before those of the next one, and of one digit those of a block
    // before those of the next one.
    offsets(&mut counts, &mut rest);
    for block in par_blocks(0..blocks).threads(128) {
        let b = block.index();
        let mut tile = block.shared([keys[b * chunk]; 1920]);
        // Which key of the tile is where, when they are sorted by the digit.
        let mut sorted = block.shared([0u16; 1920]);
        // How many keys of the threads up to one have a digit; column 0 stays 0.
        let mut up_to = block.shared([[0u16; 129]; 16]);
        // Of each digit: where its first key of the tile goes in the sorted tile, the distance from
        // there to its place, and where the next tile's goes.
        let mut starts = block.shared([0u32; 16]);
        let mut distances = block.shared([0u32; 16]);
        let mut next = block.shared([0u32; 16]);
        for digit in block.par(0..16) {
            next[digit] = counts[digit * blocks + b];
        }
        let end = ((b + 1) * chunk).min(n);
        for start in (b * chunk..end).step_by(1920) {
            let len = (end - start).min(1920);
            // What is beyond the tile's end does not count.
            for i in block.par(0..1920) {
                tile[i] = keys[(start + i).min(n - 1)];
            }
            // Half-bytes: the digits of a thread's keys, how many keys before them have the same
            // digit, and how many have each digit.
            let mut digits = block.each(0u64);
            let mut ranks = block.each(0u64);
            let mut seen = block.each(0u64);
            for t in block.threads() {
                for k in 0..15 {
                    // What is not there comes last.
                    let digit = if t * 15 + k < len { digit(tile[t * 15 + k], shift, 15, flip) } else { 15 };
                    digits |= (digit as u64) << (4 * k as u32);
                    ranks |= (seen >> (4 * digit) & 15) << (4 * k as u32);
                    seen += 1u64 << (4 * digit);
                }
            }
            let sums_0 = block.inclusive_sum(spread(seen));
            let sums_4 = block.inclusive_sum(spread(seen >> 16));
            let sums_8 = block.inclusive_sum(spread(seen >> 32));
            let sums_12 = block.inclusive_sum(spread(seen >> 48));
            for t in block.threads() {
                for k in 0..4 {
                    up_to[k][t + 1] = (sums_0 >> (16 * k as u32)) as u16;
                    up_to[k + 4][t + 1] = (sums_4 >> (16 * k as u32)) as u16;
                    up_to[k + 8][t + 1] = (sums_8 >> (16 * k as u32)) as u16;
                    up_to[k + 12][t + 1] = (sums_12 >> (16 * k as u32)) as u16;
                }
            }
            for digit in block.par(0..16) {
                let mut first = 0;
                for smaller in 0..digit {
                    first += up_to[smaller][128] as u32;
                }
                starts[digit] = first;
                distances[digit] = next[digit] - first;
                next[digit] += up_to[digit][128] as u32;
            }
            for t in block.threads() {
                for k in 0..15 {
                    let digit = (digits >> (4 * k as u32) & 15) as usize;
                    let at = starts[digit] + up_to[digit][t] as u32 + (ranks >> (4 * k as u32) & 15) as u32;
                    // SAFETY: before this key in the sorted tile are those with smaller digits, and
                    // those with its digit of threads and places before it. So each key has another
                    // number. All are below 1920, which the minimum shows the compiler.
                    unsafe { sorted[(at as usize).min(1919)] = (t * 15 + k) as u16 };
                }
            }
            for i in block.par(0..len) {
                let from = (sorted[i] as usize).min(1919);
                let key = tile[from];
                let at = ((distances[digit(key, shift, 15, flip) as usize] + i as u32) as usize).min(n - 1);
                // SAFETY: each key has a place of its own: those of a digit are in the order of the
                // blocks, of their tiles, and of the sorted tile.
                unsafe { to_keys[at] = key };
                if PAIRS {
                    // SAFETY: as for the keys.
                    unsafe { to_values[at] = values[start + from] };
                }
            }
        }
    }
}
