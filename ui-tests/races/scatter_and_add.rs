// Forces added to the ends of edges.
use anabranch::prelude::*;

#[kernel]
fn k(force: &[f32], ends: &[u32], sum: &mut [f32]) {
    for edge in par(0..force.len()) {
        sum[ends[2 * edge] as usize] += force[edge];
        sum[ends[2 * edge + 1] as usize] -= force[edge];
    }
}

fn main() {}
