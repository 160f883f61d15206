use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        if let Some(v) = x[i].checked_signed_diff(1) {
            x[i] = v as u32;
        }
        x[i] = x[i].checked_mul(2).unwrap_or(0);
    }
}

fn main() {}
