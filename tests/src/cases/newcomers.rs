//! See [`crate::kernels::newcomers`].

use anabranch::{Device, Error, Stream};

use crate::kernels::newcomers::{self as k, Charge, Pair};

pub fn atomics_in_reductions(device: &Device, stream: &Stream) {
    let keys: Vec<u32> = (0..1000u32).map(|i| i * i).collect();
    let mut count = device.zeros::<u32>(700).unwrap();
    let mut first = device.zeros::<u32>(700).unwrap();
    let mut most = device.zeros::<u32>(1).unwrap();
    k::places_of_keys(stream, &device.buffer_from(&keys).unwrap(), &mut count, &mut first, &mut most).unwrap();
    let (count, first) = (count.to_vec().unwrap(), first.to_vec().unwrap());
    let mut expected = vec![0; 700];
    keys.iter().for_each(|key| expected[*key as usize % 700] += 1);
    assert_eq!(count, expected);
    assert!((0..700).all(|c| first[c] == expected[..c].iter().sum::<u32>()), "{first:?}");
    assert_eq!(Some(&most.get(0).unwrap()), expected.iter().max());
}

pub fn ranges_that_contain(device: &Device, stream: &Stream) {
    let x: Vec<i32> = (-10..20).collect();
    let f: Vec<f32> = (-10..19).map(|i| i as f32 / 8.0).chain([f32::NAN]).collect();
    let mut bits = device.zeros::<u32>(30).unwrap();
    let (on_x, on_f) = (device.buffer_from(&x).unwrap(), device.buffer_from(&f).unwrap());
    k::in_ranges(stream, &on_x, &on_f, &mut bits, 6).unwrap();
    let expected = (0..30).map(|i| {
        let mut k = x[i];
        let holds = [
            (0..6).contains(&x[i]),
            (1..=5).contains(&(x[i] + 1)),
            (..5).contains(&x[i]),
            (-3..).contains(&x[i]),
            (..=f[0]).contains(&f[i]),
            (0.0..1.0).contains(&f[i]),
            (2..9).contains(&i),
            (7..9).contains(&(x[i] as u8)),
            (k..{
                k += 10;
                k
            })
                .contains(&x[i]),
            (k..=x[i] + 11).contains(&{
                k += 1;
                k
            }),
        ];
        holds.iter().enumerate().map(|(bit, holds)| u32::from(*holds) << bit).sum::<u32>()
    });
    assert_eq!(bits.to_vec().unwrap(), expected.collect::<Vec<_>>());
    let mut y = device.zeros::<f32>(6).unwrap();
    let which = device.buffer_from(&[9u32, 1, 0, 2, 1, 7]).unwrap();
    k::neighbours(stream, &device.buffer_from(&[5.0, 6.0]).unwrap(), &mut y, &which).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0.0, 0.0, 0.0, 0.0, 6.0, 0.0]);
}

/// What errors say of the elements.
pub fn elements_that_are_refused(device: &Device, stream: &Stream) {
    let (mut out, mut m) = (device.zeros::<f32>(64).unwrap(), device.grid_zeros::<f32, 2>([2, 4]).unwrap());
    let mut said = |hop, len, at| k::frames(stream, &mut out, hop, len, at, &mut m).unwrap_err().to_string();
    let error = said(4, 8, 0);
    assert!(error.contains("iterations 0 and 1: `out[frame * hop + k]` would be element 4 in both"), "{error}");
    assert!(error.contains("a gather") && error.contains("atomics"), "{error}");
    let error = said(8, 8, 8);
    assert!(
        error.contains(
            "iterations 0 and 1: `out[frame * 8 + at]` would be element 8, and `out[frame * 8]` would be element 8"
        ),
        "{error}"
    );
    assert!(error.contains("read from another slice"), "{error}");
    let mut narrow = device.grid_zeros::<f32, 2>([2, 3]).unwrap();
    let error = k::frames(stream, &mut out, 8, 8, 0, &mut narrow).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { index: 3, dim: Some(1), len: 3, .. }), "{error}");
    assert!(error.to_string().contains("would use index 3 of dimension 1, but `m` has 3 elements there"), "{error}");
}

pub fn elements_changed_in_place(device: &Device, stream: &Stream) {
    let mut v = device.buffer_from(&[1.0, 2.0, 3.0, 4.0, 5.0].map(Charge)).unwrap();
    let pair = Pair { one: Charge(1.0), more: [Charge(10.0), Charge(20.0)] };
    let mut pairs = device.grid_filled([2, 2], pair).unwrap();
    k::changed_in_place(stream, &mut v, &mut pairs).unwrap();
    assert_eq!(v.to_vec().unwrap(), [2.5, -7.5, 18.5, 32.5, 50.0].map(Charge));
    let pair = |one, a, b| Pair { one: Charge(one), more: [Charge(a), Charge(b)] };
    let expected = [pair(1.0, 11.0, 20.0), pair(1.0, 10.0, 21.0), pair(2.0, 12.0, 20.0), pair(2.0, 10.0, 22.0)];
    assert_eq!(pairs.to_vec().unwrap(), expected);

    let mut v = device.zeros::<[f32; 6]>(1).unwrap();
    let mut next = device.buffer_from(&[3u32]).unwrap();
    k::order_of_arguments(stream, &mut v, &mut next).unwrap();
    assert_eq!(v.to_vec().unwrap(), [[3.0, 12.0, 50.0, 71.0, 4.0, 41.0]]);
}
