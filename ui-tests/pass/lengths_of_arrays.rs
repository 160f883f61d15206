//! Lengths of arrays come from their types, whatever the names of arrays and types. The launch must
//! accept what is disjoint and in bounds, and nothing else.

use anabranch::prelude::*;

type Bytes = [u8; 2];

#[device]
fn of<const N: usize>(i: u8) -> [u8; N] {
    [i; N]
}

#[device]
fn maybe(i: u8) -> Option<[u8; 4]> {
    if i < 200 { Some([i; 4]) } else { None }
}

#[device]
fn put(from: Bytes, to: &mut [u8]) {
    type Bytes = [u8; 9];
    let other: Bytes = [0; 9];
    for (k, b) in from.iter().enumerate() {
        to[k] = *b + other[8];
    }
}

#[kernel]
fn shadowed(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        let all = of::<2>(i as u8);
        {
            let all = of::<5>(i as u8);
            for (k, b) in all.iter().enumerate() {
                bytes[stride * i + k] = *b;
            }
        }
        for (k, b) in all.iter().enumerate() {
            bytes[stride * i + 5 + k] = *b;
        }
    }
}

#[kernel]
fn later(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        let all = of::<6>(i as u8);
        let part = &all[..];
        let all = of::<2>(i as u8);
        for k in 0..part.len() {
            bytes[stride * i + k] = part[k] + all[0];
        }
    }
}

#[kernel]
fn aliased(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        type Bytes = [u8; 7];
        let all: Bytes = of(i as u8);
        for (k, b) in all.iter().enumerate() {
            bytes[stride * i + k] = *b;
        }
    }
}

#[kernel]
fn matched(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        if let Some(all) = maybe(i as u8) {
            for (k, b) in all.iter().enumerate() {
                bytes[stride * i + k] = *b;
            }
        }
    }
}

#[kernel]
fn generic<const N: usize>(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        let mut all = of::<N>(i as u8);
        all = of::<N>(all[0]);
        for (k, b) in all.iter().enumerate().rev() {
            bytes[stride * i + k] = *b;
        }
    }
}

#[kernel]
fn late(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        let all;
        all = of::<3>(i as u8);
        for (k, b) in all.iter().enumerate() {
            bytes[stride * i + k] = *b;
        }
    }
}

#[kernel]
fn lent(bytes: &mut [u8], stride: usize, n: usize) {
    for i in par(0..n) {
        put([i as u8; 2], &mut bytes[stride * i..stride * i + 2]);
    }
}

fn main() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut wrong = Vec::new();
    // `n` iterations write `len` elements each, `stride` apart.
    let mut check = |name: &str, len: usize, f: &dyn Fn(&mut Buffer<u8>, usize, usize) -> anabranch::Result<()>| {
        for stride in 0..12 {
            let end = 2 * stride + len;
            for (n, size) in [(2, 64), (3, end), (3, end - 1), (1, len), (1, len - 1)] {
                let mut bytes = device.zeros::<u8>(size).unwrap();
                let result = f(&mut bytes, stride, n).and_then(|()| stream.synchronize());
                let expected = (n < 2 || stride >= len) && stride * (n - 1) + len <= size;
                if result.is_ok() != expected {
                    wrong.push(format!("{name} {stride} {n} {size}: {result:?}"));
                }
            }
        }
    };
    check("shadowed", 7, &|b, s, n| shadowed(&stream, b, s, n));
    check("later", 6, &|b, s, n| later(&stream, b, s, n));
    check("aliased", 7, &|b, s, n| aliased(&stream, b, s, n));
    check("matched", 4, &|b, s, n| matched(&stream, b, s, n));
    check("generic", 4, &|b, s, n| generic::<4>(&stream, b, s, n));
    check("late", 3, &|b, s, n| late(&stream, b, s, n));
    check("lent", 2, &|b, s, n| lent(&stream, b, s, n));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
