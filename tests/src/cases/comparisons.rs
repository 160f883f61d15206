//! Comparisons on the device against the same comparisons as ordinary Rust.

use anabranch::prelude::*;

use crate::kernels::comparisons::{self as k, plain};

macro_rules! keys {
    ($($of:tt)*) => {{
        let weights = [0.0, -0.0, 1.5, -2.0, f32::NAN, f32::INFINITY, -f32::NAN];
        let kinds = [$($of)* Kind::Last, $($of)* Kind::First, $($of)* Kind::Middle];
        let key = |i: usize| $($of)* Key {
            kind: kinds[i % 3],
            weight: weights[i / 3 % 7],
            nothing: $($of)* Nothing,
            number: (i / 21 % 5) as i16 - 1,
            parts: [(i % 2) as u8, (i / 7) as u8],
        };
        (0..105).map(key).collect::<Vec<_>>()
    }};
}

pub fn derived_and_written(device: &Device, stream: &Stream) {
    let (keys, plain_keys) = (keys!(k::), keys!(plain::));
    let len = keys.len() * keys.len();
    let x = device.buffer_from(&keys).unwrap();
    let (mut y, mut z) = (device.zeros(len).unwrap(), device.zeros(len).unwrap());
    k::every_pair(stream, &x, &mut y, &mut z).unwrap();
    let (mut ys, mut zs) = (vec![[0; 4]; len], vec![[0; 4]; len]);
    plain::every_pair(&plain_keys, &mut ys, &mut zs);
    assert_eq!((y.to_vec().unwrap(), z.to_vec().unwrap()), (ys, zs));
}

pub fn an_order_alone(device: &Device, stream: &Stream) {
    let xs: Vec<u32> = (0..12).collect();
    let (x, mut y, mut ys) = (device.buffer_from(&xs).unwrap(), device.zeros(12).unwrap(), vec![0; 12]);
    k::order_alone(stream, &x, &mut y).unwrap();
    plain::order_alone(&xs, &mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
    assert_eq!(ys[4..7], [1, 2, 3]);
}

pub fn of_numbers_as_before(device: &Device, stream: &Stream) {
    let xs: Vec<f32> = (0..64).map(|i| (i as f32 - 20.0) / 4.0).collect();
    let (x, mut y, mut ys) = (device.buffer_from(&xs).unwrap(), device.zeros(64).unwrap(), vec![0; 64]);
    k::of_literals(stream, &x, &mut y).unwrap();
    plain::of_literals(&xs, &mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
}
