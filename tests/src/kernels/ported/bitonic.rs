//! Bitonic sort, of any length.

use anabranch::prelude::*;

/// Sorts upwards. All comparisons put the smaller first, so elements that a length which is no
/// power of two lacks can be taken as greater than all others, and are left out.
#[kernel]
pub fn bitonic_sort<T: Num>(x: &mut [T]) {
    let n = x.len();
    let mut size = 2;
    while size < 2 * n {
        // The second half of a block is reversed: element `i` of a block meets the one that is as
        // far from the end.
        for i in par(0..n) {
            let partner = i ^ (size - 1);
            if i < partner && partner < n {
                // SAFETY: the partner of `partner` is `i`, and only the smaller of the two touches
                // both.
                unsafe {
                    if x[partner] < x[i] {
                        (x[i], x[partner]) = (x[partner], x[i]);
                    }
                }
            }
        }
        let mut stride = size / 4;
        while stride > 0 {
            for i in par(0..n) {
                let partner = i ^ stride;
                if i < partner && partner < n {
                    // SAFETY: as above.
                    unsafe {
                        if x[partner] < x[i] {
                            (x[i], x[partner]) = (x[partner], x[i]);
                        }
                    }
                }
            }
            stride /= 2;
        }
        size *= 2;
    }
}
