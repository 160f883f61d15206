//! Grids and device functions cost no instructions: the code is that of what is written without
//! them.

use anabranch::algorithms::transpose;
use anabranch::private::offline::{nvrtc_compile, nvrtc_ptx};
use anabranch_tests::kernels::ported::spmv;
use anabranch_tests::kernels::{algorithms, benchmarks, blocks, collectives, factored, grids, warps};

use super::machine_code::kernels;

/// The instructions of a function.
fn instructions(ptx: &str, function: &str) -> Vec<String> {
    let (_, body) = ptx.split_once(&format!(".entry {function}(")).expect("the function is there");
    let body = body.split("\n}").next().unwrap_or_default();
    let is_one = |line: &&str| line.ends_with(';') && !line.starts_with('.');
    body.lines().map(str::trim).filter(is_one).map(str::to_owned).collect()
}

/// How many there are in the machine code.
fn count(source: String, function: &str) -> usize {
    let (cubin, _) = nvrtc_compile(&source, 90).unwrap();
    kernels(&cubin)[function].all
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

/// Votes and shuffles, and neither barriers nor shared memory.
#[test]
fn what_warps_compute_needs_no_barrier() {
    if super::architectures().is_empty() {
        return;
    }
    let check = |source: String, function: &str, expected: &[(&str, usize)]| {
        let all = instructions(&nvrtc_ptx(&source, 90).unwrap(), function);
        let count = |what: &str| all.iter().filter(|line| line.contains(what)).count();
        for (what, least) in expected {
            assert!(count(what) >= *least, "{} times {what} in {function}", count(what));
        }
        assert_eq!(count("bar.sync") + count("barrier.sync") + count(".shared"), 0, "in {function}");
    };
    check(warps::votes::cuda_source(), "votes_0", &[("vote.sync.ballot", 4)]);
    check(warps::matches_i8::cuda_source(), "matches_i8_0", &[("vote.sync.ballot", 8)]);
    check(warps::matches_u16::cuda_source(), "matches_u16_0", &[("match.any.sync", 1)]);
    check(warps::shuffles::cuda_source::<f32>(), "shuffles_0", &[("shfl.sync.idx", 3)]);
    check(warps::folds_96::cuda_source::<f32>(), "folds_96_0", &[("shfl.sync.down", 20), ("shfl.sync.up", 6)]);
}

/// A block of one warp has barriers of the warp.
#[test]
fn a_block_of_one_warp_has_no_barrier_of_a_block() {
    if super::architectures().is_empty() {
        return;
    }
    for (source, function, warps) in [
        (collectives::folds_32::cuda_source::<f32>(), "folds_32_0", true),
        (collectives::folds_33::cuda_source::<f32>(), "folds_33_0", false),
    ] {
        let all = instructions(&nvrtc_ptx(&source, 90).unwrap(), function);
        let has = |what: &str| all.iter().any(|line| line.contains(what));
        assert_eq!([has("bar.warp.sync"), has("bar.sync") || has("barrier.sync")], [warps, !warps], "in {function}");
    }
}

/// Writes to shared memory in a function, and instructions in all.
fn stores_and_all(source: &str, function: &str) -> (usize, usize) {
    let all = instructions(&nvrtc_ptx(source, 90).unwrap(), function);
    let stores = all.iter().filter(|line| line.contains("st.shared") || line.contains("st.volatile.shared"));
    (stores.count(), all.len())
}

/// A transposition by tiles of 32 as it is written by hand, with the elements of a `u32`.
const TRANSPOSED_BY_HAND: &str = r#"
extern "C" __global__ void by_hand(const unsigned* __restrict__ from, unsigned* __restrict__ to, int w, int h) {
    __shared__ unsigned tile[32][33];
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    for (int j = 0; j < 32; j += 8) if (x < w && y + j < h) tile[ty + j][tx] = from[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx; y = blockIdx.x * 32 + ty;
    for (int j = 0; j < 32; j += 8) if (x < h && y + j < w) to[(y + j) * h + x] = tile[tx][ty + j];
}
"#;

/// A tile that is clipped is written once an element, and what clips it costs what an `int` costs.
#[test]
fn a_clipped_tile_is_that_of_the_hand() {
    if super::architectures().is_empty() {
        return;
    }
    let (_, hand) = stores_and_all(TRANSPOSED_BY_HAND, "by_hand");
    // In percent of what is written by hand. A grid has a distance from row to row besides its
    // width.
    let kernels = [
        ("slices", blocks::transposed::cuda_source(), "transposed_0", 105),
        ("grids", transpose::cuda_source::<f32>(), "transpose_0", 130),
    ];
    for (name, source, function, most) in kernels {
        let (stores, all) = stores_and_all(&source, function);
        println!("{name}: {all} instructions, {stores} stores; by hand {hand}");
        assert_eq!(stores, 4, "{name}: four rounds, and no first values");
        assert!(all * 100 <= hand * most, "{name}: {all} instructions, by hand {hand}");
    }
    // What is no number is filled: a thread that fails leaves what it should have written.
    let (stores, _) = stores_and_all(&transpose::cuda_source::<bool>(), "transpose_0");
    assert!(stores > 4, "{stores} stores");
}

/// The tiles of a product are written by its phases alone, in no more than a store for each element
/// of a thread.
#[test]
fn tiles_of_a_product_have_no_first_values() {
    if super::architectures().is_empty() {
        return;
    }
    let (stores, _) = stores_and_all(&blocks::tiled_product::cuda_source(), "tiled_product_0");
    assert_eq!(stores, 2);
    let (stores, _) = stores_and_all(&(algorithms::plain_product::<f32>("matmul").cuda)(), "matmul_with_0");
    assert_eq!(stores, 16);
}
