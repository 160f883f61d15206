use anabranch::prelude::*;

macro_rules! rebind {
    ($y:ident . len (), $from:expr) => {
        let mut $y = $from.reborrow();
    };
}

#[kernel]
fn k(y: &mut [f32], z: &mut [f32], mut hidden: SliceMut<'_, f32>, n: usize) {
    stream_parallel! {
        'a: {
            rebind!(y.len(), hidden);
            for i in par(0..n) { y[i] = 1.0; }
        }
        'b: {
            rebind!(z.len(), hidden);
            for i in par(0..n) { z[i] = 2.0; }
        }
    }
}

fn main() {}
