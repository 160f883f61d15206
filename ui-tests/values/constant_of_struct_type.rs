use anabranch::prelude::*;

struct Config {
    scale: f32,
}
const CONFIG: Config = Config { scale: 1.0 };

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = CONFIG.scale;
    }
}

fn main() {}
