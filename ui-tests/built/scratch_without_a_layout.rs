use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Wide {
    x: f32,
}

#[kernel]
fn wide(y: &mut [f32]) {
    let mut all = scratch::<Wide>(y.len());
    for i in par(0..y.len()) {
        all[i].x = 1.0;
        y[i] = all[i].x;
    }
}

fn main() {
    let device = Device::cpu();
    let mut y = device.zeros(4).unwrap();
    wide(&device.default_stream(), &mut y).unwrap();
}
