use anabranch::prelude::*;

use super::failures::panic_of;
use crate::kernels::outcomes::{self as k, plain};

pub fn methods_of_outcomes(device: &Device, stream: &Stream) {
    let x: Vec<u32> = (0..120).collect();
    let (on_device, mut y) = (device.buffer_from(&x).unwrap(), device.zeros(x.len()).unwrap());
    let mut expected = vec![0; x.len()];
    k::methods(stream, &on_device, &mut y).unwrap();
    plain::methods(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
    k::with_closures(stream, &on_device, &mut y).unwrap();
    plain::with_closures(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
    k::lookalikes(stream, &on_device, &mut y).unwrap();
    plain::lookalikes(&x, &mut expected);
    assert_eq!(y.to_vec().unwrap(), expected);
}

pub fn what_has_no_value_says_what_std_says(device: &Device, stream: &Stream) {
    let cases = [
        (0, 7, "even(x[i]).¦unwrap()", "called `Option::unwrap()` on a `None` value"),
        (1, 7, "even(x[i]).¦expect(", "an even {number}"),
        (2, 60, "number.¦unwrap()", "called `Result::unwrap()` on an `Err` value: Numbers(60, -60)"),
        (3, 99, "number.¦expect(", "a \"small\" one: Nothing"),
    ];
    for (which, value, place, words) in cases {
        let (x, mut y) = (device.buffer_from(&[value]).unwrap(), device.zeros(1).unwrap());
        let error = k::failing(stream, &x, &mut y, which).and_then(|()| stream.synchronize()).unwrap_err();
        assert_eq!(panic_of(error, "src/kernels/outcomes.rs", place), words);
        k::failing(stream, &x, &mut y, 9).unwrap();
        assert_eq!(y.to_vec().unwrap(), [1]);
    }
}

pub fn checked_methods_of_all_bytes(device: &Device, stream: &Stream) {
    let (x, y): (Vec<u8>, Vec<u8>) = (0..=u16::MAX).map(|both| ((both >> 8) as u8, both as u8)).unzip();
    let (dx, dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
    let mut out = device.zeros(x.len()).unwrap();
    k::checked_u8(stream, &dx, &dy, &mut out).unwrap();
    let expected: Vec<u64> = x.iter().zip(&y).map(|(&x, &y)| k::plain_u8(x, y)).collect();
    assert_eq!(out.to_vec().unwrap(), expected);
    let signed = |bytes: &[u8]| bytes.iter().map(|byte| byte.cast_signed()).collect::<Vec<i8>>();
    let (x, y) = (signed(&x), signed(&y));
    let (dx, dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
    k::checked_i8(stream, &dx, &dy, &mut out).unwrap();
    let expected: Vec<u64> = x.iter().zip(&y).map(|(&x, &y)| k::plain_i8(x, y)).collect();
    assert_eq!(out.to_vec().unwrap(), expected);
}
