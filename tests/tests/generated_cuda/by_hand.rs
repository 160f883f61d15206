//! Loops over blocks have no more instructions than the same by hand, `by_hand.cu`: in all, and in
//! their innermost loops.
//!
//! By hand, a kernel has the same job, also where sizes are no multiples of its tiles, and the same
//! algorithm.

use anabranch::algorithms::transpose;
use anabranch::private::offline::{nvrtc_compile, pass_of_sort};
use anabranch_tests::kernels::{algorithms, benchmarks, blocks, collectives};

use std::collections::BTreeMap;

use super::machine_code::{MachineCode, kernels};

/// A kernel, and what it may have of what there is by hand, in percent.
struct Pair {
    function: &'static str,
    source: fn() -> String,
    by_hand: &'static str,
    /// Of the instructions in all.
    most: usize,
    /// Of those of the innermost loops. `None`: the compiler unrolls them in another way.
    most_in_loops: Option<usize>,
}

const fn pair(function: &'static str, source: fn() -> String, by_hand: &'static str, most: usize) -> Pair {
    Pair { function, source, by_hand, most, most_in_loops: Some(105) }
}

/// Where nothing else is said, 5 % are left to the whims of the compiler.
const PAIRS: &[Pair] = &[
    pair("tiled_product_0", blocks::tiled_product::cuda_source, "matmul_16", 105),
    pair("matmul_with_0", || (algorithms::plain_product::<f32>("matmul").cuda)(), "matmul_64", 105),
    // A batch costs the places of its matrices.
    pair("matmul_batched_with_0", || (algorithms::plain_product_of_batch::<f32>("batch").cuda)(), "matmul_64", 105),
    pair("transposed_0", blocks::transposed::cuda_source, "transpose", 105),
    // Of 12 more, most come from the thread's number, which has one dimension: its place in a row
    // is computed once more for each store.
    pair("transpose_0", transpose::cuda_source::<f32>, "transpose_part", 114),
    pair("dot_0", collectives::dot::cuda_source, "dot", 105),
    pair("mean_by_tiles_0", benchmarks::mean_by_tiles::cuda_source, "mean", 105),
    pair("smoothed_0", blocks::smoothed::cuda_source, "smooth", 105),
    pair("sums_up_to_2", benchmarks::sums_up_to::cuda_source::<u32>, "scan", 105),
    pair("pass_by_tiles_0", pass_of_sort::cuda_source::<u32, u32, false>, "count_digits", 105),
    Pair {
        function: "pass_by_tiles_1",
        source: pass_of_sort::cuda_source::<u32, u32, false>,
        by_hand: "move_keys",
        most: 105,
        // Loops that one of them unrolls, the other does not.
        most_in_loops: None,
    },
];

const BY_HAND: &str = include_str!("by_hand.cu");

/// The kernels of a source.
fn compiled(source: &str) -> BTreeMap<String, MachineCode> {
    let (cubin, log) = nvrtc_compile(source, 90).unwrap();
    assert!(log.is_empty(), "{log}");
    kernels(&cubin)
}

#[test]
fn blocks_cost_what_they_cost_by_hand() {
    if super::architectures().is_empty() {
        return;
    }
    let by_hand = compiled(BY_HAND);
    let mut above = Vec::new();
    for Pair { function, source, by_hand: name, most, most_in_loops } in PAIRS {
        let (ours, hand) = (&compiled(&source())[*function], &by_hand[*name]);
        let in_loops = |code: &MachineCode| code.loops.iter().sum::<usize>();
        println!("{function}: {ours}\n{:width$}: {hand}", "by hand", width = function.len());
        // With up to 32 registers, as many threads fit as there can be.
        let fits = ours.all * 100 <= hand.all * most
            && most_in_loops.is_none_or(|most| in_loops(ours) * 100 <= in_loops(hand) * most)
            && ours.registers <= (hand.registers + hand.registers / 4).max(32)
            && ours.shared <= hand.shared
            && ours.barriers <= hand.barriers;
        if !fits {
            above.push(format!("{function}: {ours}; by hand: {hand}"));
        }
    }
    assert!(above.is_empty(), "{}", above.join("\n"));
}
