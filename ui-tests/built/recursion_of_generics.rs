use anabranch::prelude::*;

#[device]
fn ping<T: Num>(x: T) -> T {
    if x > T::ZERO { pong(x - T::ONE) } else { x }
}

#[device]
fn pong<T: Num>(x: T) -> T {
    ping(x)
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = ping(x[i]);
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    k(&device.default_stream(), &mut device.zeros::<f32>(1)?)
}
