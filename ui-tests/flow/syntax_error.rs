use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let mut a = 1;
        a++;
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    k(stream, x)
}

fn main() {}
