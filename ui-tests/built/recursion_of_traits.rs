use anabranch::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32 {
        self.twice() / 2.0
    }

    fn twice(&self) -> f32 {
        2.0 * self.area()
    }
}

#[device]
impl Shape for f32 {}

#[kernel]
fn k<S: Shape + DeviceCopy>(x: &mut [f32], s: &[S]) {
    for i in par(0..x.len()) {
        x[i] = s[i].twice();
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    k(&device.default_stream(), &mut device.zeros::<f32>(1)?, &device.zeros::<f32>(1)?)
}
