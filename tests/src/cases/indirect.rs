//! Indexes that come from memory: right ones do what plain Rust does, and a wrong one is a panic at
//! its access.

use crate::kernels::indirect as k;
use anabranch::prelude::*;

/// The message and the place of a panic: those of an index that is out of bounds at the first line
/// with this access.
#[track_caller]
fn bad_index(device: &Device, result: anabranch::Result<()>, access: &str, index: usize, len: usize) {
    match result {
        Err(Error::KernelPanic { message, file, line, .. }) => {
            assert_eq!(message, format!("index out of bounds: the len is {len} but the index is {index}"));
            let source = include_str!("../kernels/indirect.rs").lines().position(|text| text.contains(access));
            assert!(
                file.ends_with("indirect.rs") && source.map(|line| line + 1) == Some(line as usize),
                "{file}:{line}"
            );
        }
        other => panic!("on {device}: {other:?}"),
    }
}

pub fn sparse_product(device: &Device, stream: &Stream) {
    let (rows, columns) = (700, 300);
    let mut starts = vec![0usize];
    let (mut cols, mut vals) = (Vec::new(), Vec::new());
    let mut noise = super::noise(100_000);
    let mut next = || noise.next().unwrap_or(1);
    for _ in 0..rows {
        for _ in 0..next() % 9 {
            cols.push((next() % columns) as u32);
            vals.push((next() % 16) as f32);
        }
        starts.push(cols.len());
    }
    let x: Vec<f32> = (0..columns).map(|i| (i % 7) as f32).collect();
    let element = |k: usize| vals[k] * x[cols[k] as usize];
    let want: Vec<f32> = (0..rows).map(|r| (starts[r]..starts[r + 1]).map(element).sum()).collect();

    let on = device.buffer_from(&starts).unwrap();
    let (c, v, x) =
        (device.buffer_from(&cols).unwrap(), device.buffer_from(&vals).unwrap(), device.buffer_from(&x).unwrap());
    let mut y = device.zeros::<f32>(rows).unwrap();
    k::sparse_product(stream, &on, &c, &v, &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), want);

    // A row that goes on behind the last element, and a column that there is not.
    let mut wrong = starts;
    wrong[rows] += 1;
    let wrong = device.buffer_from(&wrong).unwrap();
    let launched = k::sparse_product(stream, &wrong, &c, &v, &x, &mut y);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "sum += vals[k]", cols.len(), cols.len());
    cols[3] = columns as u32;
    let c = device.buffer_from(&cols).unwrap();
    let launched = k::sparse_product(stream, &on, &c, &v, &x, &mut y);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "sum += vals[k]", 300, 300);
    // What is not left to the device is refused before anything runs.
    let short = on.slice(..rows);
    let refused = k::sparse_product(stream, &short, &c, &v, &x, &mut y);
    assert!(
        matches!(refused, Err(Error::OutOfBounds { access: "rows[r + 1]", index: 700, len: 700, .. })),
        "{refused:?}"
    );
}

pub fn gathers(device: &Device, stream: &Stream) {
    let x: Vec<f32> = (0..50).map(|i| i as f32).collect();
    let from: Vec<u32> = (0..1_000).map(|i| i * 7 % 50).collect();
    let (d_x, d_from) = (device.buffer_from(&x).unwrap(), device.buffer_from(&from).unwrap());
    let want: Vec<f32> = from.iter().map(|&k| x[k as usize]).collect();
    let mut y = device.zeros::<f32>(1_000).unwrap();
    k::gather(stream, &d_from, &d_x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), want);

    let wild: Vec<u32> = from.iter().map(|&k| if k == 7 { u32::MAX } else { k }).collect();
    let d_wild = device.buffer_from(&wild).unwrap();
    let mut y = device.zeros::<f32>(1_000).unwrap();
    k::gather_what_there_is(stream, &d_wild, &d_x, &mut y).unwrap();
    let want: Vec<f32> = wild.iter().map(|&k| x.get(k as usize).copied().unwrap_or(0.0)).collect();
    assert_eq!(y.to_vec().unwrap(), want);
    let launched = k::gather(stream, &d_wild, &d_x, &mut y);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "y[i] = x[k]", u32::MAX as usize, 50);
    // Nothing has as many elements as `u32` has values, but an index may come close to where it
    // wraps.
    let empty = device.zeros::<f32>(0).unwrap();
    let launched = k::gather(stream, &d_from, &empty, &mut y);
    assert!(launched.and_then(|()| stream.synchronize()).is_err());
}

pub fn counts(device: &Device, stream: &Stream) {
    let from: Vec<u32> = super::noise(5_000).map(|n| (n % 37) as u32).collect();
    let mut want = vec![0u32; 37];
    from.iter().for_each(|&bin| want[bin as usize] += 1);
    let from = device.buffer_from(&from).unwrap();
    let mut counts = device.zeros::<u32>(37).unwrap();
    k::histogram(stream, &from, &mut counts).unwrap();
    assert_eq!(counts.to_vec().unwrap(), want);
    let mut few = device.zeros::<u32>(36).unwrap();
    let launched = k::histogram(stream, &from, &mut few);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "counts[bin]", 36, 36);
}

pub fn partners(device: &Device, stream: &Stream) {
    let x: Vec<u32> = super::noise(64).map(|n| n as u32).collect();
    let d_x = device.buffer_from(&x).unwrap();
    for stride in [1, 4, 32] {
        let mut y = device.zeros::<u32>(64).unwrap();
        k::partners(stream, &d_x, &mut y, stride).unwrap();
        let of = |i: usize| if i < i ^ stride { x[i].min(x[i ^ stride]) } else { x[i].max(x[i ^ stride]) };
        assert_eq!(y.to_vec().unwrap(), (0..64).map(of).collect::<Vec<_>>());
    }
    let mut y = device.zeros::<u32>(64).unwrap();
    let launched = k::partners(stream, &d_x, &mut y, 64);
    assert!(launched.and_then(|()| stream.synchronize()).is_err(), "there is no partner");
}

/// Inner loops over ranges that only data say, in bounds and not.
pub fn inner_ranges(device: &Device, stream: &Stream) {
    let (len, most) = (200, 8u32);
    let counts: Vec<u32> = super::noise(len).map(|n| n as u32 % (most + 1)).collect();
    let numbers: Vec<u32> = super::noise(len * most as usize).map(|n| (n % len as u64) as u32).collect();
    let x: Vec<f32> = (0..len).map(|i| (i % 5) as f32).collect();
    let near = |i: usize| (0..counts[i]).map(|k| x[numbers[i * most as usize + k as usize] as usize]).sum();
    let want: Vec<f32> = (0..len).map(near).collect();
    let (d_counts, d_numbers) = (device.buffer_from(&counts).unwrap(), device.buffer_from(&numbers).unwrap());
    let (d_x, mut y) = (device.buffer_from(&x).unwrap(), device.zeros::<f32>(len).unwrap());
    k::near(stream, &d_counts, &d_numbers, most, &d_x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), want);
    // The last row goes on past the last number.
    let counts: Vec<u32> = (0..len as u32).map(|i| if i as usize == len - 1 { most + 3 } else { 1 }).collect();
    let d_counts = device.buffer_from(&counts).unwrap();
    let launched = k::near(stream, &d_counts, &d_numbers, most, &d_x, &mut y);
    let (access, end) = ("sum += x[numbers[(first + k) as usize]", len * most as usize);
    bad_index(device, launched.and_then(|()| stream.synchronize()), access, end, end);

    let zeros: Vec<u32> = (0..100).map(|i| u32::from(i % 10 != 9)).collect();
    let starts = device.buffer_from(&[0u32, 9, 10, 93]).unwrap();
    let (d_zeros, mut y) = (device.buffer_from(&zeros).unwrap(), device.zeros::<u32>(4).unwrap());
    k::first_zero(stream, &starts, &d_zeros, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [9, 9, 19, 99]);
    let launched = k::first_zero(stream, &starts, &d_zeros.slice(..99), &mut y);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "if x[k as usize] == 0", 99, 99);

    // The first and the last index of the loop are 20 and 3, but between them is 30.
    let counts = device.buffer_from(&[10u8, 3, 240]).unwrap();
    let (x, mut y) = (device.filled(30, 1u32).unwrap(), device.zeros::<u32>(3).unwrap());
    k::around(stream, &counts.slice(..2), 20, &x, &mut y.slice_mut(..2)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [10, 3, 0]);
    let launched = k::around(stream, &counts, 20, &x, &mut y);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "sum += x[(k + from) as usize]", 30, 30);
}

pub fn names_in_inner_loops(device: &Device, stream: &Stream) {
    let x: Vec<u32> = (0..40).collect();
    let (d_x, ends) = (device.buffer_from(&x).unwrap(), device.buffer_from(&[0u32, 3, 29]).unwrap());
    let mut y = device.zeros::<u32>(3).unwrap();
    k::hidden(stream, &ends.slice(..2), 6, &d_x, &mut y.slice_mut(..2)).unwrap();
    let sum: usize = (0..3).map(|k| (12 + k) + (1 + 6 + k)).sum();
    assert_eq!(y.to_vec().unwrap(), [12, sum as u32 + 12, 0]);
    let launched = k::hidden(stream, &ends, 6, &d_x, &mut y);
    bad_index(device, launched.and_then(|()| stream.synchronize()), "sum += x[a + k - 1]", 40, 40);
}
