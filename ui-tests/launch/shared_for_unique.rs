use anabranch::prelude::*;

#[kernel]
fn axpy(y: &mut [f32], x: &[f32], a: f32) {
    for i in par(0..y.len()) {
        y[i] += a * x[i];
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut y = device.zeros::<f32>(8)?;
    let x = device.zeros::<f32>(8)?;
    axpy(&stream, &y, &x, 2.0)?;
    let _ = &mut y;
    Ok(())
}
