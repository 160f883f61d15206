use std::borrow::Cow;

use anabranch::prelude::*;

use crate::kernels::slices::{self as k, Image, Planes};

/// The buffers of a struct of slices.
struct Buffers {
    red: Buffer<f32>,
    green: Buffer<f32>,
    mask: Buffer<u8>,
}

impl Buffers {
    fn new(device: &Device, [red, green]: [&[f32]; 2]) -> Self {
        let mask = device.from_fn(red.len(), |i| (i % 3) as u8).unwrap();
        Self { red: device.buffer_from(red).unwrap(), green: device.buffer_from(green).unwrap(), mask }
    }

    fn planes(&mut self, by: f32) -> Planes<'_> {
        Planes { red: (&mut self.red).into(), green: self.green.slice_mut(..), mask: self.mask.slice(..), by }
    }

    fn both(&self) -> [Vec<f32>; 2] {
        [&self.red, &self.green].map(|buffer| buffer.to_vec().unwrap())
    }
}

const RED: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const GREEN: [f32; 6] = [0.5, 0.25, 1.5, 2.0, 8.0, 4.0];

pub fn fields_of_structs(device: &Device, stream: &Stream) {
    let mut buffers = Buffers::new(device, [&RED, &GREEN]);
    let mut planes = buffers.planes(2.0);
    k::blended(stream, &mut planes, 6).unwrap();
    // Once more, and then it is gone.
    k::blended(stream, planes, 4).unwrap();
    let (mut red, mut green) = (RED, GREEN);
    for n in [6, 4] {
        for i in 0..n {
            if i % 3 > 0 {
                red[i] = red[i] * 2.0 + green[i];
            }
        }
        (0..6).for_each(|i| red[i] += (i % 3) as f32 * 2.0);
        (0..n / 2).for_each(|i| green[i] -= 1.0);
        (n / 2..6).for_each(|i| green[i] -= ((i - n / 2) % 3) as f32);
    }
    assert_eq!(buffers.both(), [red.to_vec(), green.to_vec()]);
}

fn moved([red, green]: [&mut [f32]; 2], p_by: f32, by: f32) {
    red.iter_mut().for_each(|x| *x += by);
    green.iter_mut().for_each(|x| *x -= by * p_by);
}

fn lent<'a>(mut red: &'a mut [f32], mut green: &'a mut [f32], other: &mut [f32], by: f32) {
    let n = red.len() as f32;
    red.iter_mut().for_each(|x| *x += by);
    green[1..].iter_mut().for_each(|x| *x += n);
    for round in 0..3 {
        moved([red, green], by, n + by + round as f32);
        std::mem::swap(&mut red, &mut green);
        if round == 1 {
            red.iter_mut().for_each(|x| *x += 0.25);
            std::mem::swap(&mut red, &mut green);
        }
    }
    green.iter_mut().for_each(|x| *x += 3.0);
    moved([red, green], by, 1.0);
    red.iter_mut().for_each(|x| *x += 0.5);
    green.iter_mut().for_each(|x| *x *= 2.0);
    other.iter_mut().for_each(|x| *x += by);
    (0..red.len()).for_each(|i| green[i] += red[i] + other[i]);
    moved([red, green], by, 0.125);
}

pub fn structs_that_are_lent(device: &Device, stream: &Stream) {
    let mut buffers = Buffers::new(device, [&RED, &GREEN]);
    let mut other = device.buffer_from(&GREEN).unwrap();
    k::lent(stream, buffers.planes(0.5), &mut other).unwrap();
    let (mut red, mut green, mut others) = (RED, GREEN, GREEN);
    lent(&mut red, &mut green, &mut others, 0.5);
    assert_eq!(buffers.both(), [red.to_vec(), green.to_vec()]);
    assert_eq!(other.to_vec().unwrap(), others);
}

pub fn all_kinds_of_fields(device: &Device, stream: &Stream) {
    let mut buffers = Buffers::new(device, [&RED, &GREEN]);
    let mut pixels = device.grid_from(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [2, 4]).unwrap();
    let volume = device.grid_from(&[1u32, 2, 3, 4], [1, 2, 2]).unwrap();
    let mut counts = device.zeros::<u32>(2).unwrap();
    let mut sums = device.buffer_from(&[0.5f64; 5]).unwrap();
    let image = Image::new(buffers.planes(4.0), &mut pixels, &volume, &mut counts, [1.0, 2.0, 0.5], &mut sums, 3);
    k::drawn(stream, image).unwrap();

    // The first row becomes a copy of the second.
    let bottom = [5.0 * 2.0, 6.0 * 0.5, 7.0, 8.0 * 2.0];
    assert_eq!(pixels.to_vec().unwrap(), [bottom, bottom].concat());
    assert_eq!(counts.to_vec().unwrap(), [2 * (1 + 3) + 2 * (3 + 3), 2 * (2 + 3) + 2 * (4 + 3)]);
    let total = 0.5 + bottom.iter().sum::<f64>();
    let expected = [total, bottom[3] + total, bottom[2] + total, bottom[1] + total, bottom[0] + total];
    assert_eq!(sums.to_vec().unwrap(), expected.map(|sum| sum * 2.0 * 0.5));
    let (mut red, mut green) = (RED, GREEN);
    moved([&mut red, &mut green], 4.0, 2.0);
    red.iter_mut().for_each(|x| *x *= 4.0);
    for by in [4.0, 1.0, 4.0] {
        moved([&mut red, &mut green], 4.0, by);
    }
    assert_eq!(buffers.both(), [red.to_vec(), green.to_vec()]);
}

pub fn values_with_lifetimes(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<f32>(2).unwrap();
    let (name, values) = (String::from("four"), [0.5f32, 1.0]);
    k::told(stream, &mut x, Cow::Borrowed(&name), values.iter()).unwrap();
    assert_eq!(x.to_vec().unwrap(), [4.5, 4.5]);
}

pub fn structs_in_graphs(device: &Device, stream: &Stream) {
    let mut buffers = Buffers::new(device, [&RED, &GREEN]);
    let mut by = 1.0;
    let graph = stream.capture(|s| k::moved(s, buffers.planes(by), by)).unwrap();
    by = 100.0;
    graph.launch(stream).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!((buffers.both(), by), ([RED.map(|x| x + 2.0).to_vec(), GREEN.map(|x| x - 2.0).to_vec()], 100.0));
}

pub fn errors_name_the_fields(device: &Device, stream: &Stream) {
    let (mut long, mut short) = (Buffers::new(device, [&RED, &GREEN]), Buffers::new(device, [&RED[..2], &GREEN[..2]]));
    let error = k::copied(stream, long.planes(1.0), short.planes(1.0)).unwrap_err().to_string();
    assert!(error.contains("`to.green[i]`") && error.contains("slices.rs"), "{error}");
    let error = k::strided(stream, long.planes(1.0), 0).unwrap_err().to_string();
    assert!(error.contains("`p.red[i * step]` would be element 0 in both"), "{error}");
    let other = Device::cpu();
    let mut elsewhere = Buffers::new(&other, [&RED, &GREEN]);
    if !device.is_cpu() {
        let error = k::moved(stream, elsewhere.planes(1.0), 1.0).unwrap_err().to_string();
        assert!(error.contains("`red`"), "{error}");
    }
    assert_eq!(long.both(), [RED.to_vec(), GREEN.to_vec()]);
}

pub fn streams_wait_for_fields(device: &Device, stream: &Stream) {
    let n = 1 << 16;
    let ones = vec![1.0f32; n];
    let mut buffers = Buffers::new(device, [&ones, &ones]);
    let other = device.new_stream().unwrap();
    for _ in 0..20 {
        k::moved(stream, buffers.planes(1.0), 1.0).unwrap();
        k::raised(&other, &mut buffers.green, 2.0).unwrap();
        k::moved(&other, buffers.planes(0.0), 1.0).unwrap();
        k::raised(stream, &mut buffers.red.slice_mut(1..), 1.0).unwrap();
    }
    let [red, green] = buffers.both();
    assert!(red[0] == 41.0 && red[1..].iter().all(|x| *x == 61.0) && green.iter().all(|x| *x == 21.0));
}
