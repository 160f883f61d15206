//! Conway's Game of Life: the five cells of the R-pentomino need 1103 generations to settle.
//!
//! `cargo run --release -p kernels-example --example 18_life --
//! FILE.png` draws when each cell was last alive; `FILE.png` can be left out.

use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::{Picture, heat};
use kernels_example::report;
use kernels_example::show::{self, Outcome};

/// One generation. The outermost cells stay dead.
#[kernel]
fn generation(now: &Grid<u8, 2>, next: &mut Grid<u8, 2>, last: &mut Grid<u32, 2>, number: u32) {
    let [h, w] = now.shape();
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        let mut block = 0;
        for i in 0..3 {
            for j in 0..3 {
                block += now[[y + i - 1, x + j - 1]];
            }
        }
        // The block counts the cell itself.
        let alive = block == 3 || block == 4 && now[[y, x]] == 1;
        next[[y, x]] = alive as u8;
        if alive {
            last[[y, x]] = number;
        }
    }
}

/// Wide enough that no glider reaches the edge.
const SIDE: usize = 640;
const GENERATIONS: u32 = 1103;

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let stream = device.default_stream();
    let mut start = vec![0; SIDE * SIDE];
    for (y, x) in [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1)] {
        start[(SIDE / 2 + y) * SIDE + SIDE / 2 + x] = 1;
    }
    let mut now = device.grid_from(&start, [SIDE, SIDE])?;
    let mut next = device.grid_zeros::<u8, 2>([SIDE, SIDE])?;
    let mut last = device.grid_zeros::<u32, 2>([SIDE, SIDE])?;
    let bar = report::progress(GENERATIONS);
    for number in 1..=GENERATIONS {
        generation(&stream, &now, &mut next, &mut last, number)?;
        std::mem::swap(&mut now, &mut next);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let cells = now.to_vec()?;
    let population = cells.iter().filter(|cell| **cell == 1).count();
    println!("{GENERATIONS} generations on {device}: {population} cells are alive");
    if let Some(file) = file {
        picture(&cells, &last.to_vec()?).save(file)?;
    }
    // As in <https://conwaylife.com/wiki/R-pentomino>.
    Ok(population == 116)
}

/// Living cells are white. The brightness of the others shows when they were last alive.
fn picture(cells: &[u8], last: &[u32]) -> Picture {
    Picture::of(SIDE, SIDE, |x, y| {
        let i = y * SIDE + x;
        match (cells[i], last[i]) {
            (1, _) => [255; 3],
            (_, 0) => [4, 3, 20],
            (_, number) => heat(0.15 + 0.7 * number as f32 / GENERATIONS as f32),
        }
    })
}
