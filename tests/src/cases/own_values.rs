//! Values of their own, and values whose layout in C++ is not that in Rust.

use anabranch::prelude::*;

use crate::kernels::own_values as k;
use k::{Cell, Kind, Probe, Tag};

pub fn copies_are_not_changed(device: &Device, stream: &Stream) {
    let x: Vec<u32> = (0..40).map(|x| x * x % 13).collect();
    let (mut y, mut expected) = (device.zeros(x.len()).unwrap(), vec![0; x.len()]);
    k::copies(stream, &device.buffer_from(&x).unwrap(), &mut y).unwrap();
    k::plain::copies(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
}

pub fn structs_that_are_aligned_more_in_cpp(device: &Device, stream: &Stream) {
    for hit in [None, Some(0), Some(200)] {
        let (cell, probe) = (Cell { kind: Kind::Wet, on: hit.is_some() }, Probe { hit });
        let (mut y, mut expected) = (device.zeros(6).unwrap(), vec![0; 6]);
        k::narrow(stream, &mut y, cell, probe, (probe, 77), Tag::Tag(5)).unwrap();
        k::plain::narrow(&mut expected, cell, probe, (probe, 77), Tag::Tag(5));
        assert_eq!(y.to_vec().unwrap(), expected);
    }
}

pub fn branches_that_end_with_a_panic(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1u32, 7, 3]).unwrap();
    let mut y = device.zeros(3).unwrap();
    k::panics(stream, &x, &mut y, 7).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2, 8, 4]);
    let told = k::panics(stream, &x, &mut y, 6).and_then(|()| stream.synchronize());
    assert!(told.expect_err("7 is more than 6").to_string().contains("7 is too much"));
    assert_eq!((y.get(0).unwrap(), y.get(2).unwrap()), (2, 4));
}
