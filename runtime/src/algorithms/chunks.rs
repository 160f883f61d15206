//! How the elements of a slice are divided among blocks, and where the part of each block goes.

use crate::kernel;

/// So few blocks have work that one block adds up what all of them have counted.
pub(super) const MOST_BLOCKS: usize = 1024;

/// How many elements each block gets: whole tiles, the same number for all.
pub(super) fn chunk(len: usize, tile: usize) -> usize {
    len.div_ceil(MOST_BLOCKS).next_multiple_of(tile).max(tile)
}

/// Each count becomes the sum of the counts before it, and `total[0]` the sum of all.
#[kernel(crate = crate)]
pub(super) fn offsets(counts: &mut [u32], total: &mut [u32]) {
    let n = counts.len();
    let part = n.div_ceil(1024);
    for block in par_blocks(0..1).threads(1024) {
        let mut own = block.each(0u32);
        for t in block.threads() {
            for k in 0..part {
                if t * part + k < n {
                    own += counts[t * part + k];
                }
            }
        }
        let before = block.exclusive_sum(own);
        total[0] = block.sum(own);
        let mut sum = block.each(0u32);
        for t in block.threads() {
            sum = before;
            for k in 0..part {
                if t * part + k < n {
                    let count = counts[t * part + k];
                    counts[t * part + k] = sum;
                    sum += count;
                }
            }
        }
    }
}
