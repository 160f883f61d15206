//! What an index of a grid becomes: what is written by hand.

use anabranch::private::offline::nvrtc_ptx;
use anabranch_tests::kernels::grids;

/// The instructions of a function.
fn instructions(ptx: &str, function: &str) -> Vec<String> {
    let (_, body) = ptx.split_once(&format!(".entry {function}(")).expect("the function is there");
    let body = body.split("\n}").next().unwrap_or_default();
    let is_one = |line: &&str| line.ends_with(';') && !line.starts_with('.');
    body.lines().map(str::trim).filter(is_one).map(str::to_owned).collect()
}

#[test]
fn an_index_of_a_grid_is_that_of_a_slice() {
    if super::architectures().is_empty() {
        return;
    }
    let count = |source: String, function| instructions(&nvrtc_ptx(&source, 90).unwrap(), function).len();
    let grid = count(grids::heat::cuda_source(), "heat_0");
    let slice = count(grids::heat_of_slices::cuda_source(), "heat_of_slices_0");
    println!("{grid} instructions with grids, {slice} with slices");
    // One more reads the distance from one row to the next, which a slice does not have.
    assert!(grid <= slice + 1, "{grid} instructions with grids, {slice} with slices");
}
