//! Packing the parameters of a launch allocates nothing, whatever a loop uses of the host part.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use anabranch::private::launch::{dim, packed};

/// The system's allocator, and how often each thread has asked it.
struct Counting;

thread_local!(static CALLS: Cell<u64> = const { Cell::new(0) });

// SAFETY: what this promises, the system's allocator keeps; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above; `start` comes from `alloc`.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(run: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    run();
    CALLS.get() - before
}

#[test]
fn captured_values_are_packed_without_an_allocation() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1, "they are counted");
    let captured = (1.5f32, ((2u8, (3i128, true)), ([(4u16, 5u64); 6], ([[7.0f64; 2]; 3], ((), ())))));
    let large = ([9u64; 200], captured);
    let (dims, mut counts) = (dim(0u32, 9), [0; 2]);
    let calls = allocations(|| {
        counts[0] = packed(&dims, &captured, |_, params| params.as_pointers().len());
        counts[1] = packed(&dims, &large, |_, params| params.as_pointers().len());
    });
    assert_eq!((calls, counts), (0, [5 + 3, 6 + 3]), "the captures, and the range as three numbers");
}
