//! Phases that the launch does not decide, because the macro has run their block's program.

use anabranch::prelude::*;

use crate::kernels::states as k;

/// Four blocks of 64 elements.
fn numbers() -> Vec<u32> {
    (0..256).map(|i| i * 7919 % 1009).collect()
}

/// What a kernel makes of the elements, and what each 64 of them should become.
#[track_caller]
fn check(
    device: &Device,
    kernel: impl FnOnce(&mut Buffer<u32>) -> anabranch::Result<()>,
    expected: impl Fn(&mut [u32]),
) {
    let mut all = numbers();
    let mut x = device.buffer_from(&all).unwrap();
    kernel(&mut x).unwrap();
    all.chunks_mut(64).for_each(expected);
    assert_eq!(x.to_vec().unwrap(), all);
}

pub fn halves_in_turn(device: &Device, stream: &Stream) {
    check(device, |x| k::ping_pong_by_parity(stream, x), |part| part.rotate_left(6));
    for rounds in [0, 1, 6, 7] {
        let rotated = move |part: &mut [u32]| part.rotate_left(rounds as usize);
        check(device, |x| k::from_and_one_minus_from(stream, x, rounds), rotated);
    }
}

pub fn transforms(device: &Device, stream: &Stream) {
    let reordered = |part: &mut [u32]| {
        for s in [1, 2, 4, 8, 16, 32] {
            let p = part.to_vec();
            for k in 0..32 {
                part[k / s * 2 * s + k % s] = p[k];
                part[k / s * 2 * s + k % s + s] = p[k + 32];
            }
        }
    };
    check(device, |x| k::stockham(stream, x), reordered);
    let transformed = |part: &mut [u32]| {
        for s in [1, 2, 4, 8, 16, 32] {
            for at in (0..64).filter(|at| at & s == 0) {
                let (u, v) = (part[at], part[at + s]);
                (part[at], part[at + s]) = (u.wrapping_add(v), u.wrapping_sub(v));
            }
        }
    };
    check(device, |x| k::butterflies_in_place(stream, x), transformed);
}

pub fn sums_by_doubling(device: &Device, stream: &Stream) {
    check(device, |x| k::doubling_strides(stream, x), |part| part[0] = part.iter().sum());
}

pub fn eliminations(device: &Device, stream: &Stream) {
    let mut a = numbers();
    let mut x = device.buffer_from(&a).unwrap();
    k::elimination(stream, &mut x).unwrap();
    for k in 0..16 {
        for i in k + 1..16 {
            let f = a[i * 16 + k].wrapping_mul(a[k * 16 + k]);
            a[i * 16 + k] = f;
            for j in k + 1..16 {
                a[i * 16 + j] = a[i * 16 + j].wrapping_sub(f.wrapping_mul(a[k * 16 + j]));
            }
        }
    }
    assert_eq!(x.to_vec().unwrap(), a);
}
