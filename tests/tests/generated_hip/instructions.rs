//! Instructions that a kernel must have, and instructions that it must not have, where HIP's
//! compilers could give the text another meaning.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use anabranch::half::f16;
use anabranch::prelude::*;
use anabranch_tests::kernels::benchmarks::saxpy;

use super::compilers::Compilers;

/// Each product is rounded, and then each sum of them.
#[kernel]
fn products(x: &[f32], y: &[f32], sums: &mut [f32]) {
    for block in par_blocks(0..sums.len()).threads(64) {
        let b = block.index();
        let mut product = block.each(0.0);
        for t in block.threads() {
            product = x[64 * b + t] * y[64 * b + t];
        }
        sums[b] = block.sum(product);
    }
}

/// The same in double precision.
#[kernel]
fn products_of_f64(x: &[f64], y: &[f64], sums: &mut [f64]) {
    for block in par_blocks(0..sums.len()).threads(64) {
        let b = block.index();
        let mut product = block.each(0.0);
        for t in block.threads() {
            product = x[64 * b + t] * y[64 * b + t];
        }
        sums[b] = block.sum(product);
    }
}

/// The same in half precision, whose conversions the compiler leaves out.
#[kernel]
fn products_of_f16(x: &[f16], y: &[f16], sums: &mut [f16]) {
    for block in par_blocks(0..sums.len()).threads(64) {
        let b = block.index();
        let mut product = block.each(f16::ZERO);
        for t in block.threads() {
            product = x[64 * b + t] * y[64 * b + t];
        }
        sums[b] = block.sum(product);
    }
}

#[kernel]
fn quotients(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        x[i] = x[i] / y[i];
    }
}

#[kernel]
fn integers(x: &mut [i32], y: &[f32], z: &[f64]) {
    for i in par(0..x.len()) {
        x[i] = y[i] as i32 ^ z[i] as i32;
    }
}

#[kernel]
fn counts(bins: &[AtomicI64], x: &[i64]) {
    for i in par(0..x.len()) {
        bins[0].fetch_max(x[i], Relaxed);
        bins[1].fetch_add(x[i], Relaxed);
    }
}

/// Threads of a block, which is more than a wave, read what others have written to a buffer.
#[kernel]
fn exchanged(x: &mut [u32], y: &mut [u32], from: &[u32]) {
    for block in par_blocks(0..x.len() / 128).threads(128) {
        let b = block.index();
        for t in block.threads() {
            x[128 * b + t] = from[from[128 * b + t] as usize];
        }
        for t in block.threads() {
            y[128 * b + t] = x[128 * b + 127 - t];
        }
    }
}

/// A kernel in assembly.
#[derive(Debug, Default)]
struct Code {
    instructions: Vec<String>,
    /// Bytes of private memory of a thread.
    private: usize,
}

/// The kernels of an assembly, by their names.
fn kernels(assembly: &str) -> BTreeMap<String, Code> {
    let mut kernels = BTreeMap::new();
    let mut code = Code::default();
    let mut name = "";
    for line in assembly.lines() {
        let words = line.trim();
        match words.split_once(char::is_whitespace) {
            _ if line.starts_with('.') || line.starts_with(';') => {}
            Some((".amdhsa_kernel", of)) => name = of,
            Some((".amdhsa_private_segment_fixed_size", bytes)) => code.private = bytes.parse().unwrap(),
            _ if words == ".end_amdhsa_kernel" => {
                kernels.insert(name.to_owned(), std::mem::take(&mut code));
            }
            // The label of a function.
            _ if !line.starts_with(char::is_whitespace) => code = Code::default(),
            _ if !words.starts_with(['.', ';']) && !words.is_empty() => code.instructions.push(words.to_owned()),
            _ => {}
        }
    }
    kernels
}

impl Code {
    fn count(&self, instruction: &str) -> usize {
        self.instructions.iter().filter(|line| line.starts_with(instruction)).count()
    }
}

/// What a kernel has for one architecture, and what it does not have, as beginnings of
/// instructions.
struct Case {
    source: fn() -> String,
    function: &'static str,
    architecture: &'static str,
    has: &'static [&'static str],
    lacks: &'static [&'static str],
}

const FUSED: &[&str] = &["v_fma_", "v_fmac_", "v_mad_f", "v_mac_f", "v_pk_fma", "v_dot"];
const PRIVATE: &[&str] = &["scratch_", "buffer_load", "buffer_store", "flat_"];

const CASES: &[Case] = &[
    // A product and a sum in one expression may be contracted, those of a collective may not. A
    // proved loop has no private memory.
    Case { source: saxpy::hip_source, function: "saxpy_0", architecture: "gfx942", has: &["v_fma"], lacks: PRIVATE },
    Case {
        source: products::hip_source,
        function: "products_0",
        architecture: "gfx942",
        has: &["v_mul_f32", "v_add_f32"],
        lacks: FUSED,
    },
    Case {
        source: products::hip_source,
        function: "products_0_checked",
        architecture: "gfx1201",
        has: &["v_mul_f32", "v_add_f32"],
        lacks: FUSED,
    },
    Case {
        source: products_of_f64::hip_source,
        function: "products_of_f64_0",
        architecture: "gfx942",
        has: &["v_mul_f64", "v_add_f64"],
        lacks: FUSED,
    },
    Case {
        source: products_of_f16::hip_source,
        function: "products_of_f16_0",
        architecture: "gfx942",
        has: &["v_mul_f16", "v_add_f16"],
        lacks: FUSED,
    },
    // Divisions are rounded correctly.
    Case {
        source: quotients::hip_source,
        function: "quotients_0",
        architecture: "gfx942",
        has: &["v_div_scale_f32", "v_div_fixup_f32"],
        lacks: &[],
    },
    Case {
        source: integers::hip_source,
        function: "integers_0",
        architecture: "gfx1100",
        has: &["v_cvt_i32_f32", "v_cvt_i32_f64"],
        lacks: &[],
    },
    // Atomic operations without a loop, for the whole GPU and not for the whole system.
    Case {
        source: counts::hip_source,
        function: "counts_0",
        architecture: "gfx942",
        has: &["global_atomic_smax_x2", "global_atomic_add_x2"],
        lacks: &["global_atomic_cmpswap", "buffer_wbl2", "buffer_inv"],
    },
    // At a barrier, a thread waits for what it has written, and behind it, it reads what others
    // have written. On CDNA a block has one cache.
    Case {
        source: exchanged::hip_source,
        function: "exchanged_0",
        architecture: "gfx1100",
        has: &["s_waitcnt_vscnt", "s_barrier", "buffer_gl0_inv"],
        lacks: &[],
    },
    // A check that can fail costs no private memory.
    Case {
        source: saxpy::hip_source,
        function: "saxpy_0_checked",
        architecture: "gfx942",
        has: &["global_load", "global_store"],
        lacks: PRIVATE,
    },
    Case {
        source: saxpy::hip_source,
        function: "saxpy_0_checked",
        architecture: "gfx1201",
        has: &["global_load", "global_store"],
        lacks: PRIVATE,
    },
];

#[test]
fn kernels_have_the_instructions_that_rust_means() {
    let Some(compilers) = Compilers::find() else { return };
    for Case { source, function, architecture, has, lacks } in CASES {
        let compiled = kernels(&compilers.assembly(&source(), architecture).unwrap());
        let code = &compiled[*function];
        let text = || format!("{function} for {architecture}:\n{}", code.instructions.join("\n"));
        for wanted in *has {
            assert!(code.count(wanted) > 0, "no {wanted} in {}", text());
        }
        for unwanted in *lacks {
            assert_eq!(code.count(unwanted), 0, "{unwanted} in {}", text());
        }
        if *lacks == PRIVATE {
            assert_eq!(code.private, 0, "private memory of {}", text());
        }
    }
}
