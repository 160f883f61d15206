//! What is right, but not for a reason that the macro could find: the user answers for it with
//! `unsafe`.
use anabranch::prelude::*;

/// `to` names every element once.
#[kernel]
fn permuted(x: &[f32], to: &[usize], y: &mut [f32]) {
    for i in par(0..x.len()) {
        unsafe { y[to[i]] = x[i] };
    }
}

/// Only the first of each pair exchanges.
#[kernel]
fn bitonic_sort(x: &mut [f32]) {
    let n = x.len();
    let mut size = 2;
    while size <= n {
        let mut distance = size / 2;
        while distance > 0 {
            for i in par(0..n) {
                let partner = i ^ distance;
                if partner > i {
                    unsafe {
                        if (x[i] > x[partner]) == (i & size == 0) {
                            (x[i], x[partner]) = (x[partner], x[i]);
                        }
                    }
                }
            }
            distance /= 2;
        }
        size *= 2;
    }
}

/// Row and column `k` do not change in round `k`, since no path leads from `k` to itself by less
/// than nothing.
#[kernel]
fn shortest_paths(d: &mut [f32], n: usize) {
    for k in 0..n {
        for (i, j) in par((0..n, 0..n)) {
            if i != k && j != k {
                unsafe { d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]) };
            }
        }
    }
}

/// The border of a plane: rows and columns that do not share corners.
#[kernel]
fn border(x: &mut [u32], h: usize, w: usize) {
    for column in par(0..w) {
        unsafe {
            x[column] = 1;
            x[(h - 1) * w + column] = 1;
        }
    }
    for row in par(1..h - 1) {
        x[row * w] = 2;
        x[row * w + w - 1] = 2;
    }
}

/// The index is checked all the same.
#[kernel]
fn out_of_bounds(x: &mut [f32], to: &[usize]) {
    for i in par(0..to.len()) {
        unsafe { x[to[i]] = 1.0 };
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();

    let (x, to) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[2usize, 0, 1])?);
    let mut y = device.zeros::<f32>(3)?;
    permuted(&stream, &x, &to, &mut y)?;
    assert_eq!(y.to_vec()?, [2.0, 3.0, 1.0]);

    let mut a = device.buffer_from(&[5.0f32, 3.0, 9.0, 1.0, 7.0, 2.0, 8.0, 4.0])?;
    bitonic_sort(&stream, &mut a)?;
    assert_eq!(a.to_vec()?, [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0]);

    let far = 100.0;
    let mut d = device.buffer_from(&[0.0f32, 1.0, far, far, 0.0, 1.0, 1.0, far, 0.0])?;
    shortest_paths(&stream, &mut d, 3)?;
    assert_eq!(d.to_vec()?, [0.0, 1.0, 2.0, 2.0, 0.0, 1.0, 1.0, 2.0, 0.0]);

    let (h, w) = (3, 4);
    let mut v = device.zeros::<u32>(12)?;
    border(&stream, &mut v, h, w)?;
    assert_eq!(v.to_vec()?, [1, 1, 1, 1, 2, 0, 0, 2, 1, 1, 1, 1]);

    let far = device.buffer_from(&[7usize])?;
    let launched = out_of_bounds(&stream, &mut y, &far).and_then(|()| stream.synchronize());
    assert!(launched.is_err(), "an index that is too large");
    Ok(())
}
