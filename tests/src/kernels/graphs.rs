//! Kernels for graphs.

use std::cell::RefCell;
use std::sync::Barrier;

use anabranch::prelude::*;

use super::Source;

/// What the host part computes is what a graph keeps: the number of loops, a scalar, a range.
#[kernel]
pub fn rounds(x: &mut [u32], rounds: &[u32], add: u32) {
    let last = rounds.len();
    for round in 0..last {
        let add = add + round as u32;
        for i in par(0..x.len()) {
            x[i] = x[i] * 3 + add;
        }
    }
}

/// Launches a graph in the middle of its host part, and says what came of it.
#[kernel]
pub fn launches_within(x: &mut [u32], graph: &Graph, on: &Stream, said: &RefCell<Vec<anabranch::Result<()>>>) {
    for i in par(0..x.len()) {
        x[i] += 1;
    }
    said.borrow_mut().push(graph.launch(on));
    for i in par(0..x.len()) {
        x[i] *= 2;
    }
}

/// Divides by what may be zero.
#[kernel]
pub fn quotients(x: &mut [u32], by: &[u32]) {
    for i in par(0..x.len()) {
        x[i] = 100 / by[i];
    }
}

/// Adds to a part of a grid, late, and only after others have met its host part twice.
#[kernel]
pub fn added_late(x: &mut Grid<u32, 2>, by: u32, delay: u32, meets: [&Barrier; 2]) {
    meets.iter().for_each(|meet| {
        meet.wait();
    });
    let [h, w] = x.shape();
    for (i, j) in par((0..h, 0..w)) {
        x[[i, j]] = super::order::late(x[[i, j]], delay) + by;
    }
}

/// All of them.
pub const SOURCES: &[Source] = &[
    source!("rounds", rounds),
    source!("launches_within", launches_within),
    source!("added_late", added_late),
    source!("quotients", quotients),
];
