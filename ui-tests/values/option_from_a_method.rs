use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        let pair = [x[i], 1];
        if let Some(v) = pair.first() {
            x[i] = v;
        }
        x[i] = x[i].checked_mul(2).unwrap_or(0);
    }
}

fn main() {}
