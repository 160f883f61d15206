use anabranch::prelude::*;

static mut SCALE: u32 = 3;

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] *= unsafe { SCALE };
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(1)?;
    k(&device.default_stream(), &mut x)
}
