use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    A = 1,
    B = 2,
}

#[device]
#[derive(Clone, Copy)]
struct Cell {
    kind: Kind,
    value: f32,
}

fn main() {
    let device = Device::cpu();
    let _ = device.zeros::<Kind>(10);
    let _ = device.zeros::<Cell>(10);
    let _ = device.zeros::<[Kind; 2]>(10);
}
