use anabranch::prelude::*;

use crate::kernels::closures as k;

/// The host calls the same functions, as plain Rust.
pub fn closures(device: &Device, stream: &Stream) {
    let x = [2.0f32, 8.0, 50.0, 0.5];
    let (factor, n) = (0.5f32, 5);
    let (mut out, mut whole) = (device.zeros(x.len()).unwrap(), device.zeros(x.len()).unwrap());
    k::closures(stream, &device.buffer_from(&x).unwrap(), &mut out, &mut whole, factor, n).unwrap();
    let expected = |i: usize| {
        let root = k::bisected(|t| t * t * factor - x[i], 0.0, 100.0);
        let out = root + k::bisected(|t: f32| (t - x[0]) * (t - x[0]) * (t - x[0]), -10.0, 10.0);
        let (mut sum, mut odd) = (0i64, 0u32);
        for j in 0..n {
            if j % 2 == 0 { sum += i64::from(j) * 3 * i as i64 } else { odd += j }
        }
        sum *= 8;
        let f = |v: i64| v * 3 - i as i64;
        let y = f(sum) + 1;
        let mut value = (f(f(y) + 1) + y) + 1 + i64::from(odd);
        value += 1 + i64::from((4 + i as u32) + (9 + i as u32));
        for step in [0, 1, 2, 3] {
            value = value * 3 + step;
        }
        (out, value + i64::from(k::first_above(n, [1, 2, 3, i as u32])))
    };
    let (out, whole) = (out.to_vec().unwrap(), whole.to_vec().unwrap());
    for i in 0..x.len() {
        assert_eq!((out[i], whole[i]), expected(i), "{i}");
    }
}

pub fn questions_convert_errors(device: &Device, stream: &Stream) {
    let x: Vec<i32> = (-5..30).collect();
    let (mut y, mut expected) = (device.zeros(x.len()).unwrap(), vec![0; x.len()]);
    k::errors(stream, &device.buffer_from(&x).unwrap(), &mut y).unwrap();
    k::plain::errors(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
}

pub fn closures_in_variables(device: &Device, stream: &Stream) {
    let x: Vec<i32> = (0..40).map(|x| x * x % 13 - 4).collect();
    let (mut y, mut expected) = (device.zeros(x.len()).unwrap(), vec![0; x.len()]);
    k::local(stream, &device.buffer_from(&x).unwrap(), &mut y).unwrap();
    k::plain::local(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
}

pub fn statements_that_leave(device: &Device, stream: &Stream) {
    let x: Vec<i32> = (0..60).map(|x| x * x % 13 - 4).collect();
    let (mut y, mut expected) = (device.zeros(x.len()).unwrap(), vec![0; x.len()]);
    k::leaving(stream, &device.buffer_from(&x).unwrap(), &mut y).unwrap();
    k::plain::leaving(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
}
