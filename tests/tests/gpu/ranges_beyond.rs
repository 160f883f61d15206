//! A range that is longer than a grid can be along x, too long for the CPU suite.

use anabranch_tests::kernels::ranges::{short_tail, tail};

use crate::gpu;

#[test]
fn more_than_two_to_the_31_iterations() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.device();
    let n = (1u64 << 31) + 1000;
    let mut out = device.zeros::<u32>(2000).unwrap();
    tail(&device.default_stream(), &mut out, n).unwrap();
    let expected: Vec<u32> = (n - 2000..n).map(|i| i as u32).collect();
    assert_eq!(out.to_vec().unwrap(), expected);
}

/// Two grids, although all indexes fit 32 bits: a grid ends at a whole block.
#[test]
fn nearly_two_to_the_31_iterations() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.device();
    let n = (1usize << 31) - 2;
    let mut out = device.zeros::<u32>(512).unwrap();
    short_tail(&device.default_stream(), &mut out, n).unwrap();
    let mut expected = vec![0; 512];
    (n - 512..n).for_each(|i| expected[i % 512] = i as u32);
    assert_eq!(out.to_vec().unwrap(), expected);
}
