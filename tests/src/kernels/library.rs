//! Library kernels. The library of a GPU is the driver itself, which everybody has; that of the CPU
//! is a loop.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use anabranch::library::{Input, Output};
use anabranch::prelude::*;

use super::called::{affine, append};

/// Somebody else's work.
pub mod vendor {
    use std::ffi::{c_int, c_void};

    use crate::driver::function;
    use crate::gpus::on_hip;

    /// Copies on a stream of the device.
    ///
    /// # Safety
    /// Both parts have so many bytes, and what is queued on the stream may use them.
    pub unsafe fn copy(stream: *mut c_void, to: *mut c_void, from: *const c_void, bytes: usize) {
        type Copy = unsafe extern "C" fn(u64, u64, usize, *mut c_void) -> c_int;
        // SAFETY: the functions have this type; the caller promises the rest.
        let result = unsafe {
            let copy = function::<Copy>("cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync");
            copy(to as u64, from as u64, bytes, stream)
        };
        assert_eq!(result, 0, "the copy");
    }

    /// Makes no context current, as a library may leave it. On HIP, which has none, makes the
    /// second device current if there is one.
    pub fn leave_no_context() {
        type SetCurrent = unsafe extern "C" fn(usize) -> c_int;
        // SAFETY: both functions have this type, since the C ABI passes an int as a word; 0 means
        // no context.
        let result = unsafe { function::<SetCurrent>("cuCtxSetCurrent", "hipSetDevice")(usize::from(on_hip())) };
        assert!(result == 0 || on_hip(), "cuCtxSetCurrent");
    }
}

/// The lengths of a copy that cannot be.
#[derive(Debug, PartialEq, Eq)]
pub struct Uneven(pub usize, pub usize);

impl fmt::Display for Uneven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements do not fit {}", self.0, self.1)
    }
}

impl std::error::Error for Uneven {}

fn copied<T: Copy>(stream: &Stream, from: &Input<'_, T>, to: &mut Output<'_, T>) -> Result<(), Uneven> {
    if from.len() != to.len() {
        return Err(Uneven(from.len(), to.len()));
    }
    match (from.as_slice(), to.as_mut_slice()) {
        (Some(from), Some(to)) => to.copy_from_slice(from),
        // SAFETY: both have these bytes, and the library works on the stream of the kernel.
        _ => unsafe {
            vendor::copy(stream.as_raw(), to.as_mut_ptr().cast(), from.as_ptr().cast(), size_of::<T>() * to.len());
        },
    }
    Ok(())
}

/// `to = from`, of any type.
#[kernel(library)]
pub fn copy<T: Scalar>(stream: &Stream, from: &[T], to: &mut [T]) -> Result<(), Uneven> {
    copied(stream, &from, &mut to)
}

/// The same with a library that changes the current context.
#[kernel(library)]
pub fn rude_copy(
    stream: &Stream,
    from: &[u32],
    to: &mut [u32],
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    copied(stream, &from, &mut to)?;
    if !stream.device().is_cpu() {
        vendor::leave_no_context();
    }
    Ok(())
}

/// Panics.
#[kernel(library)]
pub fn panics(_: &Stream, x: &mut [u32], with: String) {
    panic!("{with}, {} elements", x.len());
}

/// Copies to places that the host knows as slices, atomics and grids.
#[kernel(library)]
pub fn shapes(
    stream: &Stream,
    from: &Grid<u32, 2>,
    bins: &[AtomicU32],
    to: &mut Grid<u32, 2>,
    seen: Arc<Mutex<Vec<usize>>>,
) {
    let [rows, columns] = from.shape();
    assert_eq!((to.len(), to.is_empty()), (rows * columns, rows * columns == 0));
    let mut seen = seen.lock().unwrap();
    seen.extend(from.shape().into_iter().chain(from.strides()).chain(to.strides()).chain([bins.len()]));
    let ([from_row, _], [to_row, _]) = (from.strides(), to.strides());
    if let Some(bins) = bins.as_slice() {
        assert_eq!((from.as_slice().is_some(), to.as_slice().is_some()), (columns == from_row, columns == to_row));
        for bin in bins {
            bin.fetch_add(1, Ordering::Relaxed);
        }
    }
    for row in 0..rows {
        // SAFETY: the row is inside of both grids; on the CPU the memory is the host's.
        unsafe {
            let (from, to) = (from.as_ptr().add(row * from_row), to.as_mut_ptr().add(row * to_row));
            match stream.device().is_cpu() {
                true => std::ptr::copy_nonoverlapping(from, to, columns),
                false => vendor::copy(stream.as_raw(), to.cast(), from.cast(), 4 * columns),
            }
        }
    }
}

/// What a body gets as a value.
pub type Told = Arc<Mutex<Vec<String>>>;

/// A body with the stream, a slice and what it tells.
pub type Body = fn(&Stream, &mut Output<'_, u32>, &Told);

/// Any body.
#[kernel(library)]
pub fn body(stream: &Stream, x: &mut [u32], told: Told, body: Body) {
    body(stream, &mut x, &told);
}

/// Library kernels in every place where a call can stand.
#[kernel]
pub fn everywhere(x: &mut [u32], y: &mut [u32], z: &mut [u32], rounds: u32) {
    affine(&mut x, 2, 1);
    copy(&x, &mut y);
    for round in 0..rounds {
        affine(&mut y, 3, round);
        if round % 2 == 0 { copy(&y, &mut x) } else { copy::<u32>(&x, &mut y) }
    }
    stream_parallel! {
        'both: {
            for i in par(0..x.len()) {
                x[i] = x[i].wrapping_mul(5).wrapping_add(y[i]);
            }
            pair(&mut x, &mut y);
        }
        'halves: {
            let (lo, hi) = z.split_at_mut(z.len() / 2);
            stream_parallel! {
                { affine(&mut lo, 7, 3); }
                { affine(&mut hi, 9, 4); }
            }
            rude_copy(&lo, &mut hi[..lo.len()]);
            affine(&mut hi, 11, 5);
        }
    }
    append(&mut x, &z);
}

/// A library kernel beside one that is called, in groups.
#[kernel]
pub fn pair(x: &mut [u32], y: &mut [u32]) {
    let half = x.len() / 2;
    stream_parallel! {
        {
            let (lo, hi) = x.split_at_mut(half);
            copy(&lo, &mut hi[..half]);
        }
        { affine(&mut y, 13, 6); }
    }
    copy(&y[..half], &mut x[..half]);
}

/// A library kernel that fails where the lengths differ, beside another group and between loops.
#[kernel]
pub fn may_fail(x: &mut [u32], y: &mut [u32], z: &mut [u32], take: usize) {
    stream_parallel! {
        'fails: {
            affine(&mut x, 2, 1);
            copy(&x[..take], &mut y);
            affine(&mut x, 2, 1);
        }
        'beside: {
            affine(&mut z, 3, 1);
            copy_twice(&mut z);
        }
    }
    affine(&mut z, 0, 77);
}

/// Ends with an error of its own where `z` has an odd number of elements.
#[kernel]
pub fn copy_twice(z: &mut [u32]) {
    let (lo, hi) = z.split_at_mut(z.len() / 2);
    copy(&lo, &mut hi);
}

/// A body that panics, beside another group.
#[kernel]
pub fn may_panic(x: &mut [u32], y: &mut [u32]) {
    stream_parallel! {
        { affine(&mut x, 2, 1); panics(&mut x, String::from("no")); affine(&mut x, 2, 1); }
        { affine(&mut y, 3, 1); panics(&mut y, String::from("neither")); }
    }
    affine(&mut y, 0, 77);
}

/// Bodies in two groups.
#[kernel]
pub fn bodies(x: &mut [u32], y: &mut [u32], told: &Told, of: Body) {
    stream_parallel! {
        { body(&mut x, told.clone(), of); affine(&mut x, 2, 1); }
        { affine(&mut y, 3, 1); body(&mut y, told.clone(), of); }
    }
}

/// Grids and parts of them.
#[kernel]
pub fn of_shapes(from: &Grid<u32, 2>, bins: &[AtomicU32], to: &mut Grid<u32, 2>, seen: &Arc<Mutex<Vec<usize>>>) {
    shapes(&from, &bins, &mut to, seen.clone());
}

super::sources! {
    copy::<f64>, rude_copy, panics, shapes, body, everywhere, pair, may_fail, copy_twice, may_panic, bodies, of_shapes,
}
