use anabranch::prelude::*;

macro_rules! name {
    ($y:ident) => {
        mut $y
    };
}

#[kernel]
fn k(y: &mut [f32], z: &mut [f32], mut hidden: SliceMut<'_, f32>, n: usize) {
    stream_parallel! {
        'a: {
            let name!(y) = hidden.reborrow();
            for i in par(0..n) { y[i] = 1.0; }
        }
        'b: {
            let name!(z) = hidden.reborrow();
            for i in par(0..n) { z[i] = 2.0; }
        }
    }
}

fn main() {}
