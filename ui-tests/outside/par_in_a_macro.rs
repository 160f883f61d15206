use anabranch::prelude::*;

#[kernel]
fn scale(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
    std::convert::identity(vec![{
        for i in par(0..3) {
            x[i] *= 2.0;
        }
    }]);
}

fn main() {}
