//! Loops whose iterations run in lock step on the CPU, where `ANABRANCH_LANES` says so. They
//! compute what they compute alone, bit by bit.

use std::fmt::Debug;

use anabranch::Plan;
use anabranch::prelude::*;

use super::noise;
use crate::kernels::lanes as k;

/// Around the number of lanes, and with a rest behind it.
const LENGTHS: [usize; 8] = [0, 1, 15, 16, 17, 33, 64, 100];

fn floats(len: usize) -> Vec<f32> {
    noise(len).map(|x| (x % 1000) as f32 / 1000.0).collect()
}

/// Floats of a GPU are close to these.
#[track_caller]
fn same<T: Debug>(device: &Device, got: &[T], want: &[impl Debug]) {
    if device.is_cpu() {
        assert_eq!(format!("{got:?}"), format!("{want:?}"), "{} elements", got.len());
    }
}

pub fn values_of_user_types(device: &Device, stream: &Stream) {
    for len in LENGTHS {
        let values: Vec<[f32; 3]> = noise(len)
            .map(|x| [x as u8 as f32 / 256.0, (x >> 8) as u8 as f32 / 128.0, (x >> 16) as u8 as f32])
            .collect();
        let all: Vec<_> =
            values.iter().map(|&[x, y, mass]| k::Body { x, y, mass: mass.into(), seen: [7, 0] }).collect();
        let plain: Vec<_> =
            values.iter().map(|&[x, y, mass]| k::plain::Body { x, y, mass: mass.into(), seen: [7, 0] }).collect();
        let scale: Vec<f64> = (0..len).map(|x| x as f64 * 0.25).collect();
        let (mut force, mut want) = (device.buffer_from(&all).unwrap(), plain.clone());
        let (all, on_device) = (device.buffer_from(&all).unwrap(), device.buffer_from(&scale).unwrap());
        k::bodies(stream, &mut force, &all, &on_device).unwrap();
        k::plain::bodies(&mut want, &plain, &scale);
        same(device, &force.to_vec().unwrap(), &want);
    }
}

pub fn loops_that_are_left(device: &Device, stream: &Stream) {
    for (len, w) in [(0, 1), (17, 17), (96, 32), (200, 50), (1000, 1000)] {
        let x: Vec<i32> = noise(len).map(|x| (x % 2000) as i32 - 1000).collect();
        for rounds in [0, 1, 40] {
            let (mut out, mut want) = (device.zeros(len).unwrap(), vec![0; len]);
            k::left(stream, &mut out, &device.buffer_from(&x).unwrap(), w, rounds).unwrap();
            k::plain::left(&mut want, &x, w, rounds);
            assert_eq!(out.to_vec().unwrap(), want, "{len} {w} {rounds}");
        }
    }
}

pub fn branches_with_loops_and_stores(device: &Device, stream: &Stream) {
    for len in LENGTHS {
        let x = floats(len);
        let (mut out, mut best) = (device.filled(len, -1.0f32).unwrap(), device.filled(len, 9u16).unwrap());
        let (mut want, mut most) = (vec![-1.0f32; len], vec![9u16; len]);
        k::branches(stream, &mut out, &mut best, &device.buffer_from(&x).unwrap(), len, 0.75).unwrap();
        k::plain::branches(&mut want, &mut most, &x, len, 0.75);
        same(device, &out.to_vec().unwrap(), &want);
        assert_eq!(best.to_vec().unwrap(), most);
    }
}

/// Three elements, and more rounds: in lanes they would be read beyond their end.
pub fn reads_that_do_not_happen(device: &Device, stream: &Stream) {
    let few = [3u64, 5, 8];
    for len in LENGTHS {
        let x: Vec<u64> = noise(len).map(|x| x % 1000).collect();
        let (mut out, mut want) = (device.zeros(len).unwrap(), vec![0; len]);
        let (on_device, few_there) = (device.buffer_from(&x).unwrap(), device.buffer_from(&few).unwrap());
        k::guarded(stream, &mut out, &on_device, &few_there, 3).unwrap();
        k::plain::guarded(&mut want, &x, &few, 3);
        assert_eq!(out.to_vec().unwrap(), want);
    }
}

pub fn special_values(device: &Device, stream: &Stream) {
    let special = [0.0f32, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1.0e-45, 32768.5];
    let x: Vec<f32> = special.iter().copied().cycle().take(45).collect();
    let (mut out, mut bits) = (device.zeros::<f64>(45).unwrap(), device.zeros::<u8>(45).unwrap());
    let (mut want, mut all) = (vec![0.0; 45], vec![0; 45]);
    k::numbers(stream, &mut out, &mut bits, &device.buffer_from(&x).unwrap(), 9).unwrap();
    k::plain::numbers(&mut want, &mut all, &x, 9);
    same(device, &out.to_vec().unwrap(), &want);
    same(device, &bits.to_vec().unwrap(), &all);
}

/// The first failure of a loop is that of its first iteration that fails: it does not run in lanes.
pub fn what_runs_one_by_one(device: &Device, stream: &Stream) {
    let in_lanes = |plan: Plan| plan.lanes().collect::<Vec<_>>();
    for plan in [k::bodies::plan(), k::left::plan(), k::branches::plan(), k::numbers::plan()] {
        assert_eq!(in_lanes(plan), [Ok(())], "{plan:#}");
    }
    assert_eq!(in_lanes(k::one_by_one::plan()), [Err("of `lanes = false`")]);
    let [function, division] = in_lanes(k::hidden::plan())[..] else { panic!("two loops") };
    assert_eq!(function, Err("it calls a function that branches or can fail"));
    // The launch knows what is divided by.
    assert_eq!(division, Ok(()));

    let x = device.buffer_from(&(0..40).collect::<Vec<u32>>()).unwrap();
    let (mut out, mut ratio) = (device.zeros::<u32>(40).unwrap(), device.zeros::<u32>(40).unwrap());
    k::hidden(stream, &mut out, &mut ratio, &x, 3).unwrap();
    assert_eq!(ratio.to_vec().unwrap(), [(0..40).map(|x| x / 3).sum::<u32>(); 40]);
    assert_eq!(out.to_vec().unwrap(), [(0..40).map(|x| if x > 10 { x / 3 } else { x }).sum::<u32>(); 40]);
    k::hidden(stream, &mut out, &mut ratio, &x, 0).unwrap();
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(error.contains("zero"), "{error}");

    let mut sums = device.zeros::<f32>(3).unwrap();
    k::one_by_one(stream, &mut sums, &device.buffer_from(&[1.0f32, 2.5]).unwrap()).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [3.5; 3]);
}

pub fn names_that_hide_others(device: &Device, stream: &Stream) {
    for len in LENGTHS {
        let x = floats(len);
        for (k, rounds) in [(0, 0), (1, 1), (5, 3)].into_iter().filter(|(_, rounds)| *rounds <= len) {
            let (mut out, mut counts) = (device.zeros::<f32>(len).unwrap(), device.zeros::<u32>(len).unwrap());
            k::hiding(stream, &mut out, &mut counts, &device.buffer_from(&x).unwrap(), k, rounds).unwrap();
            let (mut want, mut all) = (vec![0.0f32; len], vec![0; len]);
            for i in 0..len {
                want[i] = x[i] * (k as f32 + 0.5);
                for round in 0..rounds {
                    want[i] = want[i] * 0.5 + x[(i + k).min(len - 1)] + 100.0 * rounds as f32 + round as f32;
                    (0..3).for_each(|t| want[i] += x[(i + t).min(len - 1)]);
                    if x[i] > x[round] {
                        all[i] += 1;
                        all[i] += if all[i] > 2 { 100 } else { 0 };
                    }
                }
            }
            same(device, &out.to_vec().unwrap(), &want);
            assert_eq!(counts.to_vec().unwrap(), all);
        }
    }
}

/// So many that each thread has lanes, also where a loop is cut for several.
const MANY: usize = 1000;

pub fn variables_of_variables(device: &Device, stream: &Stream) {
    let x: Vec<u64> = noise(40).map(|x| u64::from(x as u16)).collect();
    let [mut out, mut moved] = [(); 2].map(|()| device.zeros::<u64>(MANY).unwrap());
    let (x_on_device, off) = (device.buffer_from(&x).unwrap(), device.buffer_from(&[3]).unwrap());
    k::chains(stream, &mut out, &mut moved, &x_on_device, &off, 40).unwrap();
    let chain = |i: u64| x.iter().fold(i + 45, |s, x| (s ^ x) + 3 * (i + 44) + i + 45) + i + 44;
    assert_eq!(out.to_vec().unwrap(), (0..MANY as u64).map(chain).collect::<Vec<_>>());
    let shifted = |i: u64| x.iter().fold(i + 4, |s, x| (s ^ x) + i + 4) + i + 3;
    assert_eq!(moved.to_vec().unwrap(), (0..MANY as u64).map(shifted).collect::<Vec<_>>());
}

pub fn limits_behind_sums_that_wrap(device: &Device, stream: &Stream) {
    let x: Vec<u64> = noise(200).map(|x| u64::from(x as u16)).collect();
    let on_device = device.buffer_from(&x).unwrap();
    let most = usize::MAX - 7;
    for off in [[most, 8], [3, 5]] {
        let mut out = device.zeros::<u64>(MANY).unwrap();
        k::limited(stream, &mut out, &on_device, &device.buffer_from(&off).unwrap(), most, 9).unwrap();
        let want = |i: usize| {
            let at = i.wrapping_add(off[0]).min(most).wrapping_add(off[1]);
            (0..9).fold(0, |s, k| (s ^ x[at.min(199)]) + k)
        };
        assert_eq!(out.to_vec().unwrap(), (0..MANY).map(want).collect::<Vec<_>>(), "{off:?}");
    }
}

pub fn elements_far_away(device: &Device, stream: &Stream) {
    let mut y = device.zeros(64).unwrap();
    k::far(stream, &mut y, &device.filled(10, 1.0).unwrap(), 10).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..64).map(|i| if i == 0 { 10.0 } else { 0.0 }).collect::<Vec<f32>>());
}

pub fn types_of_their_own(device: &Device, stream: &Stream) {
    let mut y = device.zeros(64).unwrap();
    k::own_type(stream, &mut y, &device.filled(64, 200u8).unwrap(), 256 + 4, 3).unwrap();
    assert_eq!(y.to_vec().unwrap(), [53.0; 64]);
}

pub fn operators_that_nobody_asks_for(device: &Device, stream: &Stream) {
    let mut y = device.zeros(64).unwrap();
    k::only_if(stream, &mut y, k::Strict(2.0), k::Strict(0.0), false, 3).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..64).map(|i| i as f32).collect::<Vec<_>>());
    k::only_if(stream, &mut y, k::Strict(2.0), k::Strict(0.5), true, 3).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..64).map(|i| i as f32).collect::<Vec<_>>());
    let result =
        k::only_if(stream, &mut y, k::Strict(2.0), k::Strict(0.0), true, 3).and_then(|()| stream.synchronize());
    assert!(result.unwrap_err().to_string().contains("a product is 0"));
}
