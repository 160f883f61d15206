use anabranch::Error;
use anabranch::prelude::*;

use super::noise;
use crate::kernels::blocks as k;

fn small(n: usize) -> Vec<f32> {
    noise(n).map(|v| (v % 8) as f32).collect()
}

pub fn products_by_tiles(device: &Device, stream: &Stream) {
    for n in [16, 48, 80] {
        let (a, b) = (small(n * n), small(n * n + 1).split_off(1));
        let (da, db, mut dc) =
            (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap(), device.zeros(n * n).unwrap());
        k::tiled_product(stream, &mut dc, &da, &db, n).unwrap();
        // Integers, so that nothing is rounded.
        let want: Vec<f32> = (0..n * n).map(|at| (0..n).map(|k| a[at / n * n + k] * b[k * n + at % n]).sum()).collect();
        assert_eq!(dc.to_vec().unwrap(), want, "{n}");
    }
}

pub fn clipped_tiles(device: &Device, stream: &Stream) {
    for (h, w) in [(1, 1), (32, 32), (33, 31), (5, 70), (130, 7), (64, 96)] {
        let x: Vec<u32> = noise(h * w).map(|v| v as u32).collect();
        let mut y = device.filled(h * w, 7u32).unwrap();
        k::transposed(stream, &mut y, &device.buffer_from(&x).unwrap(), h, w).unwrap();
        let want: Vec<u32> = (0..h * w).map(|at| x[at % h * w + at / h]).collect();
        assert_eq!(y.to_vec().unwrap(), want, "{h} x {w}");
    }
}

pub fn values_of_each_thread(device: &Device, stream: &Stream) {
    for (n, size) in [(1, 1), (1000, 64), (1000, 333), (5000, 100)] {
        let x: Vec<i64> = noise(n).map(|v| (v % 1000) as i64).collect();
        let parts = n.div_ceil(size);
        let mut sums = device.zeros(parts).unwrap();
        k::sums_of_parts(stream, &mut sums, &device.buffer_from(&x).unwrap(), size).unwrap();
        let want: Vec<i64> = x.chunks(size).map(|part| part.iter().sum()).collect();
        assert_eq!(sums.to_vec().unwrap(), want, "{n} by {size}");
    }
    let x: Vec<u32> = noise(24 * 9).map(|v| v as u32).collect();
    let mut dx = device.buffer_from(&x).unwrap();
    k::rotated(stream, &mut dx, 5).unwrap();
    let turned = |block: &[u32]| (0..24).map(|at| block[(at + 5) % 24].wrapping_add(10)).collect::<Vec<_>>();
    assert_eq!(dx.to_vec().unwrap(), x.chunks(24).flat_map(turned).collect::<Vec<_>>());
}

pub fn code_outside_of_phases(device: &Device, stream: &Stream) {
    let n = 11;
    let (mut x, mut marks) = (device.filled(n * 40, 5).unwrap(), device.zeros(n).unwrap());
    k::walks(stream, &mut x, &mut marks, n).unwrap();
    let (mut want, mut want_marks) = (vec![5; n * 40], vec![0; n]);
    for b in 0..n {
        if b % 3 == 2 {
            want_marks[b] = -1;
            continue;
        }
        let (mut line, mut first, mut last) = ([1; 40], 0, 40);
        while last - first > 4 {
            for (i, place) in line.iter_mut().enumerate().take(last).skip(first) {
                *place += (last - first) as i32 * (i + b) as i32;
            }
            if line[first] % 2 == 0 { first += 3 } else { last -= 2 }
        }
        line[first] = 1000;
        want_marks[b] = 1000 + first as i32;
        want[b * 40..][..40].copy_from_slice(&line);
    }
    assert_eq!(marks.to_vec().unwrap(), want_marks);
    assert_eq!(x.to_vec().unwrap(), want);
}

pub fn conditions_that_wrap(device: &Device, stream: &Stream) {
    let sizes = [(0, 64), (5, 40), (10, 0), (usize::MAX - 10, 20), (usize::MAX - 10, usize::MAX), (usize::MAX, 60)];
    let bytes = [(0, 64), (0, 40), (250, 20), (250, 255), (192, 255), (100, 0)];
    let ints =
        [(0, -4), (0, 1), (i32::MAX - 1, i32::MIN + 1), (i32::MAX - 1, i32::MIN), (i32::MIN, i32::MAX - 3), (9, 13)];
    for ((from, to), ((byte, top), (low, high))) in sizes.into_iter().zip(bytes.into_iter().zip(ints)) {
        let mut marks = device.zeros(64 * 7).unwrap();
        k::clipped(stream, &mut marks, from, to, byte, top, low, high).unwrap();
        let want = |at: usize| {
            let (b, t, y, x) = (at / 64, at % 64, at % 64 / 16, at % 16);
            let at = from.wrapping_add(x);
            let both = b < 5 && at.wrapping_sub(1) < to && to >= at.wrapping_add(y);
            let ints = high <= low.wrapping_add((t % 8) as i32 - 4) && t / 8 != 3;
            let (one, hidden) = (from.wrapping_add(t), to.wrapping_sub(1));
            let all = [at < to, both, one <= to, byte.wrapping_add(t as u8) < top, ints, one < hidden, one < hidden];
            all.iter().rev().fold(0, |marks, holds| 2 * marks + u32::from(*holds))
        };
        let want: Vec<u32> = (0..64 * 7).map(want).collect();
        assert_eq!(marks.to_vec().unwrap(), want, "{from} {to}, {byte} {top}, {low} {high}");
    }
}

pub fn conditions_that_divide(device: &Device, stream: &Stream) {
    for n in [0, 3, 5, 100] {
        let mut marks = device.zeros(32 * 9).unwrap();
        k::divided(stream, &mut marks, n).unwrap();
        let want = |at: usize| {
            let (b, t) = (at / 32, at % 32);
            let [plain, doubled, of_thread] = [b != 0 && 8 / b < n, b != 0 && 8 / b * 2 < n, t != 0 && 9 % t < n];
            let of_block = (2 - u32::from(plain)) + (32 - 16 * u32::from(plain)) + (128 - 64 * u32::from(doubled));
            of_block + 8 - 4 * u32::from(of_thread)
        };
        assert_eq!(marks.to_vec().unwrap(), (0..32 * 9).map(want).collect::<Vec<u32>>(), "{n}");
    }
    let mut marks = device.zeros(1).unwrap();
    let failed = k::divides_twice(stream, &mut marks).and_then(|()| stream.synchronize());
    let Err(Error::KernelPanic { message, .. }) = &failed else { panic!("{failed:?}") };
    assert_eq!(message, "attempt to divide by zero");
}

/// The buffer or array that iterations were refused for, and what the error says of two of them.
fn refused(result: anabranch::Result<()>) -> (&'static str, String) {
    let Err(error @ Error::Overlap { buffer, .. }) = &result else { panic!("{result:?}") };
    let text = error.to_string();
    let pair = text.split_once("such as ").and_then(|(_, pair)| pair.split(':').next());
    (buffer, pair.unwrap_or_default().to_owned())
}

pub fn races_are_refused(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.filled(64, 3u32).unwrap(), device.filled(64, 3u32).unwrap());
    let check = |result, buffer, pair: &str| assert_eq!(refused(result), (buffer, pair.to_owned()));
    check(k::shifted_in_place(stream, &mut x, 1), "line", "iterations 0 and 1 in block 0");
    // The launch does not know which values `half` has.
    check(k::overlapping_halves(stream, &mut x), "red", "");
    check(k::halved(stream, &mut x), "x", "iterations 0 and 1 in block 0");
    check(k::across_blocks(stream, &mut x, &mut y), "x", "blocks 0 and 1");
    check(k::last_one(stream, &mut x, 4, 0), "x", "blocks 0 and 1");
    // A single block has no other one.
    k::last_one(stream, &mut x, 1, 0).unwrap();
    assert_eq!(x.to_vec().unwrap()[..2], [1, 3]);
    assert_eq!(y.to_vec().unwrap(), [3; 64]);
}

pub fn trees(device: &Device, stream: &Stream) {
    let x: Vec<u32> = noise(64 * 5).map(|v| v as u32).collect();
    let (mut most, mut sums) = (device.zeros(5).unwrap(), device.zeros(5).unwrap());
    k::greatest(stream, &device.buffer_from(&x).unwrap(), &mut most, &mut sums).unwrap();
    assert_eq!(most.to_vec().unwrap(), x.chunks(64).map(|part| *part.iter().max().unwrap()).collect::<Vec<_>>());
    let sum = |part: &[u32]| part.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    assert_eq!(sums.to_vec().unwrap(), x.chunks(64).map(sum).collect::<Vec<_>>());
}

pub fn failed_checks_of_threads(device: &Device, stream: &Stream) {
    let from: Vec<u32> = (0..32).map(|at| if at == 19 { 8 } else { 7 - at % 8 }).collect();
    let mut x = device.filled(32, 99u32).unwrap();
    let told = k::beyond(stream, &mut x, &device.buffer_from(&from).unwrap()).and_then(|()| stream.synchronize());
    let error = told.expect_err("an index is beyond");
    assert!(error.to_string().contains("index out of bounds: the len is 8 but the index is 8"), "{error}");
    // The other blocks have done their work.
    assert_eq!(x.to_vec().unwrap()[..16], [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
}

pub fn loops_do_not_wait_for_failed_threads(device: &Device, stream: &Stream) {
    for way in 0..5 {
        let mut from = [1u32; 24];
        let mut x = device.zeros(24).unwrap();
        k::waits(stream, &mut x, &device.buffer_from(&from).unwrap(), way).unwrap();
        assert_eq!(x.to_vec().unwrap(), [3; 24], "way {way}");
        from[8] = 99;
        let mut x = device.zeros(24).unwrap();
        let from = device.buffer_from(&from).unwrap();
        let told = k::waits(stream, &mut x, &from, way).and_then(|()| stream.synchronize());
        let error = told.expect_err("an index is beyond").to_string();
        assert!(error.contains("the len is 24 but the index is 99"), "way {way}: {error}");
        let x = x.to_vec().unwrap();
        if !device.is_cpu() {
            assert_eq!((&x[..8], &x[16..]), (&[3; 8][..], &[3; 8][..]), "way {way}: the other blocks");
        }
    }
}

pub fn numbers_that_wrap(device: &Device, stream: &Stream) {
    let mut x = device.zeros(16).unwrap();
    let told = k::wraps(stream, &mut x).and_then(|()| stream.synchronize());
    assert!(told.expect_err("an index is beyond").to_string().contains("the len is 4 but the index is 8"));
    let (mut x, mut from) = (device.zeros(24).unwrap(), [1u64; 24]);
    from[11] = 99;
    let told =
        k::rounds_of_others(stream, &mut x, &device.buffer_from(&from).unwrap()).and_then(|()| stream.synchronize());
    assert!(told.expect_err("an index is beyond").to_string().contains("the len is 24 but the index is 99"));
}

pub fn a_block_prints_once(device: &Device, stream: &Stream) {
    let mut x = device.zeros(8).unwrap();
    let printed = super::prints::printed(stream, || k::tells(stream, &mut x).unwrap());
    let mut lines: Vec<&str> = printed.iter().map(|(_, line)| line.trim_end()).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["0", "1", "100", "101", "102", "103", "104", "2", "3", "4", "block 0", "block 1"]);
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3, 4, 101, 102, 103, 104]);
}

pub fn methods_of_elements(device: &Device, stream: &Stream) {
    let x: Vec<u32> = noise(24).map(|v| v as u32 % 100).collect();
    let mut dx = device.buffer_from(&x).unwrap();
    k::methods(stream, &mut dx).unwrap();
    let dot = |p: (u32, u32), q: (u32, u32)| p.0.wrapping_mul(q.0).wrapping_add(p.1.wrapping_mul(q.1));
    let sum = |p: (u32, u32)| p.0.wrapping_add(p.1);
    let mut want = Vec::new();
    for part in x.chunks(8) {
        let tile: Vec<(u32, u32)> = part.iter().zip(0..).map(|(x, t)| (*x, t)).collect();
        for t in 0..8 {
            let mut own = (1 + sum(tile[t]), 2);
            for other in &tile {
                own = (own.0.wrapping_add(dot(*other, own)), own.1 + 1);
            }
            own = (own.0.wrapping_add((4 + 3u32).wrapping_add(sum(own))), own.1 + 1);
            want.push(dot(own, own).wrapping_add(7).wrapping_add(sum(tile[1]) + 8));
        }
    }
    assert_eq!(dx.to_vec().unwrap(), want);
}

pub fn variables_of_threads_in_rounds(device: &Device, stream: &Stream) {
    let mut x = device.zeros(24).unwrap();
    k::made_in_rounds(stream, &mut x, 3).unwrap();
    let want = (0..24u32).map(|i| {
        let (b, t) = (i / 8, i % 8);
        let first = if b % 2 == 0 { b + 2 * t } else { b };
        (0..3).fold(first, |sum, k| sum * 3 + k + t + (0..t).map(|t| k + t).sum::<u32>()) + 1
    });
    assert_eq!(x.to_vec().unwrap(), want.collect::<Vec<_>>());
}

pub fn ends_that_a_phase_writes(device: &Device, stream: &Stream) {
    let from: Vec<usize> = (0..24).map(|i| i * 7 % 11).collect();
    let mut x = device.buffer_from(&from).unwrap();
    k::ends_in_what_is_written(stream, &mut x).unwrap();
    let mut want = from;
    for (b, line) in want.chunks_mut(8).enumerate() {
        let end = (line[0] % 9).min(8);
        (0..end).for_each(|t| line[t] = t * 10);
        let end = line[b % 8] % 9;
        (0..end).for_each(|t| line[t] += 1);
    }
    assert_eq!(x.to_vec().unwrap(), want);
}
