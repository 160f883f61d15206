//! Enums in buffers, as values, and in patterns.

use anabranch::prelude::*;

use crate::kernels::enums::{self as k, Cell, plain};

pub fn enums_in_buffers(device: &Device, stream: &Stream) {
    let mut xs: Vec<Cell> = (0..100).map(|i| [Cell::Empty, Cell::Fluid, Cell::Wall, Cell::Empty][i % 4]).collect();
    let mut ys = vec![0; 100];
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.zeros(100).unwrap());
    k::cells(stream, &mut x, &mut y).unwrap();
    plain::cells(&mut xs, &mut ys);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
    assert_eq!(device.zeros::<Cell>(2).unwrap().to_vec().unwrap(), [Cell::Empty; 2]);
    assert_eq!(device.filled(3, Cell::Wall).unwrap().to_vec().unwrap(), [Cell::Wall; 3]);
}
