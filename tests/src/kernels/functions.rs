//! Device functions with references and slices, and generic kernels.

use anabranch::prelude::*;

/// The sum of a slice.
#[device]
pub fn sum<T: Num>(x: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// Reverses a slice in place.
#[device]
pub fn reverse<T: Scalar>(x: &mut [T]) {
    let n = x.len();
    for i in 0..n / 2 {
        let last = x[n - 1 - i];
        x[n - 1 - i] = x[i];
        x[i] = last;
    }
}

/// Adds to a number and counts how often.
#[device]
pub fn add_to<T: Num>(total: &mut T, count: &mut (u32, bool), x: &T) {
    *total += *x;
    count.0 += 1;
    (*count).1 = !count.1;
}

/// The largest of `N`, and where it is.
#[device]
pub fn largest<T: Num, const N: usize>(x: &[T; N]) -> (T, usize) {
    let mut best = (x[0], 0);
    for i in 1..N {
        if x[i] > best.0 {
            best = (x[i], i);
        }
    }
    best
}

/// Fills a part of a slice through another function, which gets what this one was given.
#[device]
pub fn fill_and_reverse(x: &mut [i64], from: &[i64]) {
    for i in 0..x.len() {
        x[i] = from[i % from.len()] + i as i64;
    }
    let middle = x.len() / 2;
    reverse(&mut x[..middle]);
    reverse(&mut x[middle..]);
    // Given on twice: each call borrows anew.
    reverse(x);
    let _ = reverse(x);
    let mut k = 0;
    x[0] += sum(&from[{
        k += 1;
        k - 1
    }..][..=0])
        + sum(from)
        + sum(&[k as i64, 5, 7][1..])
        - 12;
}

/// Each row of eight by functions that read and write parts of it.
#[kernel]
pub fn rows(x: &[i64], out: &mut [i64], stats: &mut [i64]) {
    const WIDTH: usize = 8;
    for row in par(0..stats.len() / 4) {
        let start = row * WIDTH;
        fill_and_reverse(&mut out[start..start + WIDTH], &x[start..start + WIDTH]);
        let mut corner = [out[start], out[start + 7], -5];
        let (mut total, mut count) = (0, (0, false));
        for i in 0..corner.len() {
            add_to(&mut total, &mut count, &corner[i]);
            add_to(&mut corner[2], &mut count, &out[start + i]);
            add_to(&mut stats[4 * row], &mut count, &1);
        }
        reverse(&mut corner);
        let (best, at) = largest(&corner);
        stats[4 * row + 1] = total + i64::from(count.0) * 1000 + i64::from(count.1) * 100_000;
        stats[4 * row + 2] = best;
        stats[4 * row + 3] = at as i64 + sum(&corner) + sum(&[1, 2, 3]) + sum(x);
    }
}

/// What `place` was, which is one more now.
#[device]
pub fn next(place: &mut u64) -> u64 {
    *place += 1;
    *place - 1
}

/// Sets `to`, and returns what `from` was.
#[device]
pub fn exchange(to: &mut u64, from: u64) -> u64 {
    let was = *to;
    *to = from;
    was
}

/// Elements whose values and indexes borrow the slice that they are elements of; four a row, the
/// first two are small.
#[kernel]
pub fn borrowed(x: &mut [u64]) {
    for row in par(0..x.len() / 4) {
        let at = 4 * row;
        // SAFETY: every index is one of the four of the row.
        unsafe {
            x[at] = next(&mut x[at]) + 10;
            x[at + next(&mut x[at + 1]) as usize] = next(&mut x[at + 1]);
            x[at + 3] += x[at + (next(&mut x[at + 1]) % 4) as usize];
            x[at + (next(&mut x[at]) % 4) as usize] += next(&mut x[at + 2]);
            let old = next(&mut x[at + (next(&mut x[at + 2]) % 4) as usize]);
            x[at] = exchange(&mut x[at + (next(&mut x[at + 3]) % 4) as usize], old);
        }
    }
}

/// `y = a x + b`, `N` times.
#[kernel]
pub fn affine<T: Num, const N: usize>(a: T, x: &[T], y: &mut [T], b: [T; N]) {
    for i in par(0..y.len()) {
        let mut value = x[i];
        for k in 0..N {
            value = a * value + b[k] + T::ONE;
        }
        y[i] = value;
    }
}

/// Bits and roots of generic numbers, with host values of every shape.
#[kernel]
pub fn shapes<I, F: Float>(x: &[F], bits: &mut [I], roots: &mut [F], shift: (u32, [F; 2]))
where
    I: Int,
{
    let n = x.len();
    let scale = (shift.1[0], 2u8);
    for i in par(0..n) {
        let whole: I = x[i].abs().floor().cast();
        bits[i] = (whole << shift.0).rotate_left(scale.1.cast()) ^ I::MAX.count_ones().cast();
        roots[i] = x[i].abs().sqrt() * scale.0 + shift.1[1].max(F::PI) - F::from(0.5f32);
    }
}

/// A vector in space.
pub type Vector = [f32; 3];

/// `a - b`.
#[device]
pub fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The scalar product.
#[device]
pub fn dot([ax, ay, az]: Vector, b: &Vector) -> f32 {
    ax * b[0] + ay * b[1] + az * b[2]
}

/// Distances of points from a centre that is captured, squared.
#[kernel]
pub fn distances(points: &[f32], centre: Vector, out: &mut [f32]) {
    for i in par(0..out.len()) {
        let to = minus([points[3 * i], points[3 * i + 1], points[3 * i + 2]], centre);
        out[i] = dot(to, &to);
    }
}

/// Panics in every way that a program can ask for, by number.
#[kernel]
pub fn panics(which: u32, out: &mut [u32], zero: usize) {
    for i in par(0..1) {
        let mut table = [1u32, 2, 3];
        match which {
            0 => assert!(out[i] > 7 + 1, "out is too small"),
            1 => assert!(out.len() == zero),
            2 => assert_eq!(out[i], 1),
            3 => assert_ne!(out[i], 0, "nothing here"),
            4 => panic!(),
            5 => panic!("what {{now}}"),
            6 => unreachable!("never here"),
            7 => todo!(),
            8 => unimplemented!("for now"),
            9 => table[zero + 3] += 1,
            10 => reverse(&mut out[2 - zero..1]),
            11 => reverse(&mut table[..zero + 4]),
            12 => reverse(&mut out[zero + 9..]),
            13 => for _ in (0..3u8).step_by(zero) {},
            14 => out[i] = table[zero].strict_sub(2),
            15 => out[i] = (zero as u32).ilog2(),
            17 => out[i] /= zero as u32,
            18 => table[1] %= zero as u32,
            19 => out[i] = 7 + (out[i] % zero as u32),
            20 => out[i] = u32::strict_sub(1, 2),
            21 => out[i] = out[i].div_euclid(zero as u32),
            _ => debug_assert!(false, "nobody checks this"),
        }
        out[i] += table[0];
    }
}

/// The type decides which numbers wrap, and so whether two iterations meet.
#[kernel]
pub fn counted_as<T: Int>(x: &mut [u32], n: usize) {
    for i in par(0..n) {
        let k: T = i.cast();
        x[k.cast::<usize>()] += 1;
    }
}

/// The constant decides whether two iterations meet.
#[kernel]
pub fn strided<const STRIDE: usize>(x: &mut [u32], n: usize) {
    for i in par(0..n) {
        x[i * STRIDE] += 1;
    }
}

/// Every kernel; of generic ones an instance.
pub const SOURCES: &[super::Source] = &[
    source!("rows", rows),
    source!("borrowed", borrowed),
    source!("affine of f32", affine, f32, 3),
    source!("affine of i128", affine, i128, 0),
    source!("shapes of u8 and f64", shapes, u8, f64),
    source!("shapes of i64 and f32", shapes, i64, f32),
    source!("counted_as of u8", counted_as, u8),
    source!("strided by 2", strided, 2),
    source!("distances", distances),
    source!("panics", panics),
];
