//! Random numbers: published values, and the values of the same functions on the host. Their
//! distributions are the matter of the runtime's own tests.

use anabranch::prelude::*;
use anabranch::random::{philox4x32, rng};

use crate::kernels::random::{self as k, Numbers, take};

/// A seed with bits in both halves.
const SEED: u64 = 0x0123_4567_89AB_CDEF;

/// The vectors of Philox 4x32-10 in `kat_vectors` of Random123 1.14, the authors' own
/// implementation: counter, key, result.
const KNOWN: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    ([0; 4], [0; 2], [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]),
    ([u32::MAX; 4], [u32::MAX; 2], [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]),
    (
        [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344],
        [0xA409_3822, 0x299F_31D0],
        [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1],
    ),
];

pub fn published_blocks(device: &Device, stream: &Stream) {
    let expected = KNOWN.map(|(.., result)| result);
    assert_eq!(KNOWN.map(|(counter, key, _)| philox4x32(counter, key)), expected);
    let counters = device.buffer_from(&KNOWN.map(|(counter, ..)| counter)).unwrap();
    let keys = device.buffer_from(&KNOWN.map(|(_, key, _)| key)).unwrap();
    let mut out = device.zeros(3).unwrap();
    k::blocks(stream, &counters, &keys, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), expected);
}

/// The first words of stream 7 * 2^32 - 3, as the header of cuRAND 13 computes them after
/// `curand_init(SEED, 7 * 2^32 - 3, 0, &state)`.
const WORDS: [u32; 11] = [
    0x37AA_38B2,
    0x55D8_505A,
    0x6A91_E172,
    0xC4AF_A3C7,
    0x7BE4_34A6,
    0xF6F2_404B,
    0x291D_FD04,
    0x2E10_1EF4,
    0x2C85_C060,
    0x87A1_B5A4,
    0x1126_6BBD,
];

/// The counter has the number of the block in its lower half and that of the stream in its upper
/// one; the key is the seed.
pub fn words_of_streams(device: &Device, stream: &Stream) {
    let first = (7 << 32) - 3; // some streams before their number needs another bit
    let mut out = device.grid_zeros([6, 11]).unwrap();
    k::words(stream, &mut out, SEED, first).unwrap();
    let key = [SEED as u32, (SEED >> 32) as u32];
    let expected = (first..first + 6).flat_map(|i| {
        let blocks = (0..3).flat_map(move |block| philox4x32([block, 0, i as u32, (i >> 32) as u32], key));
        blocks.take(11)
    });
    let out = out.to_vec().unwrap();
    assert_eq!(out, expected.collect::<Vec<_>>());
    assert_eq!(out[..11], WORDS);

    let mut blocks = device.zeros(300).unwrap();
    k::blocks_of_seed(stream, &mut blocks, SEED).unwrap();
    let expected: Vec<_> = (0..300).map(|i| philox4x32([0, 0, i, 0], key)).collect();
    assert_eq!(blocks.to_vec().unwrap(), expected);
    let mut all = device.zeros(300).unwrap();
    k::xor_of_words(stream, &mut all, SEED, 4).unwrap();
    let xor: Vec<u32> = expected.iter().map(|block| block.iter().fold(0, |a, b| a ^ b)).collect();
    assert_eq!(all.to_vec().unwrap(), xor);
}

/// The bits of all floats, too.
fn bits(numbers: &[Numbers]) -> Vec<(Numbers, u32, u64, u32)> {
    numbers.iter().map(|n| (*n, n.single.to_bits(), n.double.to_bits(), n.normal.to_bits())).collect()
}

pub fn numbers_are_those_of_the_host(device: &Device, stream: &Stream) {
    for skipped in [0, 1, 2, 3, 4, 1001, 1 << 34, u64::MAX - 5] {
        let mut out = device.filled(500, take(&mut rng(0, 0))).unwrap();
        k::numbers(stream, &mut out, SEED, skipped).unwrap();
        let expected: Vec<Numbers> = (0..500)
            .map(|i| {
                let mut rng = rng(SEED, i);
                rng.skip(skipped);
                take(&mut rng);
                take(&mut rng)
            })
            .collect();
        assert_eq!(bits(&out.to_vec().unwrap()), bits(&expected), "{skipped} skipped");
    }
}

pub fn normal_numbers_have_the_bits_of_the_host(device: &Device, stream: &Stream) {
    let mut out = device.zeros(20_000).unwrap();
    k::normals(stream, &mut out, SEED).unwrap();
    let expected: Vec<u32> = (0..20_000).map(|i| rng(SEED, i).normal_f32().to_bits()).collect();
    assert_eq!(out.to_vec().unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>(), expected);
}

pub fn streams_in_buffers_go_on(device: &Device, stream: &Stream) {
    let mut here: Vec<_> = (0..100).map(|i| rng(SEED, i)).collect();
    let mut there = device.buffer_from(&here).unwrap();
    let mut out = device.filled(100, take(&mut rng(0, 0))).unwrap();
    for round in 0..3 {
        k::go_on(stream, &mut there, &mut out).unwrap();
        let expected: Vec<_> = here.iter_mut().map(take).collect();
        assert_eq!(bits(&out.to_vec().unwrap()), bits(&expected), "round {round}");
    }
    // What is zero is a stream, too.
    let mut there = device.zeros(1).unwrap();
    let mut out = device.filled(1, out.to_vec().unwrap()[0]).unwrap();
    k::go_on(stream, &mut there, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [take(&mut rng(0, 0))]);
}

pub fn the_area_of_a_circle(device: &Device, stream: &Stream) {
    let mut out = device.zeros(1000).unwrap();
    k::points_in_circle(stream, &mut out, 42, 100).unwrap();
    let hits: u32 = out.to_vec().unwrap().into_iter().sum();
    // Four standard deviations of 100 000 points.
    assert!((4.0 * f64::from(hits) / 1e5 - std::f64::consts::PI).abs() < 0.021, "{hits} of 100000");
}

pub fn there_is_no_number_below_zero(device: &Device, stream: &Stream) {
    let limits = [1, 2, 0, 1000, u32::MAX];
    let mut out = device.zeros(5).unwrap();
    k::below(stream, &mut out, &device.buffer_from(&limits).unwrap(), SEED).unwrap();
    let error = out.to_vec().unwrap_err().to_string();
    assert!(error.contains("there is no number below 0"), "{error}");
    k::below(stream, &mut out, &device.buffer_from(&[1; 5]).unwrap(), SEED).unwrap();
    assert_eq!(out.to_vec().unwrap(), [0; 5]);
}
