//! Host memory that is lent to the CPU device.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch_interop_suite::{affine, double, fail};

use super::*;

#[test]
fn it_is_used_in_place() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (x, mut y) = (vec![3u32; N], vec![0u32; N]);
    device.lend(&x, |x| device.lend_mut(&mut y, |y| double(&stream, x, y))).unwrap();
    assert_eq!(y, [6; N]);
    // Disjoint parts of one vector, and both views at once of what is only read.
    let (left, right) = y.split_at_mut(N / 2);
    device.lend(left, |left| device.lend_mut(right, |right| double(&stream, left, right))).unwrap();
    assert_eq!((y[0], y[N - 1]), (6, 12));
    let sum = device.lend(&x, |a| device.lend(&x, |b| Ok(a.len() + b.len()))).unwrap();
    assert_eq!(sum, 2 * N);
}

#[test]
fn nothing_is_lent() {
    let device = Device::cpu();
    device.lend_mut(&mut [], |x| affine(&device.default_stream(), x, 1, 1, 1)).unwrap();
}

#[test]
fn many_threads_use_it() {
    let device = Device::cpu();
    let mut x = vec![1u32; N];
    device
        .lend_mut(&mut x, |x| {
            let (mut left, mut right) = x.split_at_mut(N / 2);
            std::thread::scope(|scope| {
                let device = &device;
                scope.spawn(move || affine(&device.new_stream().unwrap(), &mut left, 2, 0, 1).unwrap());
                scope.spawn(move || affine(&device.new_stream().unwrap(), &mut right, 3, 0, 1).unwrap());
            });
            Ok(())
        })
        .unwrap();
    assert_eq!((x[0], x[N - 1]), (2, 3));
}

#[test]
fn it_comes_back_after_a_panic_and_after_an_error() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = vec![1u32; N];
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        device.lend_mut(&mut x, |x| -> Result<(), Error> {
            affine(&stream, x, 2, 0, 1)?;
            panic!("of the closure")
        })
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"of the closure"));
    assert_eq!(x, [2; N]);
    refused(device.lend_mut(&mut x, |x| fail(&stream, x, 0)), "attempt to divide by zero");
    stream.synchronize().unwrap();
}

/// A graph would use it after the closure.
#[test]
fn a_capture_refuses_it() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (mut x, mut ours) = (vec![1u32; N], device.zeros::<u32>(N).unwrap());
    let text = "lent memory cannot be captured into a graph";
    refused(device.lend_mut(&mut x, |x| stream.capture(|stream| affine(stream, x, 2, 0, 1))), text);
    refused(device.lend(&x, |x| stream.capture(|stream| ours.copy_from_buffer_async(stream, x))), text);
    refused(device.lend_mut(&mut x, |x| stream.capture(|stream| x.fill_async(stream, 9))), text);
    // An error that the closure swallows fails the capture.
    let swallowed = device.lend(&x, |x| {
        stream.capture(|stream| {
            let _ = double(stream, x, &mut ours);
            Ok(())
        })
    });
    refused(swallowed, "a launch in this capture failed");
    assert_eq!((x, ours.get(0).unwrap()), (vec![1; N], 0));
}

#[test]
fn a_gpu_refuses_it() {
    let Some((_one, device)) = gpu() else { return };
    refused(device.lend(&[1u32; 3], |_| Ok(())), "`lend` of 3 `u32`: CUDA device 0");
    refused(device.lend_mut(&mut [1u32; 3], |_| Ok(())), "copy it with `Device::buffer_from`");
}
