//! The parameters of a launch, packed without allocation.

use std::cell::Cell;
use std::ffi::c_void;

use super::args::Args;
use super::ranges::Dims;
use crate::value::DeviceValue;
use crate::value::scalar::low_bytes;

/// Bytes of parameters that all CUDA devices support.
const CAPACITY: usize = 4096;
/// The maximum number of parameters: a view takes two of 8 bytes.
const MOST: usize = 512;

/// The same for simple loops, for most and for nearly all: each launch clears its room, so a small
/// one takes less time.
const SIMPLE: usize = 96;
const FEW: usize = 192;
const MANY: usize = 512;

/// The bytes of what comes after the captures, at most: of each range its start, its step and its
/// number of iterations, and a pointer.
const fn after(ranges: usize) -> usize {
    ranges * (16 + 16) + (ranges * 4).next_multiple_of(8) + 8
}

/// Memory for the parameters of a launch.
#[repr(C, align(16))]
struct Room<const BYTES: usize, const COUNT: usize> {
    bytes: [Cell<u8>; BYTES],
    pointers: [*mut c_void; COUNT],
}

impl<const BYTES: usize, const COUNT: usize> Room<BYTES, COUNT> {
    #[inline]
    fn run<R>(run: impl FnOnce(&mut Params<'_>) -> R) -> R {
        let mut room = Self { bytes: [const { Cell::new(0) }; BYTES], pointers: [std::ptr::null_mut(); COUNT] };
        let Self { bytes, pointers } = &mut room;
        run(&mut Params { bytes, pointers, len: 0, count: 0, captures: Mark::default(), overflowed: false })
    }
}

/// The values of the parameters and a pointer to each.
///
/// If the captures do not fit, this is an [overflow](Self::overflowed), not a panic.
pub struct Params<'a> {
    /// The first one has the greatest alignment that a value has. They are cells, so that the
    /// pointers stay valid when another value is written.
    bytes: &'a [Cell<u8>],
    pointers: &'a mut [*mut c_void],
    len: usize,
    count: usize,
    /// The end of the captures.
    captures: Mark,
    overflowed: bool,
}

/// The filled part of the parameters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark {
    len: usize,
    count: usize,
}

impl std::fmt::Debug for Params<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Params").field("count", &self.count).field("bytes", &self.len).finish_non_exhaustive()
    }
}

/// Runs a function with the parameters of a loop in one grid: its captures and its ranges. The
/// function also gets the ranges on their own, and adds what comes last, a pointer.
#[inline]
pub fn packed<D: Dims, A: Args, R>(dims: &D, args: &A, run: impl FnOnce(&[DimArg], &mut Params<'_>) -> R) -> R {
    let run = |params: &mut Params<'_>| {
        args.push(params);
        params.captures = params.mark();
        let ranges = dims.args();
        let ranges = ranges.as_ref();
        // If a number of iterations needs more bits, one grid is not enough.
        params.push_ranges(ranges, [0; 3], along_axes(ranges).map(|trips| trips as u32));
        run(ranges, params)
    };
    // No parameter takes less than 8 bytes, except the numbers of iterations, of 4.
    let bytes = const { A::BYTES + after(D::COUNT) };
    if bytes <= SIMPLE {
        Room::<SIMPLE, { SIMPLE / 8 }>::run(run)
    } else if bytes <= FEW {
        Room::<FEW, { FEW / 8 }>::run(run)
    } else if bytes <= MANY {
        Room::<MANY, { MANY / 8 }>::run(run)
    } else {
        large(run)
    }
}

/// In a function of its own: the others must not need its stack.
#[inline(never)]
fn large<R>(run: impl FnOnce(&mut Params<'_>) -> R) -> R {
    Room::<CAPACITY, MOST>::run(run)
}

impl<'a> Params<'a> {
    /// Appends the lowest `size` bytes (1 to 16, a power of two) of a value, aligned to its size.
    #[inline]
    pub fn push_int(&mut self, value: u128, size: usize) {
        match size {
            4 => self.push_bytes(&(value as u32).to_ne_bytes()),
            8 => self.push_bytes(&(value as u64).to_ne_bytes()),
            _ => self.push_bytes(low_bytes(&value.to_ne_bytes(), size)),
        }
    }

    /// Appends the bytes of a number, aligned to their count. If that is a constant, the copy is
    /// one instruction.
    #[inline(always)]
    fn push_bytes(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room(bytes.len(), bytes.len()) {
            write(room, bytes);
        }
    }

    /// Appends a value in its C++ layout.
    pub(crate) fn push<T: DeviceValue>(&mut self, value: &T) {
        let (size, align) = const { T::TYPE.layout() };
        if let Some(room) = self.room(size, align) {
            value.scalars(0, &mut |offset, size, bits| {
                write(&room[offset..offset + size], low_bytes(&bits.to_ne_bytes(), size));
            });
        }
    }

    /// Reserves room for one more parameter, if there is enough. The alignment is a power of two.
    #[inline]
    fn room(&mut self, size: usize, align: usize) -> Option<&'a [Cell<u8>]> {
        let start = (self.len + align - 1) & !(align - 1);
        let (Some(room), Some(pointer)) = (self.bytes.get(start..start + size), self.pointers.get_mut(self.count))
        else {
            self.overflowed = true;
            return None;
        };
        *pointer = room.as_ptr().cast_mut().cast();
        self.len = start + size;
        self.count += 1;
        Some(room)
    }

    /// Replaces the ranges by the part of them that a grid has: its first iterations and their
    /// numbers along x, y and z.
    pub(crate) fn set_ranges(&mut self, ranges: &[DimArg], first: [u64; 3], trips: [u32; 3]) {
        self.reset(self.captures);
        self.push_ranges(ranges, first, trips);
    }

    /// Inlined: where the types of the ranges are known, little of it is left.
    #[inline(always)]
    fn push_ranges(&mut self, ranges: &[DimArg], first: [u64; 3], trips: [u32; 3]) {
        let axes = (0..ranges.len()).rev();
        for (axis, range) in axes.clone().zip(ranges) {
            self.push_int(range.at(first[axis]), range.size);
            self.push_int(u128::from(range.step), range.size);
        }
        axes.for_each(|axis| self.push_int(u128::from(trips[axis]), 4));
    }

    /// Whether a value did not fit. Then the launch must not happen.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Returns a mark at the current end.
    pub fn mark(&self) -> Mark {
        Mark { len: self.len, count: self.count }
    }

    /// Removes everything after a mark.
    pub fn reset(&mut self, mark: Mark) {
        (self.len, self.count) = (mark.len, mark.count);
    }

    /// One pointer for each value, in order. They are valid for as long as the room exists.
    pub fn as_pointers(&mut self) -> &mut [*mut c_void] {
        &mut self.pointers[..self.count]
    }
}

#[inline]
fn write(room: &[Cell<u8>], bytes: &[u8]) {
    room.iter().zip(bytes).for_each(|(cell, byte)| cell.set(*byte));
}

/// One range of a `par` loop, in the form of the kernel's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DimArg {
    /// Bits of the first index, zero-extended from its type.
    pub lo: u128,
    /// The step.
    pub step: u64,
    /// Size of the index type in bytes.
    pub size: usize,
    /// Number of iterations.
    pub trips: u64,
}

/// The numbers of iterations along x, y and z, of which x is the fastest; 1 for a missing range.
#[inline]
pub fn along_axes(ranges: &[DimArg]) -> [u64; 3] {
    let mut trips = [1; 3];
    trips.iter_mut().zip(ranges.iter().rev()).for_each(|(trips, range)| *trips = range.trips);
    trips
}

impl DimArg {
    /// Bits of the index of iteration `trip`. The computation wraps, like the index type.
    #[inline]
    pub fn at(&self, trip: u64) -> u128 {
        self.lo.wrapping_add(u128::from(self.step).wrapping_mul(u128::from(trip)))
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "they read the parameters as a kernel does")]
mod tests {
    use super::*;
    use crate::model::ranges::dim;

    #[test]
    fn values_are_aligned_and_come_back() {
        packed(&dim(0u32, 9), &(0xABu8, (u128::MAX - 7, ())), |_, params| {
            params.reset(params.captures);
            let mark = params.mark();
            params.push_int(7, 8);
            assert_eq!(params.as_pointers().len(), 3);
            params.reset(mark);
            params.push_int(0x1234_5678, 4);
            let pointers = params.as_pointers();
            assert_eq!(pointers.len(), 3);
            assert_eq!(pointers[1] as usize % 16, 0);
            // SAFETY: the pointers are to aligned values of these sizes inside `params`, which is
            // alive.
            let values =
                unsafe { (*pointers[0].cast::<u8>(), *pointers[1].cast::<u128>(), *pointers[2].cast::<u32>()) };
            assert_eq!(values, (0xAB, u128::MAX - 7, 0x1234_5678));
        });
    }

    #[test]
    fn an_aggregate_is_one_parameter() {
        packed(&dim(0u32, 9), &(1u8, ((2u8, [3u32, 4], 5u8), ())), |_, params| {
            params.reset(params.captures);
            #[repr(C)]
            #[derive(Clone, Copy, PartialEq, Debug)]
            struct Laid(u8, [u32; 2], u8);
            let pointers = params.as_pointers();
            assert_eq!(pointers.len(), 2);
            // SAFETY: the pointer is to a value of this layout inside `params`, which is alive.
            assert_eq!(unsafe { *pointers[1].cast::<Laid>() }, Laid(2, [3, 4], 5));
        });
    }

    #[test]
    fn the_ranges_come_after_the_captures_slowest_first() {
        packed(&(dim(5u64, 9), dim(0u32, 7)), &(1u8, ()), |ranges, params| {
            assert_eq!(along_axes(ranges), [7, 4, 1]);
            let values = |params: &mut Params<'_>| {
                let pointers = params.as_pointers();
                assert_eq!(pointers.len(), 7);
                // SAFETY: the pointers are to aligned values of these sizes inside `params`, which
                // is alive.
                unsafe {
                    let long = |at: usize| *pointers[at].cast::<u64>();
                    let int = |at: usize| *pointers[at].cast::<u32>();
                    ([long(1), long(2)], [int(3), int(4), int(5), int(6)])
                }
            };
            assert_eq!(values(params), ([5, 1], [0, 1, 4, 7]));
            params.set_ranges(ranges, [3, 2, 0], [4, 2, 1]);
            assert_eq!(values(params), ([7, 1], [3, 1, 2, 4]));
        });
    }

    /// What a loop needs beside its captures fits in any room that is chosen for them.
    #[test]
    fn each_room_has_what_its_captures_and_ranges_need() {
        fn check<D: Dims, A: Args>(dims: &D, args: &A, room: usize, fits: bool) {
            packed(dims, args, |_, params| {
                assert!(!params.overflowed() || !fits);
                params.reset(params.captures);
                (0..2 * D::COUNT).for_each(|_| params.push_int(1, 16));
                (0..D::COUNT).for_each(|_| params.push_int(1, 4));
                params.push_int(1, 8);
                assert_eq!((params.bytes.len(), params.overflowed()), (room, !fits));
            });
        }
        let one = &dim(0u32, 9);
        let three = &(dim(0u32, 9), dim(0u32, 9), dim(0u32, 9));
        check(one, &(), SIMPLE, true);
        check(one, &([1u128; 2], ()), SIMPLE, true);
        check(one, &([1u128; 3], ()), FEW, true);
        check(one, &([1u128; 8], ()), FEW, true);
        check(one, &([1u128; 9], ()), MANY, true);
        check(three, &([1u128; 3], ()), FEW, true);
        check(three, &([1u128; 4], ()), MANY, true);
        check(three, &([1u128; 23], ()), MANY, true);
        check(three, &([1u128; 24], ()), CAPACITY, true);
        check(three, &([1u8; 3800], ()), CAPACITY, true);
        check(three, &([1u128; 256], ()), CAPACITY, false);
    }

    #[test]
    fn negative_indexes_wrap_like_their_type() {
        let dim = DimArg { lo: u128::from((-3i32) as u32), step: 2, size: 4, trips: 4 };
        assert_eq!(dim.at(2) as u32 as i32, 1);
    }
}
