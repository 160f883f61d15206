// The values of all threads of a block are on the stack of a thread of the CPU device.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 1024).threads(1024) {
        let mut own = block.each([0.0f32; 65]);
        for t in block.threads() {
            own[t % 65] = 1.0;
            x[block.index() * 1024 + t] = own[0];
        }
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(64)?;
    k(&device.default_stream(), &mut x)
}
