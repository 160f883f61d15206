use anabranch::prelude::*;

use super::noise;
use crate::kernels::language as k;

pub fn every_function_on_every_number(device: &Device, stream: &Stream) {
    let edges = [i32::MIN, i32::MIN + 1, -100, -99, i32::MAX, i32::MAX - 1, 99, 100, 101];
    let x: Vec<i32> = (-40..200).chain(edges).chain(noise(1000).map(|x| x as i32)).collect();
    let mut out = device.zeros::<i64>(k::COUNT * x.len()).unwrap();
    k::language(stream, &device.buffer_from(&x).unwrap(), &mut out).unwrap();
    let out = out.to_vec().unwrap();
    for ((name, plain), row) in k::FUNCTIONS.iter().zip(out.chunks_exact(x.len())) {
        for (&x, &got) in x.iter().zip(row) {
            assert_eq!(got, plain(x), "{name}({x})");
        }
    }
}
