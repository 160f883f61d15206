use anabranch::prelude::*;

macro_rules! name {
    ($y:ident) => {
        mut $y
    };
}

#[kernel]
fn clear(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 0.0;
    }
}

#[kernel]
fn k(y: &mut [f32], z: &mut [f32], mut hidden: SliceMut<'_, f32>) {
    stream_parallel! {
        'a: {
            let name!(y) = hidden.reborrow();
            clear(&mut y);
        }
        'b: {
            let name!(z) = hidden.reborrow();
            clear(&mut z);
        }
    }
}

fn main() {}
