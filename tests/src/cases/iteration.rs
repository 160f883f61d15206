use anabranch::prelude::*;

use super::noise;
use crate::kernels::iteration as k;

pub fn every_function_on_every_row(device: &Device, stream: &Stream) {
    const WIDTH: usize = 6;
    let x: Vec<i32> = noise(WIDTH * 40).map(|x| x as i32 % 200).collect();
    let mut y: Vec<i32> = noise(WIDTH * 41).map(|x| x as i32 % 1000).skip(WIDTH).collect();
    let mut on_device = device.buffer_from(&y).unwrap();
    let mut out = device.zeros::<i64>(k::COUNT * x.len() / WIDTH).unwrap();
    k::iteration(stream, &device.buffer_from(&x).unwrap(), &mut on_device, &mut out, WIDTH).unwrap();
    let out = out.to_vec().unwrap();
    let rows = x.chunks_exact(WIDTH).zip(y.chunks_exact_mut(WIDTH));
    for ((x, y), got) in rows.zip(out.chunks_exact(k::COUNT)) {
        for ((name, plain), &got) in k::FUNCTIONS.iter().zip(got) {
            let expected = plain(x, y);
            assert_eq!(got, expected, "{name}({x:?})");
        }
    }
    assert_eq!(on_device.to_vec().unwrap(), y);
}

pub fn rows(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1.0f32, 3.0, 4.0, 0.5, 0.25, 0.25]).unwrap();
    let (mut scaled, mut sums) = (device.zeros(6).unwrap(), device.zeros(2).unwrap());
    k::rows(stream, &x, &mut scaled, &mut sums, 3).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [8.0, 1.0]);
    assert_eq!(scaled.to_vec().unwrap(), [0.125, 0.375, 0.5, 0.5, 0.25, 0.25]);
}

pub fn weighted(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0]).unwrap();
    let weights = device.buffer_from(&[1.0f32, 10.0]).unwrap();
    let mut out = device.zeros(3).unwrap();
    k::weighted(stream, &x, &weights, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [[22.0, 1.0], [33.0, 1.0], [4.0, 1.0]]);
}

pub fn chains(device: &Device, stream: &Stream) {
    let x = [3.0f32, 4.0, 0.0, 0.0, 6.0, 8.0];
    let mut out = device.zeros(3).unwrap();
    k::chains(stream, &device.buffer_from(&x).unwrap(), &mut out, 2).unwrap();
    let expected = |row: &[f32]| {
        let mean = row.iter().sum::<f32>() / 2.0;
        let spread: f32 = row.iter().map(|v| (v - mean) * (v - mean)).sum();
        let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
        norm + spread * row[0].max(row[1]) + x.iter().filter(|&&v| v > mean).count() as f32
    };
    assert_eq!(out.to_vec().unwrap(), x.chunks(2).map(expected).collect::<Vec<_>>());
}

pub fn of_other_places(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[[1.0f32, 2.0], [0.5, 0.25]]).unwrap();
    let mut out = device.zeros(2).unwrap();
    k::of_other_places(stream, &x, &mut out, [1.0, 2.0, 4.0]).unwrap();
    let last = |sum: f32| ((sum * 0.5 + 4.0) * 0.5 + 2.0) * 0.5 + 1.0;
    assert_eq!(out.to_vec().unwrap(), [last(53.0) + 3.0 + 210.0, last(10.75) + 0.75 + 210.0]);
}

pub fn a_part_that_is_not_there(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1u32, 2, 3]).unwrap();
    for (end, words) in [
        (3, None),
        (4, Some("range end index 4 out of range for slice of length 3")),
        (0, Some("slice index starts at 1 but ends at 0")),
    ] {
        let mut out = device.zeros::<u32>(1).unwrap();
        let done = k::part_out_of_bounds(stream, &x, &mut out, end).and_then(|()| stream.synchronize());
        match (done, words) {
            (Ok(()), None) => assert_eq!(out.to_vec().unwrap(), [6]),
            (Err(error), Some(words)) => assert!(error.to_string().contains(words), "{error}"),
            (done, words) => panic!("{done:?}, not {words:?}"),
        }
    }
}
