use anabranch::prelude::*;

#[kernel]
fn variables(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        let thread = threadIdx.x;
        let size = blockDim.x;
        x[i] = 1.0;
    }
}

#[kernel]
fn functions(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        let thread = thread_idx() + block_idx_x() * block_dim();
        let global = get_global_id(0);
        x[i] = 1.0;
    }
}

/// Without `#[device]` it cannot be called either.
fn global_id() -> usize {
    0
}

#[device]
fn index() -> usize {
    global_id()
}

fn main() {}
