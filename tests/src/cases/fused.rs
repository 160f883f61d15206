//! Adjacent loops as one: how many kernels a launch runs, and that it gives what separate loops
//! give.

use anabranch::prelude::*;

use crate::kernels::fused::{apart, fused};
use crate::kernels::slices::Planes;

const N: usize = 1000;

/// The number of kernels in a launch, which also runs once.
fn kernels(stream: &Stream, mut launch: impl FnMut(&Stream) -> anabranch::Result<()>) -> usize {
    launch(stream).unwrap();
    stream.capture(launch).unwrap().stats().sub_kernels
}

fn numbers(device: &Device, count: usize) -> Buffer<u32> {
    device.from_fn(count, |i| i as u32 * 7 % 100).unwrap()
}

fn floats(device: &Device, from: f32) -> Buffer<f32> {
    device.from_fn(N, |i| from + (i as f32 * 0.37).sin() * 4.0).unwrap()
}

/// The same elements; on a GPU, products and sums of one loop may be rounded once.
fn same(device: &Device, a: &Buffer<f32>, b: &Buffer<f32>) {
    let (a, b) = (a.to_vec().unwrap(), b.to_vec().unwrap());
    for (a, b) in a.iter().zip(&b) {
        let close = if device.is_cpu() { a.to_bits() == b.to_bits() } else { (a - b).abs() <= 1e-4 * a.abs().max(1.0) };
        assert!(close, "{a} and {b}");
    }
}

pub fn maps_as_one(device: &Device, stream: &Stream) {
    let g = floats(device, 0.0);
    let [mut one, mut other] = [(); 2].map(|()| [3.0, 0.5, 8.0].map(|from| floats(device, from)));
    let [p, m, v] = &mut one;
    assert_eq!(kernels(stream, |s| fused::adam(s, &mut *p, &mut *m, &mut *v, &g, 1e-3, [0.5, 0.25])), 1);
    let [p, m, v] = &mut other;
    assert_eq!(kernels(stream, |s| apart::adam(s, &mut *p, &mut *m, &mut *v, &g, 1e-3, [0.5, 0.25])), 4);
    one.iter().zip(&other).for_each(|(a, b)| same(device, a, b));

    let [mut one, mut other] = [(); 2].map(|()| floats(device, 0.25));
    assert_eq!(kernels(stream, |s| fused::image(s, &mut one, N, 1.5)), 1);
    let picture = stream.capture(|s| fused::image(s, &mut one, N, 1.5)).unwrap().dot();
    assert!(picture.contains("for n in par(0..n), 4 loops as one"), "{picture}");
    assert_eq!(kernels(stream, |s| apart::image(s, &mut other, N, 1.5)), 4);
    same(device, &one, &other);

    let [mut one, mut other] = [(); 2].map(|()| [0.25, 1.5].map(|from| floats(device, from)));
    let [x, y] = &mut one;
    assert_eq!(kernels(stream, |s| fused::lanes(s, x, y, N)), if device.is_cpu() { 2 } else { 1 });
    let [x, y] = &mut other;
    assert_eq!(kernels(stream, |s| apart::lanes(s, x, y, N)), 2);
    one.iter().zip(&other).for_each(|(a, b)| same(device, a, b));

    let [mut one, mut other] = [(); 2].map(|()| numbers(device, N));
    assert_eq!(kernels(stream, |s| fused::jumps(s, &mut one, N)), 1);
    assert_eq!(kernels(stream, |s| apart::jumps(s, &mut other, N)), 3);
    assert!(one.to_vec().unwrap() == other.to_vec().unwrap());

    let (f, x) = (closure!(|v: f32| v * 2.0), floats(device, 1.0));
    let [mut one, mut other] = [(); 2].map(|()| floats(device, 0.0));
    assert_eq!(kernels(stream, |s| fused::through(s, &x, &mut one, f)), 2);
    assert_eq!(kernels(stream, |s| apart::through(s, &x, &mut other, f)), 4);
    same(device, &one, &other);
}

/// Whether the launch accepts the one loop depends on its numbers; it remembers each answer.
pub fn where_it_is_not_the_same(device: &Device, stream: &Stream) {
    let [mut x, mut other_x] = [(); 2].map(|()| numbers(device, 2 * N));
    let [mut y, mut other_y] = [(); 2].map(|()| numbers(device, 2 * N));
    for ([s, t], wanted) in [([1, 1], 1), ([2, 2], 1), ([1, 2], 2), ([1, 2], 2), ([2, 1], 2), ([2, 2], 1)] {
        assert_eq!(kernels(stream, |stream| fused::strided(stream, &mut x, &mut y, N, s, t)), wanted, "{s} {t}");
        assert_eq!(kernels(stream, |stream| apart::strided(stream, &mut other_x, &mut other_y, N, s, t)), 2);
        for _ in 0..2 {
            fused::strided(stream, &mut x, &mut y, N, s, t).unwrap();
            apart::strided(stream, &mut other_x, &mut other_y, N, s, t).unwrap();
        }
        let [one, other] = [[&x, &y], [&other_x, &other_y]].map(|all| all.map(|b| b.to_vec().unwrap()));
        assert!(one == other, "{s} {t}");
    }
    for len in [N, N - 1, 0, N + 1] {
        let wanted = match len {
            N => 1,
            0 => 1, // of an empty loop nothing is recorded
            _ => 2,
        };
        let (mut x, mut y) = (numbers(device, N), numbers(device, len));
        assert_eq!(kernels(stream, |stream| fused::lengths(stream, &mut x, &mut y)), wanted, "{len}");
        fused::lengths(stream, &mut x, &mut y).unwrap();
        let expected = |count, by: u32| (0..count).map(|i| i as u32 * 7 % 100 + 2 * by).collect::<Vec<_>>();
        assert!([x, y].map(|b| b.to_vec().unwrap()) == [expected(N, 1), expected(len, 2)], "{len}");
    }
    let mut counts = device.zeros::<u32>(4).unwrap();
    let (x, mut most) = (numbers(device, N), numbers(device, N));
    fused::counted(stream, &x, &mut counts, &mut most).unwrap();
    let (x, counts) = (x.to_vec().unwrap(), counts.to_vec().unwrap());
    let expected: Vec<u32> = x.iter().map(|x| counts[*x as usize % 4]).collect();
    assert!((counts.iter().sum::<u32>(), most.to_vec().unwrap()) == (N as u32, expected));
}

pub fn reductions_with_loops(device: &Device, stream: &Stream) {
    for (n, more, wanted) in [(N, 0, 8), (N, 0, 8), (N, 1, 9), (1, 0, 8), (1 << 15, 0, 9), (0, 0, 8)] {
        let run = |fuses: bool| {
            let at = |i: usize| 1.0 + (i as f32 * 0.37).sin();
            let [mut x, mut y] = [n, n + more].map(|len| device.from_fn(len, at).unwrap());
            let mut totals = device.from_fn(5, |i| i as f32).unwrap();
            let count = kernels(stream, |stream| match fuses {
                true => fused::reduced(stream, &mut x, &mut y, &mut totals, n),
                false => apart::reduced(stream, &mut x, &mut y, &mut totals, n),
            });
            (count, [x, y, totals])
        };
        let ((one, buffers), (_, others)) = (run(true), run(false));
        assert_eq!(one, wanted, "{n} {more}");
        buffers.iter().zip(&others).for_each(|(a, b)| same(device, a, b));
    }
    let run = |fuses: bool| {
        let (mut x, mut found) = (numbers(device, N), device.zeros::<usize>(2).unwrap());
        let mut most = device.zeros::<u32>(2).unwrap();
        let count = kernels(stream, |stream| match fuses {
            true => fused::chosen(stream, &mut x, &mut found, &mut most, N, 3),
            false => apart::chosen(stream, &mut x, &mut found, &mut most, N, 3),
        });
        (count, x.to_vec().unwrap(), found.to_vec().unwrap(), most.to_vec().unwrap())
    };
    let ((one, x, found, most), (other, ..)) = (run(true), run(false));
    assert_eq!((one, other), (6, 9));
    assert!((other, x, found, most) == run(false));
}

pub fn where_a_check_can_fail(device: &Device, stream: &Stream) {
    let [mut x, mut y] = [1.0, 2.0].map(|from| floats(device, from));
    assert_eq!(kernels(stream, |s| fused::quotients(s, &mut x, &mut y, 0.5)), 1);
    let [mut x, mut y] = [(); 2].map(|()| numbers(device, N));
    assert_eq!(kernels(stream, |s| fused::quotients(s, &mut x, &mut y, 2)), 2);
    assert_eq!(kernels(stream, |s| fused::divisions(s, &mut x, &mut y, 2)), 2);
}

pub fn grids_groups_and_scratch(device: &Device, stream: &Stream) {
    let cells: Vec<f32> = (0..N).map(|i| (i % 17) as f32 - 4.0).collect();
    let [mut one, mut other] = [(); 2].map(|()| [(); 2].map(|()| device.grid_from(&cells, [20, 50]).unwrap()));
    let [a, b] = &mut one;
    assert_eq!(kernels(stream, |s| fused::cells(s, &mut *a, &mut *b, 0.5)), 1);
    let [a, b] = &mut other;
    assert_eq!(kernels(stream, |s| apart::cells(s, &mut *a, &mut *b, 0.5)), 3);
    assert!(one.map(|grid| grid.to_vec().unwrap()) == other.map(|grid| grid.to_vec().unwrap()));

    let mask = device.zeros::<u8>(N).unwrap();
    let run = |fuses: bool| {
        let [mut red, mut green] = [1.0, 2.0].map(|from| floats(device, from));
        let [mut x, mut z] = [(); 2].map(|()| numbers(device, N));
        let count = kernels(stream, |s| {
            let planes = Planes { red: (&mut red).into(), green: (&mut green).into(), mask: (&mask).into(), by: 0.5 };
            if fuses {
                fused::groups(s, planes, &mut x, &mut z, N)
            } else {
                apart::groups(s, planes, &mut x, &mut z, N)
            }
        });
        (count, [red, green], [x, z].map(|b| b.to_vec().unwrap()))
    };
    let ((one, floats, numbers), (other, other_floats, other_numbers)) = (run(true), run(false));
    assert_eq!((one, other), (4, 6));
    assert!(numbers == other_numbers);
    floats.iter().zip(&other_floats).for_each(|(a, b)| same(device, a, b));
}
