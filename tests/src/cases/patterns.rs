use anabranch::prelude::*;

use crate::kernels::patterns::{self as k, plain};

/// Numbers that differ.
fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7) % 31) as f32).collect()
}

/// A kernel of one buffer leaves what the plain function leaves.
#[track_caller]
fn same(
    device: &Device,
    len: usize,
    kernel: impl Fn(&mut Buffer<f32>) -> anabranch::Result<()>,
    plain: impl Fn(&mut [f32]),
) {
    let mut expected = numbers(len);
    let mut x = device.buffer_from(&expected).unwrap();
    kernel(&mut x).unwrap();
    plain(&mut expected);
    assert_eq!(x.to_vec().unwrap(), expected, "{len} elements");
}

pub fn rows_and_planes(device: &Device, stream: &Stream) {
    for (len, w) in [(100, 10), (105, 10), (105, 1)] {
        same(device, len, |x| k::flat(stream, x, w), |x| plain::flat(x, w));
    }
    for w in [10, 1] {
        same(device, 100, |x| k::parts(stream, x, w), |x| plain::parts(x, w));
    }
    same(device, 300, |x| k::planes(stream, x, 10, 10), |x| plain::planes(x, 10, 10));
    for (w, n) in [(10, 3), (1, 3), (4, 5)] {
        let len = w * w * n;
        same(device, len, |x| k::planes_of_the_host(stream, x, w, w, n), |x| plain::planes_of_the_host(x, w, w, n));
    }
    for (w, h) in [(10, 10), (4, 10)] {
        same(device, w * h, |x| k::ghost_columns(stream, x, w, h), |x| plain::ghost_columns(x, w, h));
    }
    let x = numbers(100);
    let read = device.buffer_from(&x).unwrap();
    same(device, 100, |y| k::clamped_window(stream, y, &read, 10, 10), |y| plain::clamped_window(y, &x, 10, 10));
    same(device, 30, |y| k::triples(stream, y, &read, 10), |y| plain::triples(y, &x, 10));
    same(device, 100, |y| k::reversed(stream, y, &read), |y| plain::reversed(y, &x));
}

pub fn in_place(device: &Device, stream: &Stream) {
    for len in [100, 101, 1] {
        same(device, len, |x| k::reversed_in_place(stream, x), plain::reversed_in_place);
    }
    for half in [1, 4, 32] {
        same(device, 64, |x| k::butterflies(stream, x, half), |x| plain::butterflies(x, half));
    }
    for (len, color) in [(64, 0), (65, 1)] {
        same(device, len, |x| k::red_black(stream, x, color), |x| plain::red_black(x, color));
    }
}

pub fn blocks_and_steps(device: &Device, stream: &Stream) {
    for b in [10, 1, 200] {
        same(device, 103, |x| k::blocks(stream, x, b), |x| plain::blocks(x, b));
        same(device, 103, |x| k::blocks_to_the_end(stream, x, b), |x| plain::blocks_to_the_end(x, b));
    }
    same(device, 101, |x| k::pairs(stream, x), plain::pairs);
    same(device, 66, |x| k::blocks_of::<4>(stream, x), |x| x[..64].fill(1.0));
}

pub fn triangles(device: &Device, stream: &Stream) {
    for n in [10, 1] {
        same(device, n * n, |x| k::mirrored(stream, x, n), |x| plain::mirrored(x, n));
        same(device, n * n, |x| k::mirrored_by_rows(stream, x, n), |x| plain::mirrored_by_rows(x, n));
        same(device, n * n, |x| k::transposed_in_place(stream, x, n), |x| plain::transposed_in_place(x, n));
    }
}

/// The launch refuses: iterations may race for an element.
#[track_caller]
fn races(result: anabranch::Result<()>) {
    assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
}

pub fn digits(device: &Device, stream: &Stream) {
    for (len, w, h) in [(60, 5, 4), (57, 5, 4), (3, 5, 4), (60, 1, 4), (60, 5, 1)] {
        same(device, len, |x| k::flat_in_three(stream, x, w, h), |x| plain::flat_in_three(x, w, h));
    }
    for len in [101, 100, 2] {
        let x = numbers(len);
        let read = device.buffer_from(&x).unwrap();
        same(device, 50, |y| k::halved_steps(stream, y, &read), |y| plain::halved_steps(y, &x));
    }
    for half in [1, 2, 8, 32] {
        same(
            device,
            64,
            |x| k::butterflies_by_quotients(stream, x, half),
            |x| plain::butterflies_by_quotients(x, half),
        );
        same(device, 64, |x| k::merged_by_mask(stream, x, half), |x| plain::merged_by_mask(x, half));
    }
    // The last pair would begin in the block of the one before.
    let mut x = device.zeros::<f32>(64).unwrap();
    races(k::merged_by_mask(stream, &mut x, 3));
    races(k::flat_in_three(stream, &mut x, 0, 4));
}

pub fn bits(device: &Device, stream: &Stream) {
    let sort = |step: &mut dyn FnMut(usize, usize)| {
        for k in [2, 4, 8, 16, 32, 64] {
            let mut j = k / 2;
            while j > 0 {
                step(j, k);
                j /= 2;
            }
        }
    };
    let mut x = device.buffer_from(&numbers(64)).unwrap();
    sort(&mut |j, k| k::bitonic(stream, &mut x, j, k).unwrap());
    let mut expected = numbers(64);
    sort(&mut |j, k| plain::bitonic(&mut expected, j, k));
    assert!(expected.is_sorted());
    assert_eq!(x.to_vec().unwrap(), expected);
    let x = numbers(64);
    let read = device.buffer_from(&x).unwrap();
    same(device, 64, |y| k::swapped_neighbours(stream, y, &read), |y| plain::swapped_neighbours(y, &x));
    same(device, 67, |y| k::by_bits(stream, y), plain::by_bits);
    // The neighbour of the last one of an odd number is outside.
    let mut odd = device.zeros::<f32>(63).unwrap();
    let result = k::swapped_neighbours(stream, &mut odd, &read).and_then(|()| stream.synchronize());
    assert!(matches!(result, Err(Error::KernelPanic { .. })), "{result:?}");
}

pub fn residues(device: &Device, stream: &Stream) {
    for (w, h) in [(9, 7), (8, 7), (3, 3)] {
        for color in [0, 1] {
            let len = w * h;
            same(
                device,
                len,
                |a| k::red_black_of_a_plane(stream, a, w, h, color),
                |a| plain::red_black_of_a_plane(a, w, h, color),
            );
            same(
                device,
                len,
                |a| k::red_black_inside(stream, a, w, h, color),
                |a| plain::red_black_inside(a, w, h, color),
            );
            same(device, len, |a| k::pairs_inside(stream, a, color), |a| plain::pairs_inside(a, color));
        }
    }
    for k in [0, 3, 8] {
        same(device, 81, |a| k::eliminated(stream, a, 9, k), |a| plain::eliminated(a, 9, k));
    }
    same(device, 80, |a| k::halves_of_rows(stream, a, 8, 10), |a| plain::halves_of_rows(a, 8, 10));
    same(device, 60, |a| k::ghost_rows(stream, a, 10, 6), |a| plain::ghost_rows(a, 10, 6));
    for threads in [1, 8, 100] {
        same(device, 50, |y| k::grid_stride(stream, y, threads), |y| plain::grid_stride(y, threads));
    }
    same(device, 9, |x| k::diagonal(stream, x, 9), |x| plain::diagonal(x, 9));
}

pub fn trees_and_scans(device: &Device, stream: &Stream) {
    for s in [1, 4, 32] {
        same(device, 64, |x| k::up_sweep(stream, x, s), |x| plain::up_sweep(x, s));
    }
    same(device, 64, |x| k::tree_sum(stream, x), plain::tree_sum);
    let mut b = device.zeros::<f32>(64).unwrap();
    let b = std::cell::RefCell::new(&mut b);
    same(device, 64, |a| k::scan(stream, a, *b.borrow_mut()), |a| plain::scan(a, &mut [0.0; 64]));
}

pub fn other_integers(device: &Device, stream: &Stream) {
    same(device, 100, |x| k::signed(stream, x), plain::signed);
    same(device, 200, |x| k::odd_elements(stream, x, 100), |x| plain::odd_elements(x, 100));
    for phase in [0, 1] {
        let mut expected: Vec<i32> = (0..101).map(|i| (i * 37) % 101).collect();
        let mut x = device.buffer_from(&expected).unwrap();
        k::odd_even(stream, &mut x, phase).unwrap();
        plain::odd_even(&mut expected, phase);
        assert_eq!(x.to_vec().unwrap(), expected);
    }
}

pub fn histograms(device: &Device, stream: &Stream) {
    let x: Vec<u8> = (0..4000u32).map(|i| (i * i % 251) as u8).collect();
    let (mut counts, mut expected) = (device.zeros::<u32>(1024).unwrap(), vec![0; 1024]);
    k::histograms(stream, &mut counts, &device.buffer_from(&x).unwrap(), 1000).unwrap();
    plain::histograms(&mut expected, &x, 1000);
    assert_eq!(counts.to_vec().unwrap(), expected);
}
