use anabranch::prelude::*;

#[kernel]
fn by_variables(x: &mut [f32], n: usize) {
    for _ in par(0..n) {
        let i = blockIdx.x * blockDim.x + threadIdx.x;
        if i < n {
            x[i] = 1.0;
        }
    }
}

#[kernel]
fn by_a_function(x: &mut [f32], n: usize) {
    for _ in par(0..n) {
        x[thread_idx()] = 1.0;
    }
}

fn main() {}
