//! What the variables of a block of threads take: a GPU has so much shared memory for each block, and a thread of the CPU so much stack.

use std::marker::PhantomData;

/// Shared memory that every GPU has for each block.
const MOST_SHARED: usize = 48 << 10;
/// Bytes of one value of each thread, for all threads: far below the stack of a thread of the CPU device.
const MOST_OF_EACH: usize = 256 << 10;

/// Types of shared arrays, one after the other.
pub trait Arrays {
    /// What they take.
    const BYTES: usize;
}

impl Arrays for () {
    const BYTES: usize = 0;
}

/// One more array.
pub struct And<A, T>(PhantomData<(A, T)>);

impl<A: Arrays, T> Arrays for And<A, T> {
    const BYTES: usize = A::BYTES.next_multiple_of(align_of::<T>()).saturating_add(size_of::<T>());
}

/// An array that the threads of a block share, behind others.
///
/// Does not compile if all of them take more than 48 KiB.
pub fn shared<A: Arrays, T>(_before: A, _array: &T) -> And<A, T> {
    const {
        assert!(
            And::<A, T>::BYTES <= MOST_SHARED,
            "the arrays that the threads of a block share take more than 48 KiB: make them smaller, or give a block less to do"
        )
    }
    And(PhantomData)
}

/// The values of all threads of a block.
///
/// Does not compile if they take more than 256 KiB.
pub fn each<T>(_all: &T) {
    const {
        assert!(
            size_of::<T>() <= MOST_OF_EACH,
            "a value of each thread takes more than 256 KiB in all threads of a block: make it smaller, or let fewer threads run a block"
        )
    }
}
