use anabranch::prelude::*;

use super::close;
use crate::kernels::control as k;

pub fn order(device: &Device, stream: &Stream) {
    let x: Vec<i32> = vec![-20, -4, -3, 0, 1, 2, 3, 4, 5, 10, 11, 1000];
    let mut out = device.zeros::<i32>(x.len()).unwrap();
    k::order(stream, &device.buffer_from(&x).unwrap(), &mut out).unwrap();
    let expected: Vec<i32> = x
        .iter()
        .map(|&x| {
            let mut t = x;
            let a = t + {
                t *= 3;
                t
            } * if t > 10 {
                t -= 1;
                2
            } else {
                5
            };
            let a = {
                let a = a ^ 7;
                (a << 3) - a
            };
            let mut c = 0;
            let p = t > 0 && {
                c += 1;
                t % 2 == 0
            } || {
                c += 10;
                t < -3
            };
            // Rust: the right side of a compound assignment on a primitive first.
            t *= 2;
            t += c;
            a * 100 + t + i32::from(p)
        })
        .collect();
    assert_eq!(out.to_vec().unwrap(), expected);
}

fn loops_reference(n: u32) -> u32 {
    if n == 13 {
        return 1;
    }
    let found = 'outer: {
        let mut s = 0;
        'mid: for j in 0..n {
            for k in 0..=j {
                if k == 3 {
                    continue 'mid;
                }
                if s > 100 {
                    break 'outer s;
                }
                s += k;
            }
            if s == 40 {
                break;
            }
        }
        s + 1000
    };
    let mut out = 0;
    let mut c = 5;
    while {
        c -= 1;
        c > 0
    } {
        if c == found {
            break;
        }
        out += c;
    }
    let (mut steps, mut v) = (0, n);
    while v != 1 && steps < 1000 {
        v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
        steps += 1;
    }
    out + found * 1000 + steps
}

pub fn loops(device: &Device, stream: &Stream) {
    let x: Vec<u32> = (0..200).collect();
    let mut out = device.zeros::<u32>(x.len()).unwrap();
    k::loops(stream, &device.buffer_from(&x).unwrap(), &mut out).unwrap();
    let expected: Vec<u32> = x.iter().map(|&n| loops_reference(n)).collect();
    assert_eq!(out.to_vec().unwrap(), expected);
}

pub fn to_the_end(device: &Device, stream: &Stream) {
    let mut out = device.zeros::<u32>(3).unwrap();
    k::to_the_end(stream, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [(250..=255).sum::<u32>(); 3]);
}

pub fn names(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<f32>(4).unwrap();
    k::names(stream, &mut x, 1.0, &device.buffer_from(&[1.0, 2.0, 3.0, 4.0]).unwrap(), 10.0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [21.0, 31.0, 41.0, 51.0]);
}

pub fn names_with_meanings(device: &Device, stream: &Stream) {
    let mut out = device.zeros::<u32>(3).unwrap();
    k::names_with_meanings(stream, &mut out, 10, &device.buffer_from(&[1, 2, 3]).unwrap(), 4).unwrap();
    let expected = [1, 2, 3].map(|x: u32| {
        let linux = 2 * (x + 11) + 2 * (1 + 2 + 3);
        (2 * linux + 1) * 1000 + linux + 1
    });
    assert_eq!(out.to_vec().unwrap(), expected);
}

pub fn device_functions_run_on_the_host_and_in_kernels(device: &Device, stream: &Stream) {
    let start: Vec<f32> = (-3..20).map(|i| i as f32 * 0.25).collect();
    let mut x = device.buffer_from(&start).unwrap();
    let mut roots = device.zeros::<u64>(start.len()).unwrap();
    k::calls(stream, &mut x, &mut roots, 5).unwrap();
    let expected: Vec<f32> = start.iter().map(|&x| k::helpers::wave(x, 5) + k::helpers::wave(0.5, 2)).collect();
    close(device, &x.to_vec().unwrap(), &expected, |_| 3.0);
    assert_eq!(expected[0], -1.0 + k::helpers::wave(0.5, 2), "the early return");
    let reference = |x: f32| (0..5).fold(0.0, |acc, k| acc + (x * k as f32).sin() / (1.0 + k as f32));
    assert_eq!(k::helpers::wave(0.7, 5), reference(0.7));
    let expected: Vec<u64> = (0..start.len() as u64).map(|i| (i * i + 1).isqrt()).collect();
    assert_eq!(roots.to_vec().unwrap(), expected);
}
