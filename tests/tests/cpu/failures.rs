//! What goes wrong at run time: nothing is poisoned, and the error says where.

use anabranch::prelude::*;
use anabranch_tests::kernels::{arithmetic, groups, ranges};

use crate::cpu;

#[track_caller]
fn panic_of(error: Error, file: &str, line_of: &str) -> String {
    let Error::KernelPanic { file: at, line, message, .. } = error else { panic!("not a kernel panic: {error}") };
    assert!(at.replace('\\', "/").ends_with(file), "{at}");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let source = std::fs::read_to_string(format!("{root}{file}")).unwrap();
    let found = source.lines().nth(line as usize - 1).unwrap_or_default();
    assert!(found.contains(line_of), "line {line} is `{found}`");
    message
}

#[test]
fn a_bad_index_is_reported_where_it_stands_and_the_device_works_on() {
    for n in [10, 100_000] {
        let (device, stream) = cpu();
        let y: Vec<u32> = (0..n).collect();
        let dy = device.buffer_from(&y).unwrap();
        let mut x = device.zeros::<u32>(y.len()).unwrap();
        ranges::out_of_bounds(&stream, &mut x, &dy, 1).unwrap();
        let message = panic_of(stream.synchronize().unwrap_err(), "src/kernels/ranges.rs", "x[i] = y[i + shift];");
        assert_eq!(message, format!("index out of bounds: the len is {n} but the index is {n}"));
        // Reported once, and the next launch is fine.
        stream.synchronize().unwrap();
        ranges::out_of_bounds(&stream, &mut x, &dy, 0).unwrap();
        assert_eq!(x.to_vec().unwrap(), y);
    }
}

#[test]
fn reading_a_buffer_reports_the_panic_too() {
    let (device, stream) = cpu();
    let mut x = device.zeros::<u32>(3).unwrap();
    ranges::out_of_bounds(&stream, &mut x, &device.zeros::<u32>(1).unwrap(), 0).unwrap();
    assert!(matches!(x.to_vec(), Err(Error::KernelPanic { .. })));
    assert!(x.to_vec().is_ok());
}

#[test]
fn division_says_what_rust_says() {
    let cases = [(1, 0, "attempt to divide by zero"), (i32::MIN, -1, "attempt to divide with overflow")];
    for (a, b, expected) in cases {
        let (device, stream) = cpu();
        let (da, db) = (device.buffer_from(&[a]).unwrap(), device.buffer_from(&[b]).unwrap());
        let (mut q, mut r) = (device.zeros::<i32>(1).unwrap(), device.zeros::<i32>(1).unwrap());
        arithmetic::quotients(&stream, &da, &db, &mut q, &mut r).unwrap();
        let message =
            panic_of(stream.synchronize().unwrap_err(), "src/kernels/arithmetic.rs", "quotient[i] = a[i] / b[i];");
        assert_eq!(message, expected);
    }
}

#[test]
fn a_panic_in_one_group_leaves_the_others_alone() {
    let (device, stream) = cpu();
    // 'motion reads `vel` beyond its end; 'heat is not touched by that.
    let mut pos = device.zeros::<f32>(64).unwrap();
    let mut vel = device.zeros::<f32>(8).unwrap();
    let mut heat = device.buffer_from(&[1.0f32; 64]).unwrap();
    groups::step(&stream, &mut pos, &mut vel, &mut heat, 0.1).unwrap();
    assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
    assert_eq!(heat.to_vec().unwrap(), [1.0f32 * 0.99 + 0.01; 64]);
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    let (device, _) = cpu();
    let other = Device::cpu();
    let mut x = device.zeros::<u32>(3).unwrap();
    let y = device.zeros::<u32>(3).unwrap();
    let error = ranges::out_of_bounds(&other.default_stream(), &mut x, &y, 0).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("out_of_bounds") && text.contains("`x`"), "{text}");
}
