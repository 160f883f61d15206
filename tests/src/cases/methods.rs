//! Methods on the device against the same methods as ordinary Rust.

use anabranch::prelude::*;

use super::close;
use crate::kernels::methods::{self as k, Body, Counter, Vec3, plain};

fn number(i: usize) -> f32 {
    (i as f32 * 0.37).sin() * 3.0
}

pub fn methods_of_values(device: &Device, stream: &Stream) {
    let mut x = device
        .buffer_from(&(0..100).map(|i| Vec3 { x: number(i), y: number(i + 1), z: 0.0 }).collect::<Vec<_>>())
        .unwrap();
    let mut xs: Vec<_> = (0..100).map(|i| plain::Vec3 { x: number(i), y: number(i + 1), z: 0.0 }).collect();
    k::values(stream, &mut x, Vec3 { x: 1.0, y: -2.0, z: 0.5 }).unwrap();
    plain::values(&mut xs, plain::Vec3 { x: 1.0, y: -2.0, z: 0.5 });
    let got: Vec<f32> = x.to_vec().unwrap().iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    let want: Vec<f32> = xs.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    close(device, &got, &want, |_| 20.0);
}

macro_rules! bodies {
    ($($of:tt)*) => {{
        let vec = |i: usize| $($of)* Vec3 { x: number(i), y: number(i + 1), z: 2.0 };
        let hits = [$($of)* Counter { value: 1, changes: 0 }, $($of)* Counter { value: 9, changes: 2 }];
        (0..100).map(|i| $($of)* Body { pos: vec(i), vel: vec(2 * i), hits }).collect::<Vec<_>>()
    }};
}

pub fn operators_of_user_types(device: &Device, stream: &Stream) {
    let (mut x, mut xs) = (device.buffer_from(&bodies!()).unwrap(), bodies!(plain::));
    k::operators(stream, &mut x, 0.25, Vec3 { x: 1.0, y: -2.0, z: 0.5 }).unwrap();
    plain::operators(&mut xs, 0.25, plain::Vec3 { x: 1.0, y: -2.0, z: 0.5 });
    assert_eq!(format!("{:?}", x.to_vec().unwrap()), format!("{xs:?}"));
}

pub fn methods_that_change_their_receiver(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&bodies!()).unwrap(), device.zeros(100).unwrap());
    let (mut xs, mut ys) = (bodies!(plain::), vec![0; 100]);
    k::changes(stream, &mut x, &mut y).unwrap();
    plain::changes(&mut xs, &mut ys);
    assert_eq!((format!("{:?}", x.to_vec().unwrap()), y.to_vec().unwrap()), (format!("{xs:?}"), ys));
}

pub fn generic_methods(device: &Device, stream: &Stream) {
    let (mut y, mut z) = (device.zeros(100).unwrap(), device.zeros(100).unwrap());
    let (mut ys, mut zs) = (vec![0; 100], vec![0; 100]);
    k::generics(stream, &mut y, &mut z).unwrap();
    plain::generics(&mut ys, &mut zs);
    assert_eq!((y.to_vec().unwrap(), z.to_vec().unwrap()), (ys, zs));
}
