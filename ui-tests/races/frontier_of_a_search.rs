// Two nodes of the frontier have a neighbour in common.
use anabranch::prelude::*;

#[kernel]
fn k(frontier: &[usize], edges: &[usize], depth: &mut [u32], level: u32) {
    for i in par(0..frontier.len()) {
        for k in 0..4 {
            let node = edges[4 * frontier[i] + k];
            if depth[node] == 0 {
                depth[node] = level;
            }
        }
    }
}

fn main() {}
