// A block has 46 KiB of shared memory for its arrays.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let mut line = block.shared([0.0f32; 4096]);
        let mut rows = block.shared([[0.0f64; 64]; 65]);
        for t in block.threads() {
            line[t] = 1.0;
            rows[t][t] = 2.0;
        }
        for t in block.threads() {
            x[block.index() * 64 + t] = line[63 - t];
        }
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(64)?;
    k(&device.default_stream(), &mut x)
}
