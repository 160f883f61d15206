use anabranch::DeviceClosure;
use anabranch::algorithms::{Order, sort_by_cached_key};
use anabranch::prelude::*;

use crate::kernels::closures::{Pair, twice};
use crate::kernels::passed as k;

pub fn closures_of_the_host(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[1.0f32, 2.0, 3.0]).unwrap();
    for (scale, offset) in [(2.0f32, 1.0f32), (0.5, -1.0)] {
        k::mapped(stream, &mut x, closure!(|v: f32| v * scale + offset)).unwrap();
    }
    assert_eq!(x.to_vec().unwrap(), [0.5, 1.5, 2.5]);
    k::mapped(stream, &mut x, k::Line { slope: 2.0, offset: 0.5 }).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1.5, 3.5, 5.5]);
}

pub fn closures_in_generic_code(device: &Device, stream: &Stream) {
    fn check<T: Scalar + Num + PartialEq + std::fmt::Debug>(device: &Device, stream: &Stream, of: fn(u8) -> T) {
        let (x, k) = ([of(1), of(2), of(3), of(4)], of(3));
        let (mut a, mut b) = (device.buffer_from(&x).unwrap(), device.buffer_from(&x).unwrap());
        k::zipped(stream, &mut a, &mut b, closure!(|x: T, y: T| x * k + y), 4).unwrap();
        let f = |x: T, y: T| x * k + y;
        assert_eq!(a.to_vec().unwrap(), [f(x[0], x[0]), f(x[1], x[1]), f(x[2], x[2]), f(x[3], x[3])]);
        assert_eq!(b.to_vec().unwrap(), x.map(|v| f(v, f(v, v))));
    }
    check(device, stream, f64::from);
    check(device, stream, i64::from);
    check(device, stream, |v| v);
}

/// What the kernel does, as plain Rust.
fn everywhere(
    x: &mut [i64],
    f: impl DeviceClosure<(i64,), Output = i64>,
    [g, h]: [impl DeviceClosure<(i64, usize), Output = i64>; 2],
) -> i64 {
    let (f, g, h) = (move |v| f.call((v,)), move |v, at| g.call((v, at)), move |v, at| h.call((v, at)));
    let k = f(2) + g(1, 2);
    x.iter_mut().for_each(|x| *x = f(*x) + k);
    x.iter_mut().for_each(|x| *x = (*x + k * 3) % 1000 + h(k, 0));
    let total = x.iter().map(|x| f(*x)).sum();
    for (b, part) in x.chunks_mut(32).enumerate() {
        let all: Vec<i64> = part.iter().enumerate().map(|(t, x)| g(*x, t)).collect();
        let sum = all.iter().map(|x| h(*x, b)).sum();
        for (t, x) in part.iter_mut().enumerate() {
            let mut n = 0;
            while n < 3 && f(n) < sum {
                n += 1;
            }
            let inner = |v: i64| f(v) - 1;
            *x = twice(f, all[31 - t]) + twice(f, 3) + twice(inner, sum) + twice(|v| g(v, t), n);
        }
    }
    total
}

pub fn closures_wherever_device_code_is(device: &Device, stream: &Stream) {
    let of = |by| k::captured(Pair { a: by, b: 4 }, [1, -2, 3], (9, by > 2), 6, [1, 0, 0, 0, 2, 0, 0, 0, by.into()]);
    let mut expected: Vec<i64> = (0..128).map(|x| x * x % 97 - 20).collect();
    let (mut x, mut out) = (device.buffer_from(&expected).unwrap(), device.zeros(1).unwrap());
    k::everywhere(stream, &mut x, &mut out, k::limited(), of(2), of(5)).unwrap();
    let total = everywhere(&mut expected, k::limited(), [of(2), of(5)]);
    assert_eq!((x.to_vec().unwrap(), out.get(0).unwrap()), (expected, total));
}

pub fn names_in_closures_of_macros(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[7i64, 8]).unwrap();
    k::replaced(stream, &mut x, k::hidden(100), 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2, 2]);
}

pub fn closures_in_graphs(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[1i64, 2]).unwrap();
    let mut by = 3;
    let graph = stream.capture(|s| k::replaced(s, &mut x, closure!(|v: i64| v * by), by)).unwrap();
    by = 100;
    graph.launch(stream).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!((x.to_vec().unwrap(), by), (vec![21, 30], 100));
}

pub fn checks_in_closures(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1u32, 2, 3]).unwrap();
    let mut out = device.zeros(2).unwrap();
    let shift = 1;
    k::gathered(stream, &x, &mut out, closure!(|i: usize| i + shift)).unwrap();
    assert_eq!(out.to_vec().unwrap(), [2, 3]);
    let shift = 2;
    k::gathered(stream, &x, &mut out, closure!(|i: usize| i + shift)).unwrap();
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(error.contains("index out of bounds: the len is 3 but the index is 3"), "{error}");
    k::gathered(
        stream,
        &x,
        &mut out,
        closure!(|i: usize| {
            assert!(i < shift - 1, "{i} of {shift}");
            i
        }),
    )
    .unwrap();
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(error.contains("1 of 2") && error.contains("passed.rs"), "{error}");
}

pub fn keys_of_a_sort(device: &Device, stream: &Stream) {
    let mut pairs: Vec<Pair> = (0..5000).map(|a| Pair { a, b: a * a % 11 }).collect();
    let mut sorted = device.buffer_from(&pairs).unwrap();
    sort_by_cached_key(stream, &mut sorted, k::key(), Order::Descending).unwrap();
    pairs.sort_by_cached_key(|pair| std::cmp::Reverse(k::key().call((*pair,))));
    assert_eq!(sorted.to_vec().unwrap(), pairs);
}
