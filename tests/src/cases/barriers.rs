use anabranch::Error;
use anabranch::prelude::*;

use super::noise;
use crate::kernels::barriers as k;

fn close(got: &[f32], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len());
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((f64::from(*got) - want).abs() < 1e-5, "{what}: {got} for {want} at {at}");
    }
}

fn fractions(n: usize) -> Vec<f32> {
    noise(n).map(|v| (v % 1000) as f32 / 250.0 - 2.0).collect()
}

/// supranational/sppark#85.
pub fn digits_are_counted_before_keys_move(device: &Device, stream: &Stream) {
    let x: Vec<u32> = noise(64 * 9).map(|v| v as u32).collect();
    let mut keys = device.buffer_from(&x).unwrap();
    k::sorted_by_digits(stream, &mut keys).unwrap();
    let mut want = x;
    want.chunks_mut(64).for_each(<[u32]>::sort_unstable);
    assert_eq!(keys.to_vec().unwrap(), want);
}

/// ggml-org/llama.cpp#28376.
pub fn tokens_are_found_before_they_are_read(device: &Device, stream: &Stream) {
    let experts: Vec<u32> = noise(256).map(|v| (v % 8) as u32).collect();
    let (mut lists, mut lens) = (device.zeros(8 * 128).unwrap(), device.zeros(8).unwrap());
    k::tokens_of_experts(stream, &mut lists, &mut lens, &device.buffer_from(&experts).unwrap()).unwrap();
    let (lists, lens) = (lists.to_vec().unwrap(), lens.to_vec().unwrap());
    for e in 0..8 {
        let uses = |token: &u32| experts[2 * *token as usize..][..2].contains(&(e as u32));
        let mut want: Vec<u32> = (0..128).filter(uses).collect();
        assert_eq!(lens[e], want.len() as u32);
        want.resize(128, u32::MAX);
        assert_eq!(lists[e * 128..][..128], want);
    }
}

/// JustVugg/colibri#1098.
pub fn a_maximum_is_read_before_the_sum_begins(device: &Device, stream: &Stream) {
    for (rows, n) in [(1, 1), (5, 64), (7, 1000), (3, 50)] {
        let x = fractions(rows * n);
        let mut dx = device.buffer_from(&x).unwrap();
        k::softmax_of_rows(stream, &mut dx, n).unwrap();
        let softmax = |row: &[f32]| {
            let all: Vec<f64> = row.iter().map(|v| f64::from(*v).exp()).collect();
            let sum: f64 = all.iter().sum();
            all.into_iter().map(move |v| v / sum)
        };
        close(&dx.to_vec().unwrap(), &x.chunks(n).flat_map(softmax).collect::<Vec<f64>>(), &format!("{rows} x {n}"));
    }
}

/// warpfront/hipfire#575.
pub fn a_sum_is_read_before_its_place_is_used_again(device: &Device, stream: &Stream) {
    let (x, angles) = (fractions(64 * 12), fractions(32));
    let mut y = device.zeros(x.len()).unwrap();
    let (dx, da) = (device.buffer_from(&x).unwrap(), device.buffer_from(&angles).unwrap());
    k::normalized_and_turned(stream, &mut y, &dx, &da).unwrap();
    let turned = |head: &[f32]| {
        let head: Vec<f64> = head.iter().map(|v| f64::from(*v)).collect();
        let scale = (head.iter().map(|v| v * v).sum::<f64>() / 64.0 + 1e-6).sqrt();
        let angle = |t: usize| f64::from(angles[t % 32]).sin_cos();
        let of = |t: usize| match angle(t) {
            (sin, cos) if t < 32 => (head[t] * cos - head[t + 32] * sin) / scale,
            (sin, cos) => (head[t - 32] * sin + head[t] * cos) / scale,
        };
        (0..64).map(of).collect::<Vec<f64>>()
    };
    close(&y.to_vec().unwrap(), &x.chunks(64).flat_map(turned).collect::<Vec<f64>>(), "heads");
}

/// NVlabs/cuda-oxide#1066.
pub fn a_mailbox_is_read_before_it_is_written_again(device: &Device, stream: &Stream) {
    let (blocks, wide) = (3, 7);
    let mut out = device.zeros(blocks * 8 * 64).unwrap();
    k::tiles_in_turn(stream, &mut out, blocks, wide).unwrap();
    let want = |at: usize| (at / 64 / wide * 10000 + at / 64 % wide * 100 + at % 64) as u32;
    assert_eq!(out.to_vec().unwrap(), (0..blocks * 8 * 64).map(want).collect::<Vec<u32>>());
    let (mut next, mut taken) = (device.zeros(1).unwrap(), device.zeros(50).unwrap());
    k::tiles_taken(stream, &mut next, &mut taken, 50).unwrap();
    assert_eq!(taken.to_vec().unwrap(), [32 * 33 / 2; 50]);
    assert_eq!(next.to_vec().unwrap(), [58]);
}

/// In one phase there is no order to rely on.
pub fn one_phase_has_no_order(device: &Device, stream: &Stream) {
    let (mut out, mut x) = (device.filled(128, 3u32).unwrap(), device.filled(128, 1.0f32).unwrap());
    let refused = |result| match result {
        Err(Error::Overlap { buffer, first, second, .. }) => (buffer, first, second),
        other => panic!("{other:?}"),
    };
    let mailbox = refused(k::mailbox_in_one_phase(stream, &mut out));
    assert_eq!(mailbox, ("mailbox", "mailbox[0]", "mailbox[0]"));
    assert_eq!(refused(k::sum_in_one_phase(stream, &mut x)).0, "red");
    // Nothing has run.
    assert_eq!(out.to_vec().unwrap(), [3; 128]);
    assert_eq!(x.to_vec().unwrap(), [1.0; 128]);
}

pub fn no_way_loses_a_barrier(device: &Device, stream: &Stream) {
    for way in 0..5 {
        let mut x = device.zeros(16).unwrap();
        k::lost_on_ways(stream, &mut x, 2, 3, way).unwrap();
        assert_eq!(x.to_vec().unwrap(), [5; 16], "way {way}");
    }
}
