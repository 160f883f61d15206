use anabranch::prelude::*;

#[kernel]
fn barriers(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = 1.0;
        __syncthreads();
        sync_threads();
    }
}

#[kernel]
fn atomics(bins: &mut [u32], n: usize) {
    for i in par(0..n) {
        atomicAdd(&mut bins[i], 1);
        atomic_max(&mut bins[i], 1);
    }
}

#[kernel]
fn warps(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] += __shfl_down_sync(!0, x[i], 16);
        let bits = ballot_sync(x[i] > 0.0);
    }
}

fn main() {}
