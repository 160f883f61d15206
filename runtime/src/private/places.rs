//! Places of device code on the CPU: elements of arrays and slices with checks that fail as device code does, parts of
//! slices, and explicit panics.

use std::ops::{Index, IndexMut};

use super::views::{Decided, DevMut, DevRef, ElementIndex};
use crate::cpu::panic::{fail, fail_with, out_of_bounds};
use crate::scalar::Scalar;
use crate::value::DeviceValue;

/// An index of an array. A type of its own, so that a bad index fails as device code does.
#[derive(Debug, Clone, Copy)]
pub struct At(usize);

/// An index of a slice.
#[derive(Debug, Clone, Copy)]
pub struct AtSlice(usize);

/// `array[at(index)]`.
#[inline(always)]
pub fn at(index: impl ElementIndex) -> At {
    At(index.get())
}

/// `slice[at_slice(index)]`.
#[inline(always)]
pub fn at_slice(index: impl ElementIndex) -> AtSlice {
    AtSlice(index.get())
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

/// `base[start..end]`; without an end, up to the last element.
#[inline(always)]
#[track_caller]
pub fn part<T, S: AsRef<[T]> + ?Sized>(base: &S, start: impl ElementIndex, end: Option<impl ElementIndex>) -> &[T] {
    let base = base.as_ref();
    let (start, end) = bounds(start.get(), end.map(ElementIndex::get), base.len());
    &base[start..end]
}

/// The same, to write to.
#[inline(always)]
#[track_caller]
pub fn part_mut<T, S: AsMut<[T]> + ?Sized>(
    base: &mut S,
    start: impl ElementIndex,
    end: Option<impl ElementIndex>,
) -> &mut [T] {
    let base = base.as_mut();
    let (start, end) = bounds(start.get(), end.map(ElementIndex::get), base.len());
    &mut base[start..end]
}

/// The end of `..=last`.
#[inline(always)]
#[track_caller]
pub fn past(last: impl ElementIndex) -> usize {
    match last.get().checked_add(1) {
        Some(end) => end,
        None => fail("attempt to index slice up to maximum usize"),
    }
}

#[inline(always)]
#[track_caller]
fn bounds(start: usize, end: Option<usize>, len: usize) -> (usize, usize) {
    let end = end.unwrap_or(len);
    if start > len {
        fail_with(format!("range start index {start} out of range for slice of length {len}"))
    }
    if end > len {
        fail_with(format!("range end index {end} out of range for slice of length {len}"))
    }
    if start > end {
        fail_with(format!("slice index starts at {start} but ends at {end}"))
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

/// The step of `.step_by(step)`.
#[inline(always)]
#[track_caller]
pub fn step(step: impl ElementIndex) -> usize {
    match step.get() {
        0 => fail("assertion failed: step != 0"),
        step => step,
    }
}

impl<T: Scalar> DevRef<T> {
    /// `&view`.
    #[inline(always)]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: start and length are those of the borrow that the view was made from, which outlives the loop (see the
        // type). Only the CPU device calls this, so the memory is the host's.
        unsafe { std::slice::from_raw_parts(self.start(), self.len()) }
    }
}

impl<T: Scalar> DevMut<T> {
    /// `&mut view`.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: start and length are those of the unique borrow that `raw_mut` took, which outlives the loop (see the
        // type). That no other iteration touches these elements meanwhile is what a `par` loop states.
        unsafe { std::slice::from_raw_parts_mut(self.start().cast_mut(), self.len()) }
    }
}

/// `&view[index]`; a bad index fails the iteration. The view stands behind the index, which may borrow it itself.
#[inline(always)]
#[track_caller]
pub fn element<T: Scalar>(index: impl ElementIndex, view: &DevRef<T>) -> &T {
    // SAFETY: `pointer` is to an element of the borrow, which outlives the loop.
    unsafe { &*view.pointer(index) }
}

/// `&mut view[index]`.
#[inline(always)]
#[track_caller]
pub fn element_mut<T: Scalar>(index: impl ElementIndex, view: &mut DevMut<T>) -> &mut T {
    // SAFETY: as above, of a unique borrow; no other iteration touches this element meanwhile.
    unsafe { &mut *view.pointer(index).cast_mut() }
}

/// [`element_mut`] that the launch may have decided; see [`DevRef::get_decided`].
#[inline(always)]
#[track_caller]
pub fn element_mut_decided<T: Scalar>(index: impl ElementIndex, decided: Decided, view: &mut DevMut<T>) -> &mut T {
    // SAFETY: as above.
    unsafe { &mut *view.pointer_decided(index, decided).cast_mut() }
}

/// `place op= value`; the value comes first because Rust evaluates it first.
#[inline(always)]
#[track_caller]
pub fn update<T: Scalar, V>(value: V, place: &mut T, combine: impl FnOnce(T, V) -> T) {
    *place = combine(*place, value);
}
