#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
use anabranch::prelude::*;

#[device]
pub fn get(x: &u32) -> u32 {
    *x
}

#[device]
pub fn set(x: &mut u32, v: u32) {
    *x = v;
}

#[device]
pub fn sum(x: &[u32]) -> u32 {
    let mut s = 0u32;
    for k in 0..x.len() {
        s = s.wrapping_mul(31).wrapping_add(x[k]);
    }
    s
}

#[device]
pub fn put(x: &mut [u32], v: u32) {
    for k in 0..x.len() {
        x[k] = v.wrapping_add(k as u32);
    }
}

static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Counts how often it is evaluated.
pub fn once<T>(value: T) -> T {
    CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    value
}

/// Returns one number, then the other, and then nothing.
pub fn pair<T: Copy>(first: T, second: T) -> impl FnMut() -> T {
    let mut numbers = vec![second, first];
    move || numbers.pop().unwrap()
}

/// A number whose operators do not obey the laws of arithmetic.
#[derive(Clone, Copy)]
pub struct Odd<T>(pub T, pub T);

impl<T> std::ops::Mul<i32> for Odd<T> {
    type Output = T;
    fn mul(self, _: i32) -> T {
        self.0
    }
}

impl<T> std::ops::Add for Odd<T> {
    type Output = T;
    fn add(self, _: Self) -> T {
        self.1
    }
}

