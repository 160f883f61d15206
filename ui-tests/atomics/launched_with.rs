use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[kernel]
fn count(cells: &[AtomicU32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_add(1, Relaxed);
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut counts = device.zeros::<u32>(4)?;
    let mut floats = device.zeros::<f32>(4)?;
    count(&stream, &counts, 4)?;
    count(&stream, &mut floats, 4)?;
    count(&stream, &mut counts, 4)
}
