use anabranch::prelude::*;

#[kernel]
fn clear(g: &mut Grid<f32, 2>, from: &Grid<f32, 3>) {
    for (y, x) in par((0..g.shape()[0], 0..g.shape()[1])) {
        g[[y, x]] = from[[0, y, x]];
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut plane = device.zeros::<f32>(8)?;
    let volume = device.grid_zeros::<f32, 2>([2, 2])?;
    clear(&device.default_stream(), &mut plane, &volume)?;
    Ok(())
}
