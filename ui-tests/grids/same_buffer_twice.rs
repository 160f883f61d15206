use anabranch::prelude::*;

#[kernel]
fn copy(from: &Grid<f32, 2>, to: &mut Grid<f32, 2>) {
    for (y, x) in par((0..to.shape()[0], 0..to.shape()[1])) {
        to[[y, x]] = from[[y, x]];
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut a = device.grid_zeros::<f32, 2>([2, 2])?;
    copy(&device.default_stream(), &a, &mut a)?;
    Ok(())
}
