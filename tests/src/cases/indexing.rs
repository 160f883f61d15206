//! Index operators on the device against the same operators as ordinary Rust.

use anabranch::Error;
use anabranch::prelude::*;

use crate::kernels::indexing::{self as k, plain};

macro_rules! pixels {
    ($($of:tt)*) => {{
        let matrix = |i: i32| $($of)* Matrix { rows: [[i, i + 1], [2 * i, -i]] };
        let at = |i: i32| $($of)* Vec3 { x: i as f32, y: 0.5, z: -(i as f32) / 3.0, writes: 0 };
        (0..64).map(|i| $($of)* Pixel { both: [matrix(i), matrix(3 - i)], at: at(i) }).collect::<Vec<_>>()
    }};
}

pub fn parts_at_any_depth(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&pixels!(k::)).unwrap(), device.zeros(64).unwrap());
    let (mut xs, mut ys) = (pixels!(plain::), vec![[0.0; 4]; 64]);
    k::elements(stream, &mut x, &mut y).unwrap();
    plain::elements(&mut xs, &mut ys);
    assert_eq!(format!("{:?}", x.to_vec().unwrap()), format!("{xs:?}"));
    assert_eq!(y.to_vec().unwrap(), ys);
}

pub fn operators_run_once_and_in_order(device: &Device, stream: &Stream) {
    let at: Vec<usize> = (0..32).map(|i| i * 7 + 3).collect();
    let (x, mut y) = (device.buffer_from(&at).unwrap(), device.zeros(32).unwrap());
    let mut ys = vec![[0.0; 4]; 32];
    k::levels(stream, &x, &mut y).unwrap();
    plain::levels(&at, &mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
}

pub fn a_part_that_is_not_there(device: &Device, stream: &Stream) {
    let mut y = device.zeros(10).unwrap();
    k::wrong_axis(stream, &mut y, 2).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3.0; 10]);
    let result = k::wrong_axis(stream, &mut y, 3).and_then(|()| stream.synchronize());
    let Err(Error::KernelPanic { message, .. }) = &result else { panic!("{result:?}") };
    assert_eq!(message, "there is no such axis");
}
