use std::marker::PhantomData;

use anabranch::prelude::*;

use crate::kernels::structs::{self as k, Cells, Length, Metres, Mixed, Pair, Particle, Tagged, UP, Vec3, plain};

/// Particles that differ in every field.
fn particles(n: usize) -> Vec<Particle> {
    let part = |i: usize| {
        let f = i as f32;
        Particle {
            alive: i.is_multiple_of(2),
            pos: Vec3 { x: (i % 4) as f32, y: f - 3.0, z: -f },
            float: (i % 7) as u16,
            velocity: Vec3 { x: 0.5 * i as f64, y: 1.0, z: -2.0 },
            pairs: [Pair((i % 3) as u8, 10), Pair(200, i as u32), Pair(i as u8, u32::MAX - i as u32)],
            id: (i as u128) << 70 | 1,
            unit: Metres,
        }
    };
    (0..n).map(part).collect()
}

pub fn fields_and_literals(device: &Device, stream: &Stream) {
    let mut expected = particles(100);
    let mut x = device.buffer_from(&expected).unwrap();
    k::fields(stream, &mut x, 0.25).unwrap();
    plain::fields(&mut expected, 0.25);
    assert_eq!(x.to_vec().unwrap(), expected);
    k::literals(stream, &mut x, UP).unwrap();
    plain::literals(&mut expected, UP);
    assert_eq!(x.to_vec().unwrap(), expected);
}

pub fn patterns_of_structs(device: &Device, stream: &Stream) {
    let (mut xs, mut ys) = (particles(100), vec![Pair::default(); 100]);
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.zeros(100).unwrap());
    k::patterns(stream, &mut x, &mut y).unwrap();
    plain::patterns(&mut xs, &mut ys);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
}

pub fn functions_of_structs(device: &Device, stream: &Stream) {
    let (mut xs, mut ys) = (particles(100), vec![0.0; 100]);
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.zeros(100).unwrap());
    k::functions(stream, &mut x, &mut y, UP).unwrap();
    plain::functions(&mut xs, &mut ys, UP);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
}

pub fn structs_of_all_kinds(device: &Device, stream: &Stream) {
    let mut ys: Vec<Length<Metres>> = vec![Length { value: 0.5, unit: PhantomData }; 100];
    let mut cs = vec![Cells { cells: [1, 2, 3, 4, 5] }; 100];
    let mixed = Mixed { pair: (3, 1 << 40), k: -7 };
    let (mut y, mut c) = (device.buffer_from(&ys).unwrap(), device.filled(100, cs[0]).unwrap());
    k::values(stream, &mut y, &mut c, mixed).unwrap();
    plain::values(&mut ys, &mut cs, mixed);
    assert_eq!((y.to_vec().unwrap(), c.to_vec().unwrap()), (ys, cs));
    let (mut xs, ms) = (vec![[1.0, 2.0, 3.0]; 50], vec![[Pair(1, 2), Pair(3, 4)]; 50]);
    let (mut x, m) = (device.buffer_from(&xs).unwrap(), device.buffer_from(&ms).unwrap());
    k::arrays(stream, &mut x, &m).unwrap();
    plain::arrays(&mut xs, &ms);
    assert_eq!(x.to_vec().unwrap(), xs);
}

pub fn operands_of_structs_in_their_order(device: &Device, stream: &Stream) {
    let (mut xs, mut ys, mut ns) = (vec![Pair(1, 2); 100], particles(100), vec![0; 100]);
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.buffer_from(&ys).unwrap());
    let mut n = device.zeros(100).unwrap();
    k::orders(stream, &mut x, &mut y).unwrap();
    plain::orders(&mut xs, &mut ys);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
    k::of_temporaries(stream, &mut n).unwrap();
    plain::of_temporaries(&mut ns);
    assert_eq!(n.to_vec().unwrap(), ns);
}

pub fn fields_without_a_size(device: &Device, stream: &Stream) {
    let mut xs = vec![Tagged { value: 1.5, unit: Metres, units: [Metres; 2], cells: [] }; 50];
    let mut ys = vec![Tagged { value: 1.0, unit: Metres, units: [Metres; 2], cells: [1.0, 2.0] }; 50];
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.buffer_from(&ys).unwrap());
    k::sizeless(stream, &mut x, &mut y).unwrap();
    plain::sizeless(&mut xs, &mut ys);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
}

pub fn a_failed_check_inside_of_an_element_writes_nothing(device: &Device, stream: &Stream) {
    let all = particles(10);
    let (mut x, y) = (device.buffer_from(&all).unwrap(), device.buffer_from(&all).unwrap());
    for whole in [false, true] {
        k::stops(stream, &mut x, &y, 12, whole).unwrap();
        assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
        assert_eq!(x.to_vec().unwrap(), all);
    }
}

/// Fills with patterns of all sizes, and zeros in which every field is zero.
pub fn fills_with_structs(device: &Device, stream: &Stream) {
    fn check<T: DeviceCopy + PartialEq + std::fmt::Debug>(device: &Device, stream: &Stream, a: T, b: T) {
        let mut x = device.filled(77, a).unwrap();
        assert_eq!(x.to_vec().unwrap(), vec![a; 77]);
        x.slice_mut(5..70).fill_async(stream, b).unwrap();
        let expected: Vec<T> = (0..77).map(|i| if (5..70).contains(&i) { b } else { a }).collect();
        assert_eq!(x.to_vec().unwrap(), expected);
    }
    let all = particles(3);
    check(device, stream, all[1], all[2]);
    check(device, stream, Pair(1, 2), Pair(3, 4));
    check(device, stream, [1u8, 2, 3], [4, 5, 6]);
    check(device, stream, [1u16; 5], [2; 5]);
    check(device, stream, Cells { cells: [1; 5] }, Cells { cells: [-1; 5] });
    assert_eq!(device.zeros::<Particle>(9).unwrap().to_vec().unwrap(), vec![Particle::default(); 9]);
    assert_eq!(device.pinned::<Cells<5>>(0).unwrap().as_slice().unwrap(), []);
    assert_eq!(device.pinned::<Particle>(9).unwrap().as_slice().unwrap(), vec![Particle::default(); 9]);
}
