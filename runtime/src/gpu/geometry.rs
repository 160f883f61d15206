//! How a range of iterations becomes grids of blocks.

use crate::model::kernel::Loop;

/// Bounds of one launch. Iteration numbers and the rounding up to whole blocks stay below 2^31, so
/// that the kernel's 32-bit arithmetic is exact; the other axes have at most 65,535 blocks (CUDA
/// C++ Programming Guide, technical specifications per compute capability).
const MOST_X: u64 = 1 << 31;
const MOST_BLOCKS_YZ: u64 = 65_535;
/// The threads of a grid along x, of which a loop over blocks has more than iterations. HIP takes
/// no more (`hipModuleLaunchKernel` in the source of AMD's runtime). CUDA would, but such launches
/// are too long for a second one to matter.
const MOST_THREADS_X: u64 = u32::MAX as u64;

/// How the iterations of a loop become blocks. All launches of the loop have it in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The threads of a block along x, y and z.
    pub(super) threads: [u32; 3],
    /// The iterations of a block.
    block: [u32; 3],
    /// The maximum number of iterations of one launch.
    most: [u64; 3],
}

/// One launch: its start and its number of iterations in each range, along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) first: [u64; 3],
    pub(super) trips: [u32; 3],
    pub(super) grid: [u32; 3],
}

impl Shape {
    pub(super) fn of(par_loop: &Loop) -> Self {
        // Of a loop over blocks, an iteration is a block.
        if par_loop.blocks.is_some() {
            return Self::new([1; 3], [par_loop.block, 1, 1]);
        }
        let block = block(par_loop.block, par_loop.dims);
        Self::new(block, block)
    }

    fn new(block: [u32; 3], threads: [u32; 3]) -> Self {
        let [x, y, z] = block.map(u64::from);
        let most_x = (MOST_X - x).min(MOST_THREADS_X / u64::from(threads[0].max(1)) * x);
        // Rounded up to whole blocks, the first is below `MOST_X`.
        Self { threads, block, most: [most_x, MOST_BLOCKS_YZ * y, MOST_BLOCKS_YZ * z] }
    }

    /// The grid for a box of iterations (along x, y and z; 1 for a missing range) that needs
    /// exactly one launch.
    #[inline]
    pub(super) fn whole(&self, trips: [u64; 3]) -> Option<[u32; 3]> {
        let mut grid = [1; 3];
        for axis in 0..3 {
            match trips[axis] {
                1 => {} // most ranges are missing, and a division takes long
                0 => return None,
                trips if trips > self.most[axis] => return None,
                trips => grid[axis] = (trips as u32).div_ceil(self.block[axis]),
            }
        }
        Some(grid)
    }

    /// Splits a box into launches within the grid limits. An empty box needs no launch.
    pub(super) fn pieces(&self, trips: [u64; 3]) -> impl Iterator<Item = Piece> {
        let (most, block) = (self.most, self.block.map(u64::from));
        // Otherwise this would enumerate all parts of a nonempty range, and launch nothing for each
        // of them.
        let trips = if trips.contains(&0) { [0; 3] } else { trips };
        let starts = move |axis: usize| (0..trips[axis]).step_by(usize::try_from(most[axis]).unwrap_or(usize::MAX));
        starts(2).flat_map(move |z| {
            starts(1).flat_map(move |y| {
                starts(0).map(move |x| {
                    let first = [x, y, z];
                    let count = std::array::from_fn(|axis| (trips[axis] - first[axis]).min(most[axis]));
                    Piece {
                        first,
                        trips: count.map(|count| count as u32),
                        grid: std::array::from_fn(|axis| count[axis].div_ceil(block[axis]) as u32),
                    }
                })
            })
        })
    }
}

/// The threads of a block along x, y and z, for a loop of `dims` ranges.
///
/// If its size allows, a block is as wide as a warp along x, so that adjacent threads access
/// adjacent elements.
fn block(threads: u32, dims: usize) -> [u32; 3] {
    let threads = threads.max(1);
    if dims <= 1 {
        return [threads, 1, 1];
    }
    let across = 1 << threads.trailing_zeros().min(5); // gcd(threads, 32)
    [across, threads / across, 1]
}

/// The number of iterations in a box. It may be empty although the product of the other ranges is
/// too large for a number.
pub(super) fn iterations(trips: [u64; 3]) -> u64 {
    if trips.contains(&0) { 0 } else { trips.into_iter().fold(1, u64::saturating_mul) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_wide_as_a_warp_where_they_can_be() {
        for (threads, dims, expected) in [
            (256, 1, [256, 1, 1]),
            (256, 2, [32, 8, 1]),
            (256, 3, [32, 8, 1]),
            (1024, 2, [32, 32, 1]),
            (48, 2, [16, 3, 1]),
            (7, 2, [1, 7, 1]),
            (1, 3, [1, 1, 1]),
            (1, 1, [1, 1, 1]),
        ] {
            assert_eq!(block(threads, dims), expected, "{threads} threads, {dims} ranges");
        }
    }

    /// Every iteration is in exactly one launch, and every launch is within the limits.
    fn check(trips: [u64; 3], block: [u32; 3], threads: u32, expected_pieces: usize) {
        let shape = Shape::new(block, [threads, 1, 1]);
        let all: Vec<Piece> = shape.pieces(trips).collect();
        assert_eq!(all.len(), expected_pieces, "{trips:?}");
        let whole = all.first().filter(|piece| all.len() == 1 && piece.trips.map(u64::from) == trips);
        assert_eq!(shape.whole(trips), whole.map(|piece| piece.grid), "{trips:?}");
        assert_eq!(whole.is_some(), all.len() == 1, "{trips:?}");
        let volume: u128 = all.iter().map(|piece| piece.trips.iter().map(|&n| u128::from(n)).product::<u128>()).sum();
        assert_eq!(volume, trips.iter().map(|&n| u128::from(n)).product(), "{trips:?}");
        assert_eq!(u128::from(iterations(trips)), volume.min(u128::from(u64::MAX)), "{trips:?}");
        for (number, piece) in all.iter().enumerate() {
            assert!(u64::from(piece.grid[0]) * u64::from(threads) < 1 << 32);
            for axis in 0..3 {
                let (most_blocks, blocks) = ([1 << 31, 65_535, 65_535][axis], u64::from(piece.grid[axis]));
                let threads = blocks * u64::from(block[axis]);
                assert!(blocks >= 1 && blocks <= most_blocks && piece.trips[axis] >= 1);
                assert!(threads >= u64::from(piece.trips[axis]) && threads < 1 << 31 || axis > 0);
                assert!(threads - u64::from(piece.trips[axis]) < u64::from(block[axis]));
                assert!(piece.first[axis] + u64::from(piece.trips[axis]) <= trips[axis]);
            }
            for other in &all[..number] {
                let apart = (0..3).any(|axis| {
                    let (a, b) = (piece.first[axis], other.first[axis]);
                    a + u64::from(piece.trips[axis]) <= b || b + u64::from(other.trips[axis]) <= a
                });
                assert!(apart, "{piece:?} and {other:?} share an iteration");
            }
        }
    }

    #[test]
    fn every_iteration_is_launched_once() {
        let x = (1 << 31) - 256;
        check([0, 1, 1], [256, 1, 1], 256, 0);
        check([5, 0, 1], [32, 8, 1], 32, 0);
        check([0, u64::MAX, u64::MAX], [32, 8, 1], 32, 0);
        check([u64::MAX, u64::MAX, 0], [32, 8, 1], 32, 0);
        check([1, 1, 1], [256, 1, 1], 256, 1);
        check([257, 1, 1], [256, 1, 1], 256, 1);
        check([x, 1, 1], [256, 1, 1], 256, 1);
        check([x + 1, 1, 1], [256, 1, 1], 256, 2);
        check([10_000_000_000, 1, 1], [256, 1, 1], 256, 5);
        check([100, 65_535 * 8, 1], [32, 8, 1], 32, 1);
        check([100, 65_535 * 8 + 1, 65_536], [32, 8, 1], 32, 4);
        check([(1 << 31) + 7, 65_535 * 8 + 1, 65_536], [32, 8, 1], 32, 8);
        // Blocks of several threads each.
        check([1 << 24, 1, 1], [1; 3], 256, 2);
        check([(1 << 24) - 1, 1, 1], [1; 3], 256, 1);
        check([1 << 31, 1, 1], [1; 3], 1, 2);
        check([(1 << 22) + 7, 65_536, 1], [1; 3], 1024, 4);
    }
}
