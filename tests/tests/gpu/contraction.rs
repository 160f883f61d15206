//! `ANABRANCH_CONTRACT`.

use anabranch::prelude::*;
use anabranch_tests::gpus;

use crate::in_child;

#[kernel]
fn scaled(x: &[f32], y: &[f32], out: &mut [f32]) {
    for i in par(0..out.len()) {
        out[i] = x[i] * x[i] + y[i];
    }
}

/// What the kernel leaves; rounded twice; and rounded once. The squares need more bits than there
/// are.
fn results() -> [Vec<f32>; 3] {
    let device = gpus::gpu(0).unwrap();
    let x: Vec<f32> = (0..1000).map(|i| 1.0 + i as f32 / 4099.0).collect();
    let y: Vec<f32> = x.iter().map(|x| -x * x).collect();
    let mut out = device.zeros(x.len()).unwrap();
    let (dx, dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
    scaled(&device.default_stream(), &dx, &dy, &mut out).unwrap();
    let both = |add: fn(f32, f32) -> f32| x.iter().zip(&y).map(|(x, y)| add(*x, *y)).collect();
    [out.to_vec().unwrap(), both(|x, y| x * x + y), both(|x, y| x.mul_add(x, y))]
}

#[test]
fn products_and_sums_are_rounded() {
    in_child("contraction::products_and_sums_are_rounded", &[("ANABRANCH_CONTRACT", "off")], || {
        let [out, twice, once] = results();
        assert!(twice != once, "the numbers show no difference");
        assert_eq!(out, twice);
    });
}

/// So that the other tests meet it.
#[test]
fn contraction_is_the_default() {
    in_child("contraction::contraction_is_the_default", &[("ANABRANCH_CONTRACT", "")], || {
        let [out, _, once] = results();
        assert_eq!(out, once);
    });
}

#[test]
fn a_setting_that_is_none() {
    in_child("contraction::a_setting_that_is_none", &[("ANABRANCH_CONTRACT", "no")], || {
        let error = gpus::gpu(0).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "ANABRANCH_CONTRACT", .. }), "{error}");
    });
}
