// One thread changes memory, and all of them would need the value.
use anabranch::prelude::*;

#[kernel]
fn place_in_a_list(count: &[std::sync::atomic::AtomicU32], out: &mut [u32]) {
    for block in par_blocks(0..out.len()).threads(64) {
        let place = count[0].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        out[block.index()] = place;
    }
}

#[kernel]
fn element_in_a_block(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let b = block.index();
        let half = {
            x[b] = 1.0;
            0.5
        };
        x[b] += half;
    }
}

fn main() {}
