//! Places of device code on the CPU: elements of arrays and slices, whose checks fail like those of
//! device code, parts of slices, and explicit panics.

#![allow(unsafe_code, reason = "parts of views")]

use std::ops::{Index, IndexMut};

use anabranch_core::check::{Check, RANGE_END, RANGE_START, message};

use super::views::{DevAtomic, DevMut, DevRef};
use crate::model::judge::Decided;
use crate::model::slots::TypeOf;
use crate::value::DeviceCopy;
use crate::value::DeviceValue;
use crate::value::atomic::Atomic;
use crate::value::check::{fail, fail_check, out_of_bounds};

/// An index of an array. It is a separate type, so that an index out of bounds fails like device
/// code.
#[derive(Debug, Clone, Copy)]
pub struct At(usize);

/// An index of a slice, and whether the launch has shown that it is in bounds.
#[derive(Debug, Clone, Copy)]
pub struct AtSlice(usize, Decided);

/// `array[at(index)]`.
#[inline(always)]
pub fn at(index: usize) -> At {
    At(index)
}

/// `slice[at_slice(index, decided)]`.
#[inline(always)]
pub fn at_slice(index: usize, decided: Decided) -> AtSlice {
    AtSlice(index, decided)
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
    fn index(&self, AtSlice(index, decided): AtSlice) -> &T {
        if decided.is_proved() {
            // SAFETY: the launch has shown that the index is in bounds (`Decided`), with the length
            // of the part of a view that this slice is.
            return unsafe { self.get_unchecked(index) };
        }
        match self.get(index) {
            Some(element) => element,
            None => out_of_bounds(index, self.len()),
        }
    }
}

impl<T> IndexMut<AtSlice> for [T] {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, AtSlice(index, decided): AtSlice) -> &mut T {
        if decided.is_proved() {
            // SAFETY: as above.
            return unsafe { self.get_unchecked_mut(index) };
        }
        let len = self.len();
        match self.get_mut(index) {
            Some(element) => element,
            None => out_of_bounds(index, len),
        }
    }
}

/// A type whose elements device code reads and writes.
#[diagnostic::on_unimplemented(
    message = "cannot index into a value of type `{Self}`",
    label = "device code indexes arrays and slices"
)]
pub trait Indexed {}
impl<T, const N: usize> Indexed for [T; N] {}
impl<T> Indexed for [T] {}

/// What is indexed for reading.
#[inline(always)]
pub fn elements<S: Indexed + ?Sized>(base: &S) -> &S {
    base
}

/// What is indexed for writing.
#[inline(always)]
pub fn elements_mut<S: Indexed + ?Sized>(base: &mut S) -> &mut S {
    base
}

/// A type whose elements device code borrows as a slice.
#[diagnostic::on_unimplemented(
    message = "cannot borrow elements of a value of type `{Self}`",
    label = "device code takes parts of arrays and slices, and visits their elements"
)]
pub trait Sliced {
    /// The element type.
    type Elem;
    /// All elements.
    fn all(&self) -> &[Self::Elem];
    /// All elements, for writing.
    fn all_mut(&mut self) -> &mut [Self::Elem];
}
impl<T, const N: usize> Sliced for [T; N] {
    type Elem = T;
    #[inline(always)]
    fn all(&self) -> &[T] {
        self
    }
    #[inline(always)]
    fn all_mut(&mut self) -> &mut [T] {
        self
    }
}
impl<T> Sliced for [T] {
    type Elem = T;
    #[inline(always)]
    fn all(&self) -> &[T] {
        self
    }
    #[inline(always)]
    fn all_mut(&mut self) -> &mut [T] {
        self
    }
}

/// Unifies a slot with the type of the elements of a slice.
#[inline(always)]
pub fn same_elements<T: DeviceValue>(_: TypeOf<T>, _: &[T]) {}

/// `base[start..end]` of an array, or of a slice that is not a view. Without an end, the part
/// extends to the last element.
#[inline(always)]
#[track_caller]
pub fn part<S: Sliced + ?Sized>(base: &S, start: usize, end: Option<usize>) -> &[S::Elem] {
    let base = base.all();
    let (start, end) = bounds(start, end, base.len());
    &base[start..end]
}

/// [`part`], for writing.
#[inline(always)]
#[track_caller]
pub fn part_mut<S: Sliced + ?Sized>(base: &mut S, start: usize, end: Option<usize>) -> &mut [S::Elem] {
    let base = base.all_mut();
    let (start, end) = bounds(start, end, base.len());
    &mut base[start..end]
}

/// `view[start..end]`. It is made from the view's pointer and not from a slice of the whole view,
/// because other iterations may hold parts of the view that they write. The view is the last
/// parameter, because the bounds may borrow it themselves.
#[inline(always)]
#[track_caller]
pub fn view_part<V: Elements>(start: usize, end: Option<usize>, view: &V) -> &[V::Elem] {
    let view = view.read();
    let (start, end) = bounds(start, end, view.len());
    // SAFETY: `bounds` has checked that both are within the borrow that the view was made from,
    // which outlives the loop (see `DevRef`). Only the CPU device calls this, so this is host
    // memory.
    unsafe { std::slice::from_raw_parts(view.start().add(start), end - start) }
}

/// [`view_part`], for writing.
#[inline(always)]
#[track_caller]
pub fn view_part_mut<T: DeviceCopy>(start: usize, end: Option<usize>, view: &mut DevMut<T>) -> &mut [T] {
    let view = DevMut::read(view);
    let (start, end) = bounds(start, end, view.len());
    // SAFETY: as above, with a unique borrow. A `par` loop guarantees that no other iteration
    // accesses these elements in the meantime.
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

/// The values of a `for` loop over an array, with a slot for their type. Only arrays are supported.
#[inline(always)]
pub fn array<T: DeviceValue, const N: usize>(_: TypeOf<T>, array: [T; N]) -> [T; N] {
    array
}

/// A view whose elements a loop may read.
pub trait Elements {
    /// The element type.
    type Elem: DeviceCopy;
    /// The view for reading.
    fn read(&self) -> DevRef<Self::Elem>;
}
impl<T: DeviceCopy> Elements for DevRef<T> {
    type Elem = T;
    #[inline(always)]
    fn read(&self) -> DevRef<T> {
        *self
    }
}
impl<T: DeviceCopy> Elements for DevMut<T> {
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
    // SAFETY: start and length are those of the borrow that the view was made from, which outlives
    // the loop (see `DevRef`). Only the CPU device calls this, so this is host memory.
    unsafe { std::slice::from_raw_parts(view.start(), view.len()) }
}

/// `&mut view`.
#[inline(always)]
pub fn whole_mut<T: DeviceCopy>(view: &mut DevMut<T>) -> &mut [T] {
    let view = DevMut::read(view);
    // SAFETY: start and length are those of the unique borrow that `raw_mut` took, which outlives
    // the loop (see `DevRef`). A `par` loop guarantees that no other iteration accesses these
    // elements in the meantime.
    unsafe { std::slice::from_raw_parts_mut(view.start().cast_mut(), view.len()) }
}

/// What a slice is indexed with: `usize`.
#[diagnostic::on_unimplemented(
    message = "device code cannot index a slice with `{Self}`",
    label = "expected `usize`",
    note = "convert a number: `x[i as usize]`; a grid, not a slice, has several indexes: `g[[y, x]]`"
)]
pub trait SliceIndex {
    #[allow(missing_docs)]
    fn ab_index(self) -> usize;
}
#[diagnostic::do_not_recommend]
impl SliceIndex for usize {
    #[inline(always)]
    fn ab_index(self) -> usize {
        self
    }
}

/// The index of an element. The functions with views do not ask for the trait themselves: if they
/// are generic, loops are no longer made into vectors.
#[inline(always)]
pub fn index<I: SliceIndex>(index: I) -> usize {
    index.ab_index()
}

/// `&view`, of atomics.
#[inline(always)]
pub fn whole_atomic<A: Atomic>(view: &DevAtomic<A>) -> &[A] {
    let values = view.values();
    // SAFETY: as for `cell`, of all elements.
    unsafe { std::slice::from_raw_parts(values.start().cast(), values.len()) }
}

// In the following functions the view comes after the index, which may borrow it itself:
// `x[f(&mut x[0])]`.

/// Reads `view[index]`. An index out of bounds fails the iteration. The launch's decision is the
/// same for the whole loop, so the compiler makes two versions of the loop, one without checks.
#[inline(always)]
#[track_caller]
pub fn load<V: Elements>(index: usize, decided: Decided, view: &V) -> V::Elem {
    // SAFETY: `pointer` returns a pointer to an element of the borrow, which outlives the loop (see
    // `DevRef`). Only the CPU device calls this, so this is host memory.
    unsafe { *view.read().pointer(index, decided) }
}

/// `&view[index]`.
#[inline(always)]
#[track_caller]
pub fn element<V: Elements>(index: usize, decided: Decided, view: &V) -> &V::Elem {
    // SAFETY: as in `load`.
    unsafe { &*view.read().pointer(index, decided) }
}

/// `&mut view[index]`.
#[inline(always)]
#[track_caller]
pub fn element_mut<T: DeviceCopy>(index: usize, decided: Decided, view: &mut DevMut<T>) -> &mut T {
    // SAFETY: as in `load`, with a unique borrow; no other iteration accesses this element in the
    // meantime.
    unsafe { &mut *DevMut::read(view).pointer(index, decided).cast_mut() }
}

/// `&view[index]` of atomics, which all iterations share.
#[inline(always)]
#[track_caller]
pub fn cell<A: Atomic>(index: usize, decided: Decided, view: &DevAtomic<A>) -> &A {
    // SAFETY: the pointer is to an element of the borrow, which outlives the loop (see `DevRef`).
    // The borrow was unique, and all code with this view uses the elements as atomics, which have
    // the same layout as their values (`Atomic`).
    unsafe { &*view.values().pointer(index, decided).cast() }
}

/// `place op= value`. The value comes first, because Rust evaluates it first.
#[inline(always)]
#[track_caller]
pub fn update<T: DeviceCopy, V>(value: V, place: &mut T, combine: impl FnOnce(T, V) -> T) {
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
