use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 2>, v: &Grid<f32, 3>) {
    let row = g.part_mut([1..2]);
    let plane = v.part((1..2, ..));
    for x in par(0..row.shape()[1]) {
        row[[0, x]] = plane[[0, 0, x]];
    }
}

#[kernel]
fn whole(g: &mut Grid<f32, 2>) {
    for (y, x) in par((0..g.shape()[0], 0..g.shape()[1])) {
        g[[y, x]] = 1.0;
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut g = device.grid_zeros::<f32, 2>([4, 4])?;
    whole(&device.default_stream(), &mut g.part_mut((0.., 1..=2, ..)))?;
    whole(&device.default_stream(), &mut g.as_mut_slice())?;
    Ok(())
}
