//! Memory and streams of other libraries: used in place, ordered, refused, and given back.

mod arrays;
mod cudarc;
mod host;
mod owners;
mod raw;
mod tensors;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anabranch::prelude::*;

/// The number of elements of most tests.
const N: usize = 1000;
/// Steps of a kernel that is still at work when the next call comes.
const SLOW: u32 = 20_000;

/// The first GPU, for one test at a time, so that a panic of device code reaches the test that
/// caused it. `None` on a machine without. The device comes behind the lock, so that it is closed
/// before the next test begins.
fn gpu() -> Option<(MutexGuard<'static, ()>, Device)> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if Device::cuda_count().unwrap() == 0 {
        println!("skipped: no CUDA device");
        return None;
    }
    Some((guard, Device::cuda(0).unwrap()))
}

/// The second GPU, if there is one.
fn second() -> Option<Device> {
    if Device::cuda_count().unwrap() < 2 {
        println!("skipped: one CUDA device");
        return None;
    }
    Some(Device::cuda(1).unwrap())
}

/// Counts how often its clones of an owner are dropped.
#[derive(Debug, Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// An owner. What it holds is dropped before it counts.
struct Owner<T>(Option<T>, Count);

impl<T> Owner<T> {
    fn new(value: T, count: &Count) -> Self {
        Self(Some(value), count.clone())
    }
}

impl<T> Drop for Owner<T> {
    fn drop(&mut self) {
        self.0 = None;
        self.1.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Fails unless the call is refused with this text.
#[track_caller]
fn refused<T>(result: Result<T, impl Into<Error>>, text: &str) {
    match result {
        Ok(_) => panic!("not refused: {text}"),
        Err(error) => {
            let error = error.into().to_string();
            assert!(error.contains(text), "`{error}` does not contain `{text}`");
        }
    }
}

/// Fails unless all elements are this one.
#[track_caller]
fn all(values: &[u32], expected: u32, what: &str) {
    if let Some(index) = values.iter().position(|value| *value != expected) {
        panic!("{what}: element {index} of {} is {}, and not {expected}", values.len(), values[index]);
    }
}
