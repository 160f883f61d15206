//! Atomics in arrays that the threads of a block share.

use anabranch::prelude::*;

use super::noise;
use crate::kernels::block_atomics as k;

pub fn histograms_of_blocks(device: &Device, stream: &Stream) {
    for n in [0, 1, 4095, 4096, 4097, 50_000] {
        let x: Vec<u8> = noise(n).map(|v| (v % 256 / (1 + v % 3)) as u8).collect();
        let mut bins = device.zeros::<u32>(256).unwrap();
        k::histogram(stream, &device.buffer_from(&x).unwrap(), &mut bins).unwrap();
        let mut want = vec![0; 256];
        x.iter().for_each(|v| want[*v as usize] += 1);
        assert_eq!(bins.to_vec().unwrap(), want, "{n}");
    }
}

pub fn counters_in_rounds(device: &Device, stream: &Stream) {
    let (keys, blocks, rounds) = (noise(1000).map(|v| v as u32).collect::<Vec<_>>(), 5, 7);
    let mut out = device.zeros::<u32>(blocks * 64).unwrap();
    k::rounds(stream, &device.buffer_from(&keys).unwrap(), &mut out, rounds).unwrap();
    let mut want = vec![0u32; blocks * 64];
    for b in 0..blocks {
        let mut counts = [0u32; 16];
        for round in 0..rounds {
            (0..64).for_each(|t| counts[keys[(b * 64 + t + round) % keys.len()] as usize % 16] += 1);
            (0..64).for_each(|t| want[b * 64 + t] += (round as u32 + 1) * counts[(t + 1) % 16]);
            (0..16).for_each(|t| counts[15 - t] = t as u32);
        }
    }
    assert_eq!(out.to_vec().unwrap(), want);
}

pub fn atomics_in_rows_and_planes(device: &Device, stream: &Stream) {
    fn check<const W: usize>(device: &Device, stream: &Stream) {
        let (mut floats, mut counts) = (device.zeros(4 * W).unwrap(), device.zeros(6).unwrap());
        let (mut volume, mut told) = (device.zeros(24).unwrap(), device.zeros(8).unwrap());
        k::shapes::<W>(stream, &mut floats, &mut counts, &mut volume, &mut told).unwrap();
        let times = |of: &dyn Fn(usize) -> bool| (0..32).filter(|t| of(*t)).count();
        let want = (0..4 * W).map(|at| 1.5 + 0.5 * times(&|t| t % 4 == at / W && t % W == at % W) as f32);
        assert_eq!(floats.to_vec().unwrap(), want.collect::<Vec<f32>>());
        let want = (0..6).map(|at| -3 - times(&|t| at % 2 == 1 && t % 3 == at / 2) as i64);
        assert_eq!(counts.to_vec().unwrap(), want.collect::<Vec<i64>>());
        let want = (0..24).map(|at| {
            let met = times(&|t| t % 2 == at / 12 && t % 3 == at / 4 % 3 && t % 4 == at % 4) as u32;
            let more = if at == 23 { 3200 } else { 0 };
            u32::MAX.wrapping_add(2 * met + more)
        });
        assert_eq!(volume.to_vec().unwrap(), want.collect::<Vec<u32>>());
        assert_eq!(told.to_vec().unwrap(), [32, 0, 64, 0, 31, 9, 65, 8 + W as u32]);
    }
    check::<3>(device, stream);
    check::<8>(device, stream);
}

pub fn places_from_a_counter(device: &Device, stream: &Stream) {
    let x: Vec<u32> = noise(3210).map(|v| (v % 1000) as u32).collect();
    let (mut y, mut lens) = (device.zeros::<u32>(x.len()).unwrap(), device.zeros::<u32>(4).unwrap());
    k::kept(stream, &device.buffer_from(&x).unwrap(), &mut y, &mut lens, 600).unwrap();
    let (y, lens) = (y.to_vec().unwrap(), lens.to_vec().unwrap());
    for (b, part) in x.chunks(1000).enumerate() {
        let mut want: Vec<u32> = part.iter().copied().filter(|v| *v > 600).collect();
        let mut got = y[b * 1000..][..lens[b] as usize].to_vec();
        want.sort_unstable();
        got.sort_unstable();
        assert_eq!(got, want);
    }
}

pub fn a_bin_that_is_not_there(device: &Device, stream: &Stream) {
    let mut x = vec![3u32; 100];
    let mut bins = device.zeros::<u32>(8).unwrap();
    k::out_of_bins(stream, &device.buffer_from(&x).unwrap(), &mut bins).unwrap();
    assert_eq!(bins.to_vec().unwrap(), [0, 0, 0, 100, 0, 0, 0, 0]);
    x[77] = 8;
    let launched = k::out_of_bins(stream, &device.buffer_from(&x).unwrap(), &mut bins);
    let error = launched.and_then(|()| stream.synchronize()).unwrap_err();
    assert!(error.to_string().contains("index out of bounds: the len is 8 but the index is 8"), "{error}");
}

pub fn names_like_those_of_atomics(device: &Device, stream: &Stream) {
    let mut out = device.zeros::<u32>(4).unwrap();
    k::names(stream, &mut out).unwrap();
    let sums = [1 + (7 + 3 + 2) + (7 + 2 + 2), 1 + (7 + 1 + 2) + (7 + 2), 1, 1].map(|v: u32| v * 100 + v + 1);
    assert_eq!(out.to_vec().unwrap(), sums);
}
