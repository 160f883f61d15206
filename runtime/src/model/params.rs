//! The parameters of a launch, packed without allocation.

use std::ffi::c_void;

use super::args::Args;
use crate::value::DeviceValue;
use crate::value::scalar::low_bytes;

/// Bytes of parameters that all CUDA devices support.
const CAPACITY: usize = 4096;
/// The maximum number of parameters: a view takes two of 8 bytes.
const MOST: usize = 512;

/// The same for most loops: each launch clears its room, so a small one takes less time.
const SMALL: usize = 512;
/// No parameter takes less than 8 of its bytes, except the numbers of iterations, of 4.
const FEW: usize = SMALL / 8;

/// The bytes of what comes after the captures, at most: of each of three ranges its start, its step and its number of iterations, and a pointer.
const RANGES: usize = 3 * (16 + 16) + (3 * 4_usize).next_multiple_of(8) + 8;

/// Memory for the parameters of a launch.
#[repr(C, align(16))]
struct Room<const BYTES: usize, const COUNT: usize> {
    bytes: [u8; BYTES],
    pointers: [*mut c_void; COUNT],
    offsets: [u16; COUNT],
}

impl<const BYTES: usize, const COUNT: usize> Room<BYTES, COUNT> {
    #[inline]
    fn run<R>(run: impl FnOnce(&mut Params<'_>) -> R) -> R {
        let mut room = Self { bytes: [0; BYTES], pointers: [std::ptr::null_mut(); COUNT], offsets: [0; COUNT] };
        let Self { bytes, pointers, offsets } = &mut room;
        run(&mut Params { bytes, offsets, pointers, len: 0, count: 0, overflowed: false })
    }
}

/// The values of the parameters and the offset of each.
///
/// If the captures do not fit, this is an [overflow](Self::overflowed), not a panic.
pub struct Params<'a> {
    /// The first one has the greatest alignment that a value has.
    bytes: &'a mut [u8],
    offsets: &'a mut [u16],
    pointers: &'a mut [*mut c_void],
    len: usize,
    count: usize,
    overflowed: bool,
}

/// The filled part of the parameters.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    len: usize,
    count: usize,
}

impl std::fmt::Debug for Params<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Params").field("count", &self.count).field("bytes", &self.len).finish_non_exhaustive()
    }
}

/// Runs a function with the captures of a loop, to which it adds what comes after them.
#[inline]
pub fn packed<A: Args, R>(args: &A, run: impl FnOnce(&mut Params<'_>) -> R) -> R {
    let run = |params: &mut Params<'_>| {
        args.push(params);
        run(params)
    };
    match const { A::BYTES + RANGES <= SMALL } {
        true => Room::<SMALL, FEW>::run(run),
        false => large(run),
    }
}

/// In a function of its own: the others must not need its stack.
#[inline(never)]
fn large<R>(run: impl FnOnce(&mut Params<'_>) -> R) -> R {
    Room::<CAPACITY, MOST>::run(run)
}

impl Params<'_> {
    /// Appends the lowest `size` bytes (1 to 16, a power of two) of a value, aligned to its size.
    #[inline]
    pub fn push_int(&mut self, value: u128, size: usize) {
        let Some(room) = self.room(size, size) else { return };
        // Copies of a fixed length are one instruction.
        match size {
            4 => room.copy_from_slice(&(value as u32).to_ne_bytes()),
            8 => room.copy_from_slice(&(value as u64).to_ne_bytes()),
            _ => room.copy_from_slice(low_bytes(&value.to_ne_bytes(), size)),
        }
    }

    /// Appends a value in its C++ layout.
    pub(crate) fn push<T: DeviceValue>(&mut self, value: &T) {
        let (size, align) = const { T::TYPE.layout() };
        if let Some(room) = self.room(size, align) {
            value.scalars(0, &mut |offset, size, bits| {
                room[offset..offset + size].copy_from_slice(low_bytes(&bits.to_ne_bytes(), size));
            });
        }
    }

    /// Reserves room for one more parameter, if there is enough. The alignment is a power of two.
    #[inline]
    fn room(&mut self, size: usize, align: usize) -> Option<&mut [u8]> {
        let start = (self.len + align - 1) & !(align - 1);
        let room = self.bytes.get_mut(start..start + size);
        let (Some(room), Some(offset), Ok(at)) = (room, self.offsets.get_mut(self.count), u16::try_from(start)) else {
            self.overflowed = true;
            return None;
        };
        *offset = at;
        self.len = start + size;
        self.count += 1;
        Some(room)
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

    /// One pointer for each value, in order. The pointers are valid until the parameters are moved or changed.
    pub fn as_pointers(&mut self) -> &mut [*mut c_void] {
        let base = self.bytes.as_mut_ptr();
        for (pointer, &offset) in self.pointers.iter_mut().zip(&self.offsets[..self.count]) {
            *pointer = base.wrapping_add(usize::from(offset)).cast();
        }
        &mut self.pointers[..self.count]
    }
}

/// One range of a `par` loop, in the form of the kernel's parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DimArg {
    /// Bits of the first index, zero-extended from its type.
    pub lo: u128,
    /// Bits of the step.
    pub step: u128,
    /// Size of the index type in bytes.
    pub size: usize,
    /// Number of iterations.
    pub trips: u64,
}

impl DimArg {
    /// Bits of the index of iteration `trip`. The computation wraps, like the index type.
    pub fn at(&self, trip: u64) -> u128 {
        self.lo.wrapping_add(self.step.wrapping_mul(u128::from(trip)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_aligned_and_come_back() {
        packed(&(0xABu8, (u128::MAX - 7, ())), |params| {
            let mark = params.mark();
            params.push_int(7, 8);
            assert_eq!(params.as_pointers().len(), 3);
            params.reset(mark);
            params.push_int(0x1234_5678, 4);
            let pointers = params.as_pointers();
            assert_eq!(pointers.len(), 3);
            assert_eq!(pointers[1] as usize % 16, 0);
            // SAFETY: the pointers are to aligned values of these sizes inside `params`, which is alive.
            let values =
                unsafe { (*pointers[0].cast::<u8>(), *pointers[1].cast::<u128>(), *pointers[2].cast::<u32>()) };
            assert_eq!(values, (0xAB, u128::MAX - 7, 0x1234_5678));
        });
    }

    #[test]
    fn an_aggregate_is_one_parameter() {
        packed(&(1u8, ((2u8, [3u32, 4], 5u8), ())), |params| {
            #[repr(C)]
            #[derive(Clone, Copy, PartialEq, Debug)]
            struct Laid(u8, [u32; 2], u8);
            let pointers = params.as_pointers();
            assert_eq!(pointers.len(), 2);
            // SAFETY: the pointer is to a value of this layout inside `params`, which is alive.
            assert_eq!(unsafe { *pointers[1].cast::<Laid>() }, Laid(2, [3, 4], 5));
        });
    }

    /// What a loop needs beside its captures fits in any room that is chosen for them.
    #[test]
    fn each_room_has_what_its_captures_and_ranges_need() {
        fn check<A: Args>(args: &A, fits: bool) {
            packed(args, |params| {
                assert!(!params.overflowed());
                (0..6).for_each(|_| params.push_int(1, 16));
                (0..3).for_each(|_| params.push_int(1, 4));
                params.push_int(1, 8);
                assert_eq!(params.overflowed(), !fits);
                assert_eq!(params.bytes.len(), if A::BYTES <= SMALL - RANGES { SMALL } else { CAPACITY });
            });
        }
        check(&(), true);
        check(&([1u128; 23], ()), true);
        check(&([1u128; 24], ()), true);
        check(&([1u8; 3800], ()), true);
        check(&([1u128; 256], ()), false);
    }

    #[test]
    fn negative_indexes_wrap_like_their_type() {
        let dim = DimArg { lo: u128::from((-3i32) as u32), step: 2, size: 4, trips: 4 };
        assert_eq!(dim.at(2) as u32 as i32, 1);
    }
}
