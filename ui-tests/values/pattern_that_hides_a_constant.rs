use anabranch::prelude::*;

#[allow(non_upper_case_globals)]
const limit: i32 = 3;

#[kernel]
fn k(x: &mut [i32]) {
    for i in par(0..x.len()) {
        x[i] = match x[i] {
            limit => 1,
        };
    }
}

fn main() {}
