//! The kernels of these tests.

use std::cell::RefCell;
use std::fmt;

use anabranch::prelude::*;

/// `x = x a + b`, after counting `steps` forward and back again, so that whoever does not wait
/// comes too early.
#[kernel]
pub(crate) fn affine(x: &mut [u32], a: u32, b: u32, steps: u32) {
    for i in par(0..x.len()) {
        let mut s = x[i];
        for _ in 0..steps {
            s = s.wrapping_mul(1664525).wrapping_add(1013904223);
        }
        for _ in 0..steps {
            s = s.wrapping_sub(1013904223).wrapping_mul(4276115653); // the inverse of 1664525
        }
        x[i] = s.wrapping_mul(a).wrapping_add(b);
    }
}

/// Adds 1 and 2, in two groups.
#[kernel]
pub(crate) fn halves(x: &mut [u32], y: &mut [u32]) {
    stream_parallel! {
        {
            for i in par(0..x.len()) {
                x[i] += 1;
            }
        }
        {
            for i in par(0..y.len()) {
                y[i] += 2;
            }
        }
    }
}

/// `to += from`.
#[kernel]
pub(crate) fn add(to: &mut [u32], from: &[u32]) {
    for i in par(0..to.len()) {
        to[i] = to[i].wrapping_add(from[i]);
    }
}

/// Panics where an index is out of bounds.
#[kernel]
pub(crate) fn gather(x: &mut [u32], from: &[u32], indexes: &[u32]) {
    for i in par(0..x.len()) {
        x[i] = from[indexes[i] as usize];
    }
}

/// Prints a line.
#[kernel]
pub(crate) fn shout(x: &mut [u32]) {
    for i in par(0..x.len()) {
        if i == 0 {
            println!("the first is {}", x[i]);
        }
        x[i] += 1;
    }
}

/// The sum, by parts.
#[kernel]
pub(crate) fn sum(x: &[u64], total: &mut [u64]) {
    total[0] = par(0..x.len()).map(|i| x[i]).sum();
}

/// A number whose text runs code: this thread's [`HOOK`], once.
#[device]
#[derive(Clone, Copy)]
pub(crate) struct Calls(pub(crate) u32);

thread_local! {
    pub(crate) static HOOK: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(hook) = HOOK.take() {
            hook();
        }
        write!(f, "{}", self.0)
    }
}

/// Fails with a text that runs code. The elements before number 3 are 1 and 2.
#[kernel]
pub(crate) fn boom(x: &mut [u32], z: &mut [u32]) {
    for i in par(0..x.len()) {
        assert!(i != 3, "boom at {}", Calls(i as u32));
        x[i] = 1;
        z[i] = 2;
    }
}

/// Prints a text that runs code, and fails if `at` is an element.
#[kernel]
pub(crate) fn say(x: &mut [u32], z: &mut [u32], at: usize) {
    // One iteration, which the CPU runs on the thread that launches.
    for i in par(0..1) {
        println!("{}", Calls(x[i]));
    }
    for i in par(0..x.len()) {
        assert!(i != at, "boom at {}", i);
        x[i] += 1;
        z[i] = 2;
    }
}
