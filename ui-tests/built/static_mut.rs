use anabranch::prelude::*;

static mut SCALE: u32 = 3;
static mut TABLE: [u32; 2] = [1, 2];
static NEVER_WRITTEN: [u32; 2] = [1, 2];

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] *= unsafe { SCALE };
        x[i] += unsafe { TABLE[i % 2] };
        x[i] += NEVER_WRITTEN[i % 2];
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(1)?;
    k(&device.default_stream(), &mut x)
}
