//! A crate that allows nothing, and documents everything.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, unreachable_pub, rust_2018_idioms, unused_qualifications)]
#![deny(clippy::all, clippy::pedantic)]

use anabranch::prelude::*;

/// A factor.
#[must_use]
#[device]
pub(crate) fn wave(x: f32) -> f32 {
    let y = x.sin();
    if y > 2.0 {
        return 2.0;
    }
    y + 1.0
}

/// Does something.
#[kernel]
pub(crate) fn work(x: &mut [f32], y: &[f32], rows: u32, on: bool) {
    let n = x.len();
    let (lo, hi) = x.split_at_mut(n / 2);
    stream_parallel! {
        'lo: { for i in par(0..lo.len()) { lo[i] = wave(y[i]); } }
        'hi: {
            for i in par((0..hi.len()).step_by(2)).block(128) {
                if on { hi[i] *= 2.0; } else { hi[i] = 0.0; }
            }
        }
    }
    if n > 4 && on {
        for (a, b) in par((0..rows, 0..=1_u32)) {
            let at = (a * 2 + b) as usize;
            x[at] += 1.0;
        }
    }
    for i in par(0..n) {
        let mut s = x[i];
        for _ in 0..3 {
            s += 1.0;
        }
        x[i] = s;
    }
}

/// The largest of three, and where it is.
#[must_use]
#[device]
pub(crate) fn largest<T: Num, const N: usize>(values: &[T; N], (first, sign): (usize, bool)) -> (T, usize) {
    let mut best = (values[first], first);
    for (at, step) in [(0, 1), (1, 1)] {
        if at + step < N && (values[at + step] > best.0) == sign {
            best = (values[at + step], at + step);
        }
    }
    best
}

/// Patterns, tuples, arrays and early ways out.
#[kernel]
pub(crate) fn more(x: &mut [i32], limits: (i32, i32)) {
    'all: for i in par(0..x.len()) {
        let (low, high) = limits;
        let [a, .., c] = [x[i], low, high];
        let 0.. = a else { continue 'all };
        let class = match (a, i) {
            (0, _) => 0,
            (1..=9, n @ 0..4) if n > 1 => 2,
            (..=-1, _) | (10.., _) => 3,
            _ => 1,
        };
        let (value, at) = largest(&[a, class, c], (0, true));
        x[i] = 'found: {
            if at == 2 {
                break 'found value;
            }
            class
        };
    }
}

/// Expects what its body does.
#[expect(unused_variables, clippy::needless_return, reason = "a test")]
#[device]
pub(crate) fn first(x: f32) -> f32 {
    let unused = x;
    return 1.0;
}

/// As above.
#[expect(unused_variables, clippy::approx_constant)]
#[kernel]
pub(crate) fn circle(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let unused = i;
        x[i] = 3.14 * first(x[i]);
    }
}

/// Writes what nobody reaches.
#[kernel]
pub(crate) fn unfinished(x: &mut [i32]) {
    for i in par(0..x.len()) {
        todo!("find the value");
        x[i] = 1;
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = device.buffer_from(&[1.0; 8])?;
    let y = device.zeros::<f32>(8)?;
    work(&stream, &mut x, &y, 2, true)?;
    assert_eq!(x.to_vec()?, [5.0, 5.0, 5.0, 5.0, 5.0, 4.0, 5.0, 4.0]);
    assert!(work::cuda_source().contains("wave"));
    let mut y = device.buffer_from(&[-5, 0, 5, 50])?;
    more(&stream, &mut y, (1, 20))?;
    assert_eq!(y.to_vec()?, [-5, 20, 20, 3]);
    circle(&stream, &mut x)?;
    assert_eq!(x.to_vec()?, [3.14; 8]);
    assert!(unfinished(&stream, &mut y).is_ok() && y.to_vec().is_err());
    Ok(())
}
