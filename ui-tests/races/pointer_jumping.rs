// Parents of parents, in place.
use anabranch::prelude::*;

#[kernel]
fn k(parent: &mut [usize]) {
    for i in par(0..parent.len()) {
        parent[i] = parent[parent[i]];
    }
}

fn main() {}
