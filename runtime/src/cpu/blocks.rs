//! What the variables of a block of threads take: a GPU has so much shared memory for each block,
//! and a thread of the CPU so much stack. And the rounds of a phase.

use std::marker::PhantomData;
use std::ops::Range;

use crate::model::ranges::Index;

/// Shared memory that every GPU has for each block is 48 KiB. The last two are for collectives, and
/// for a word about failed threads.
const MOST_SHARED: usize = 46 << 10;
/// Bytes of all variables of a block: far below the stack of a thread of the CPU device, on which
/// there may be copies of them.
const MOST: usize = 256 << 10;

/// The variables of a block so far.
pub trait Variables {
    /// Bytes of shared arrays.
    const SHARED: usize;
    /// Bytes of all variables.
    const ALL: usize;
}

/// None yet. These types are `Copy`, because a variable that is made in a branch or a round of a
/// loop does not end those around it.
#[derive(Clone, Copy)]
pub struct Empty;

impl Variables for Empty {
    const SHARED: usize = 0;
    const ALL: usize = 0;
}

/// One more array that the threads share.
#[derive(Clone, Copy)]
pub struct Shared<V, T>(PhantomData<(V, T)>);

impl<V: Variables, T> Variables for Shared<V, T> {
    const SHARED: usize = V::SHARED.next_multiple_of(align_of::<T>()).saturating_add(size_of::<T>());
    const ALL: usize = V::ALL.saturating_add(size_of::<T>());
}

/// The values of all threads, too.
#[derive(Clone, Copy)]
pub struct Each<V, T>(PhantomData<(V, T)>);

impl<V: Variables, T> Variables for Each<V, T> {
    const SHARED: usize = V::SHARED;
    const ALL: usize = V::ALL.saturating_add(size_of::<T>());
}

/// An array that the threads of a block share, beside other variables.
///
/// Does not compile if the arrays take more than 46 KiB.
pub fn shared<V: Variables, T>(_before: &V, _array: &T) -> Shared<V, T> {
    const {
        assert!(
            Shared::<V, T>::SHARED <= MOST_SHARED,
            "the arrays that the threads of a block share take more than 46 KiB: make them smaller, or give a block less to do"
        )
    }
    Shared(PhantomData)
}

/// The values of all threads of a block, beside other variables.
///
/// Does not compile if the variables take more than 256 KiB.
pub fn each<V: Variables, T>(_before: &V, _all: &T) -> Each<V, T> {
    const {
        assert!(
            Each::<V, T>::ALL <= MOST,
            "the variables of a block take more than 256 KiB, those of all threads together: make them smaller, or let fewer threads run it"
        )
    }
    Each(PhantomData)
}

/// The rounds of a phase over one range, of `T` iterations each: the first index of each, and how
/// many there are.
#[inline(always)]
pub fn rounds<const T: usize, I: Index>(range: Range<I>) -> impl Iterator<Item = (I, usize)> {
    let (mut first, mut left) = (range.start, count(&range));
    std::iter::from_fn(move || {
        let count = left.min(T);
        let round = (first, count);
        first = first.after(count, 1);
        left -= count;
        (count > 0).then_some(round)
    })
}

/// How many iterations there are in a range.
#[inline(always)]
pub fn count<I: Index>(range: &Range<I>) -> usize {
    let Range { start, end } = *range;
    if start < end { usize::try_from(start.distance(end)).unwrap_or(usize::MAX) } else { 0 }
}

/// The index of an iteration in a round that begins with `first`.
#[inline(always)]
pub fn nth<I: Index>(first: I, at: usize) -> I {
    first.after(at, 1)
}
