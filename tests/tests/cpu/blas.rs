//! A BLAS in groups of kernels: the products of `matrixmultiply`, beside loops.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch::prelude::*;
use anabranch_tests::kernels::library::copy;

/// `c = a * b`, on the CPU device.
#[kernel(library)]
fn sgemm(stream: &Stream, a: &Grid<f32, 2>, b: &Grid<f32, 2>, c: &mut Grid<f32, 2>) -> Result<(), String> {
    let ([m, k], [rows, n]) = (a.shape(), b.shape());
    if !stream.device().is_cpu() || rows != k || c.shape() != [m, n] {
        return Err(format!("no product of {m} × {k} and {rows} × {n} elements"));
    }
    let [of_a, of_b, of_c] = [a.strides(), b.strides(), c.strides()].map(|[row, _]| row as isize);
    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    // SAFETY: the matrices have these shapes and strides, and are in host memory.
    unsafe { matrixmultiply::sgemm(m, k, n, 1.0, a, of_a, 1, b, of_b, 1, 0.0, c, of_c, 1) };
    Ok(())
}

/// `out = relu(x * w) + x * v`, in two groups, and a copy of it by a library kernel of another
/// crate.
#[kernel]
fn layers(
    x: &Grid<f32, 2>,
    w: &Grid<f32, 2>,
    v: &Grid<f32, 2>,
    out: &mut Grid<f32, 2>,
    skip: &mut Grid<f32, 2>,
    copied: &mut [f32],
) {
    let [rows, columns] = out.shape();
    stream_parallel! {
        'relu: {
            let (mut top, mut bottom) = out.split_at_mut(rows / 2);
            let (first, second) = x.split_at(rows / 2);
            sgemm(&first, &w, &mut top);
            sgemm(&second, &w, &mut bottom);
            for (y, x) in par((0..rows / 2, 0..columns)) {
                top[[y, x]] = top[[y, x]].max(0.0);
            }
            for (y, x) in par((0..rows - rows / 2, 0..columns)) {
                bottom[[y, x]] = bottom[[y, x]].max(0.0);
            }
        }
        'skip: { sgemm(&x, &v, &mut skip); }
    }
    for (y, x) in par((0..rows, 0..columns)) {
        out[[y, x]] += skip[[y, x]];
    }
    let whole = out.as_slice();
    copy(&whole, &mut copied);
}

/// Fractions between -1 and 1.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.0 - 1.0).collect()
}

fn product(a: &[f32], b: &[f32], k: usize, n: usize) -> Vec<f64> {
    let at = |i: usize, j: usize| (0..k).map(|l| f64::from(a[i * k + l]) * f64::from(b[l * n + j])).sum();
    (0..a.len() / k).flat_map(|i| (0..n).map(move |j| at(i, j))).collect()
}

#[test]
fn products_in_groups() {
    let device = Device::cpu();
    let stream = device.default_stream();
    for (m, k, n) in [(1, 1, 1), (2, 3, 5), (65, 33, 17), (256, 128, 192)] {
        let (x, w, v) = (matrix(m, k, 1), matrix(k, n, 2), matrix(k, n, 3));
        let (relu, skip) = (product(&x, &w, k, n), product(&x, &v, k, n));
        let expected: Vec<f64> = relu.iter().zip(&skip).map(|(a, b)| a.max(0.0) + b).collect();
        let [x, w, v] =
            [(&x, m, k), (&w, k, n), (&v, k, n)].map(|(data, r, c)| device.grid_from(data, [r, c]).unwrap());
        let [mut out, mut skip] = [0, 1].map(|_| device.grid_zeros([m, n]).unwrap());
        let mut copied = device.zeros(m * n).unwrap();
        layers(&stream, &x, &w, &v, &mut out, &mut skip, &mut copied).unwrap();
        let once = copied.to_vec().unwrap();
        for (got, want) in once.iter().zip(&expected) {
            assert!((f64::from(*got) - want).abs() <= 1e-6 * k as f64, "{m} {k} {n}: {got}, not {want}");
        }
        let graph = stream.capture(|s| layers(s, &x, &w, &v, &mut out, &mut skip, &mut copied)).unwrap();
        copied.fill_async(&stream, -1.0).unwrap();
        graph.launch(&stream).unwrap();
        assert_eq!(copied.to_vec().unwrap(), once);
    }
    let [a, b] = [device.grid_from(&[1.0; 6], [2, 3]).unwrap(), device.grid_from(&[1.0; 4], [2, 2]).unwrap()];
    let error = sgemm(&stream, &a, &b, &mut device.grid_zeros([2, 2]).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "kernel `sgemm`: no product of 2 × 3 and 2 × 2 elements");
}

/// Panics if there is an element.
#[kernel(library)]
fn refuses(_: &Stream, x: &mut [u32]) {
    assert!(x.is_empty(), "of the body");
}

#[kernel]
fn unwinds(x: &mut [u32], y: &mut [u32], host_too: bool) {
    stream_parallel! {
        {
            refuses(&mut x);
            if host_too { panic!("of the host part") }
        }
        { for i in par(0..y.len()) { y[i] += 1; } }
    }
}

/// A fork that joins while the host part unwinds runs what is recorded, and its panics go no
/// further.
#[test]
fn a_body_that_panics_while_the_host_part_does() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (mut x, mut y) = (device.zeros(1).unwrap(), device.zeros(1).unwrap());
    for (host_too, words, done) in [(true, "of the host part", 0), (false, "of the body", 1)] {
        let launch = AssertUnwindSafe(|| unwinds(&stream, &mut x, &mut y, host_too));
        let payload = catch_unwind(launch).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&words));
        assert_eq!(y.to_vec().unwrap(), [done]);
    }
}
