//! Panics of device code say the same here and on the CPU: kernel, file, line, column and message.

use anabranch::prelude::*;
use anabranch_tests::kernels::{arithmetic, functions, order, ranges};

use crate::gpu;

/// Every panic of the kernels that are made for it, as the device tells it.
fn panics_of(device: &Device) -> Vec<String> {
    let stream = device.default_stream();
    let mut told = Vec::new();
    let mut tell = |launched: anabranch::Result<()>| {
        launched.unwrap();
        match stream.synchronize() {
            Err(error @ Error::KernelPanic { .. }) => told.push(error.to_string()),
            other => panic!("after {told:?}: {other:?}"),
        }
        // Nothing is left of it, and the device works.
        let mut x = device.buffer_from(&[1u32; 64]).unwrap();
        order::affine(&stream, &mut x, 3, 1, 0).unwrap();
        assert_eq!(x.to_vec().unwrap(), [4; 64], "after {told:?}");
    };
    for which in (0..=2).chain(4..=15) {
        let mut out = device.buffer_from(&[5u32, 0]).unwrap();
        tell(functions::panics(&stream, which, &mut out, 0));
    }
    for which in 0..4 {
        let [mut before, mut out, mut after] = std::array::from_fn(|_| device.buffer_from(&[1u32; 64]).unwrap());
        tell(order::one_group_fails(&stream, which, &mut before, &mut out, &mut after, 0, 1000));
        assert_eq!((before.to_vec().unwrap(), after.to_vec().unwrap()), (vec![2; 64], vec![4; 64]), "the other groups");
    }
    for (a, b) in [(1, 0), (i32::MIN, -1)] {
        let (a, b) = (device.buffer_from(&[a]).unwrap(), device.buffer_from(&[b]).unwrap());
        let [mut q, mut r] = std::array::from_fn(|_| device.zeros::<i32>(1).unwrap());
        tell(arithmetic::quotients(&stream, &a, &b, &mut q, &mut r));
    }
    let nothing = device.zeros::<u32>(0).unwrap();
    tell(ranges::out_of_bounds(&stream, &mut device.zeros::<u32>(1).unwrap(), &nothing, 0));
    told
}

#[test]
fn both_devices_say_the_same() {
    let Some(gpu) = gpu() else { return };
    let (here, there) = (panics_of(gpu.device()), panics_of(&Device::cpu()));
    assert_eq!(here.len(), 22);
    let differing: Vec<_> = here.iter().zip(&there).filter(|(here, there)| here != there).collect();
    assert!(differing.is_empty(), "{differing:#?}");
}

kernel_that_fails!(fails);

/// The file and the line are of the same token, and not of the macro's call.
#[test]
fn a_failure_in_tokens_of_a_macro_is_in_its_file() {
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let check = |file: &str, line: u32, comment: &str| {
        let (_, expected) = include_str!("main.rs").lines().zip(1..).find(|(text, _)| text.ends_with(comment)).unwrap();
        assert!(file.ends_with("gpu/main.rs") && line == expected, "{file}:{line}, {comment}");
    };
    let mut x = device.zeros::<u32>(9).unwrap();
    match fails(&stream, &mut x, &device.zeros::<u32>(8).unwrap()) {
        Err(Error::OutOfBounds { file, line, .. }) => check(file, line, "// first"),
        other => panic!("{other:?}"),
    }
    fails(&stream, &mut x, &device.buffer_from(&[9; 9]).unwrap()).unwrap();
    match stream.synchronize() {
        Err(Error::KernelPanic { file, line, .. }) => check(file, line, "// second"),
        other => panic!("{other:?}"),
    }
}
