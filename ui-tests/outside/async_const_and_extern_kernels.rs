use anabranch::prelude::*;

#[kernel]
async fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

#[kernel]
const unsafe extern "C" fn l(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    k(stream, x)?;
    l(stream, x)
}

fn main() {}
