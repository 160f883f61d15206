//! Grids and device functions cost no instructions: the code is that of what is written without them.

use anabranch::private::offline::nvrtc_ptx;
use anabranch_tests::kernels::ported::spmv;
use anabranch_tests::kernels::{benchmarks, factored, grids};

/// The instructions of a function.
fn instructions(ptx: &str, function: &str) -> Vec<String> {
    let (_, body) = ptx.split_once(&format!(".entry {function}(")).expect("the function is there");
    let body = body.split("\n}").next().unwrap_or_default();
    let is_one = |line: &&str| line.ends_with(';') && !line.starts_with('.');
    body.lines().map(str::trim).filter(is_one).map(str::to_owned).collect()
}

/// How many there are.
fn count(source: String, function: &str) -> usize {
    instructions(&nvrtc_ptx(&source, 90).unwrap(), function).len()
}

#[test]
fn an_index_of_a_grid_is_that_of_a_slice() {
    if super::architectures().is_empty() {
        return;
    }
    let grid = count(grids::heat::cuda_source(), "heat_0");
    let slice = count(grids::heat_of_slices::cuda_source(), "heat_of_slices_0");
    println!("{grid} instructions with grids, {slice} with slices");
    // One more reads the distance from one row to the next, which a slice does not have.
    assert!(grid <= slice + 1, "{grid} instructions with grids, {slice} with slices");
}

#[test]
fn a_device_function_is_what_stands_in_it() {
    if super::architectures().is_empty() {
        return;
    }
    let inline = count(benchmarks::stencil::cuda_source(), "stencil_0");
    assert_eq!(count(factored::factored_stencil::cuda_source(), "factored_stencil_0"), inline);
    let (inline, factored) = (
        count(benchmarks::blur::cuda_source(), "blur_0"),
        count(factored::factored_blur::cuda_source(), "factored_blur_0"),
    );
    println!("{factored} instructions with a function, {inline} without");
    assert!(factored <= inline, "{factored} instructions with a function, {inline} without");
    // The launch knows nothing of the indexes, but that lengths fit 32 bits.
    let inline = count(spmv::spmv::cuda_source::<f32>(), "spmv_0");
    assert_eq!(count(factored::factored_spmv::cuda_source::<f32>(), "factored_spmv_0"), inline);
}
