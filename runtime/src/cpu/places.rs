//! Places of device code on the CPU: elements of arrays and slices with checks that fail as device code does, parts of
//! slices, and explicit panics.

use std::ops::{Index, IndexMut};

use anabranch_core::check::{Check, RANGE_END, RANGE_START, message};

use super::views::{DevAtomic, DevMut, DevRef};
use crate::decide::Decided;
use crate::value::DeviceValue;
use crate::value::atomic::Atomic;
use crate::value::check::{fail, fail_check, out_of_bounds};
use crate::value::scalar::Scalar;

/// An index of an array. A type of its own, so that a bad index fails as device code does.
#[derive(Debug, Clone, Copy)]
pub struct At(usize);

/// An index of a slice.
#[derive(Debug, Clone, Copy)]
pub struct AtSlice(usize);

/// `array[at(index)]`.
#[inline(always)]
pub fn at(index: usize) -> At {
    At(index)
}

/// `slice[at_slice(index)]`.
#[inline(always)]
pub fn at_slice(index: usize) -> AtSlice {
    AtSlice(index)
}

impl<T, const N: usize> Index<At> for [T; N] {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, At(index): At) -> &T {
        match self.as_slice().get(index) {
            Some(element) => element,
            None => out_of_bounds(index, N),
        }
    }
}

impl<T, const N: usize> IndexMut<At> for [T; N] {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, At(index): At) -> &mut T {
        match self.as_mut_slice().get_mut(index) {
            Some(element) => element,
            None => out_of_bounds(index, N),
        }
    }
}

impl<T> Index<AtSlice> for [T] {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, AtSlice(index): AtSlice) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => out_of_bounds(index, self.len()),
        }
    }
}

impl<T> IndexMut<AtSlice> for [T] {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, AtSlice(index): AtSlice) -> &mut T {
        let len = self.len();
        match self.get_mut(index) {
            Some(element) => element,
            None => out_of_bounds(index, len),
        }
    }
}

/// `base[start..end]` of an array, or of a slice that is no view; without an end, up to the last element.
#[inline(always)]
#[track_caller]
pub fn part<T, S: AsRef<[T]> + ?Sized>(base: &S, start: usize, end: Option<usize>) -> &[T] {
    let base = base.as_ref();
    let (start, end) = bounds(start, end, base.len());
    &base[start..end]
}

/// The same, to write to.
#[inline(always)]
#[track_caller]
pub fn part_mut<T, S: AsMut<[T]> + ?Sized>(base: &mut S, start: usize, end: Option<usize>) -> &mut [T] {
    let base = base.as_mut();
    let (start, end) = bounds(start, end, base.len());
    &mut base[start..end]
}

/// `view[start..end]`. Made from the view's pointer, and not of a slice of the whole view: of that, other iterations hold parts
/// that they write. The view stands behind the bounds, which may borrow it themselves.
#[inline(always)]
#[track_caller]
pub fn view_part<V: Elements>(start: usize, end: Option<usize>, view: &V) -> &[V::Elem] {
    let view = view.read();
    let (start, end) = bounds(start, end, view.len());
    // SAFETY: `bounds` has checked that both are within the borrow that the view was made from, which outlives the loop (see
    // `DevRef`). Only the CPU device calls this, so the memory is the host's.
    unsafe { std::slice::from_raw_parts(view.start().add(start), end - start) }
}

/// The same, to write to.
#[inline(always)]
#[track_caller]
pub fn view_part_mut<T: Scalar>(start: usize, end: Option<usize>, view: &mut DevMut<T>) -> &mut [T] {
    let view = DevMut::read(view);
    let (start, end) = bounds(start, end, view.len());
    // SAFETY: as above, of a unique borrow; no other iteration touches these elements meanwhile, which is what a `par` loop
    // states.
    unsafe { std::slice::from_raw_parts_mut(view.start().cast_mut().add(start), end - start) }
}

/// The end of `..=last`.
#[inline(always)]
#[track_caller]
pub fn past(last: usize) -> usize {
    match last.checked_add(1) {
        Some(end) => end,
        None => fail_check(Check::Range, u64::MAX, 0),
    }
}

#[inline(always)]
#[track_caller]
fn bounds(start: usize, end: Option<usize>, len: usize) -> (usize, usize) {
    let end = end.unwrap_or(len);
    if start > len {
        fail_check(Check::Range, start as u64, len as u64 | RANGE_START)
    }
    if end > len {
        fail_check(Check::Range, end as u64, len as u64 | RANGE_END)
    }
    if start > end {
        fail_check(Check::Range, start as u64, end as u64)
    }
    (start, end)
}

/// `panic!(message)`.
#[cold]
#[inline(never)]
#[track_caller]
pub fn panic(message: &'static str) -> ! {
    fail(message)
}

/// What a `for` loop over values runs over: an array, and nothing else.
#[inline(always)]
pub fn array<T: DeviceValue, const N: usize>(array: [T; N]) -> [T; N] {
    array
}

/// A view whose elements a loop may read.
pub trait Elements {
    /// The element type.
    type Elem: Scalar;
    /// For reading.
    fn read(&self) -> DevRef<Self::Elem>;
}
impl<T: Scalar> Elements for DevRef<T> {
    type Elem = T;
    #[inline(always)]
    fn read(&self) -> DevRef<T> {
        *self
    }
}
impl<T: Scalar> Elements for DevMut<T> {
    type Elem = T;
    #[inline(always)]
    fn read(&self) -> DevRef<T> {
        DevMut::read(self)
    }
}

/// `&view`.
#[inline(always)]
pub fn whole<V: Elements>(view: &V) -> &[V::Elem] {
    let view = view.read();
    // SAFETY: start and length are those of the borrow that the view was made from, which outlives the loop (see
    // `DevRef`). Only the CPU device calls this, so the memory is the host's.
    unsafe { std::slice::from_raw_parts(view.start(), view.len()) }
}

/// `&mut view`.
#[inline(always)]
pub fn whole_mut<T: Scalar>(view: &mut DevMut<T>) -> &mut [T] {
    let view = DevMut::read(view);
    // SAFETY: start and length are those of the unique borrow that `raw_mut` took, which outlives the loop (see
    // `DevRef`). That no other iteration touches these elements meanwhile is what a `par` loop states.
    unsafe { std::slice::from_raw_parts_mut(view.start().cast_mut(), view.len()) }
}

/// `&view`, of atomics.
#[inline(always)]
pub fn whole_atomic<A: Atomic>(view: &DevAtomic<A>) -> &[A] {
    let values = view.values();
    // SAFETY: as for `cell`, of all elements.
    unsafe { std::slice::from_raw_parts(values.start().cast(), values.len()) }
}

// The view stands behind the index, which may borrow it itself: `x[f(&mut x[0])]`.

/// `view[index]`, read; a bad index fails the iteration. Where the launch may have decided, that is the same for the whole
/// loop, so that the compiler makes two of it, one of them without checks.
#[inline(always)]
#[track_caller]
pub fn load<V: Elements>(index: usize, decided: Decided, view: &V) -> V::Elem {
    // SAFETY: `pointer` is to an element of the borrow, which outlives the loop (see `DevRef`). Only the CPU device
    // calls this, so the memory is the host's.
    unsafe { *view.read().pointer(index, decided) }
}

/// `&view[index]`.
#[inline(always)]
#[track_caller]
pub fn element<V: Elements>(index: usize, view: &V) -> &V::Elem {
    // SAFETY: as in `load`.
    unsafe { &*view.read().pointer(index, Decided::NO) }
}

/// `&mut view[index]`.
#[inline(always)]
#[track_caller]
pub fn element_mut<T: Scalar>(index: usize, decided: Decided, view: &mut DevMut<T>) -> &mut T {
    // SAFETY: as in `load`, of a unique borrow; no other iteration touches this element meanwhile.
    unsafe { &mut *DevMut::read(view).pointer(index, decided).cast_mut() }
}

/// `&view[index]` of atomics, which all iterations share.
#[inline(always)]
#[track_caller]
pub fn cell<A: Atomic>(index: usize, decided: Decided, view: &DevAtomic<A>) -> &A {
    // SAFETY: the pointer is to an element of the borrow, which outlives the loop (see `DevRef`); the borrow was unique, and
    // whoever has this view treats the elements as atomics, which look like their values (`Atomic`).
    unsafe { &*view.values().pointer(index, decided).cast() }
}

/// `place op= value`; the value comes first because Rust evaluates it first.
#[inline(always)]
#[track_caller]
pub fn update<T: Scalar, V>(value: V, place: &mut T, combine: impl FnOnce(T, V) -> T) {
    *place = combine(*place, value);
}

/// `(a..b).rev()`.
#[inline(always)]
pub fn rev<I: DoubleEndedIterator>(range: I) -> std::iter::Rev<I> {
    range.rev()
}

/// `(a..b).step_by(by)`; a step of 0 fails the iteration.
#[inline(always)]
#[track_caller]
pub fn step_by<I: Iterator>(range: I, by: usize) -> std::iter::StepBy<I> {
    match by {
        0 => fail(message::STEP),
        by => range.step_by(by),
    }
}
