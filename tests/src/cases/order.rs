//! Order under stress: twenty rounds of every way in which work can depend on work, without the
//! host waiting in between. Delays are drawn anew each round, so that now this group is late and
//! now that one. No step loses what was there before: an access too early or too late is seen in
//! the end, in whichever round it was.

use anabranch::prelude::*;

use super::noise;
use crate::kernels::order as k;

const ROUNDS: usize = 20;
/// Elements a part: few, so that the device is busy with many groups at once.
const N: usize = 16;

/// Delays for every round.
fn delays(device: &Device) -> impl Iterator<Item = k::Delays> {
    let most = if device.is_cpu() { 10 } else { 5000 };
    let mut numbers = noise(8 * ROUNDS);
    (0..ROUNDS).map(move |_| std::array::from_fn(|_| (numbers.next().unwrap_or(0) % most) as u32))
}

fn start(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| i * i + 1).collect()
}

/// `x a + b`, as kernels compute it.
fn sum(x: u32, a: usize, b: u32) -> u32 {
    x.wrapping_mul(a as u32).wrapping_add(b)
}

/// What [`k::stage`] does.
fn stage(from: &[u32], to: &mut [u32]) {
    let len = to.len();
    to.iter_mut().enumerate().for_each(|(i, to)| *to = sum(*to, 3, from[(i + len / 4) % len]));
}

/// What [`k::exchange`] does.
fn exchange(x: &mut [u32], y: &mut [u32]) {
    let (len, n) = (x.len(), x.len() / 6);
    (0..len).for_each(|i| y[i] = sum(y[i], 3, x[(i + n) % len]));
    (0..len).for_each(|i| x[i] = sum(x[i], 5, y[(i + n) % len]));
}

/// Two streams share one store: the producer fills it anew as soon as the consumer has read it.
pub fn producer_and_consumer(device: &Device, producer: &Stream) {
    let consumer = device.new_stream().unwrap();
    let host = start(4 * N);
    let (mut source, mut store) = (device.buffer_from(&host).unwrap(), device.buffer_from(&host).unwrap());
    let mut sink = device.buffer_from(&host).unwrap();
    let (mut a, mut b, mut c) = (host.clone(), host.clone(), host);
    for delays in delays(device) {
        k::affine(producer, &mut source, 3, 1, delays[0]).unwrap();
        k::stage(producer, &source, &mut store, delays).unwrap();
        k::stage(&consumer, &store, &mut sink, delays).unwrap();
        a.iter_mut().for_each(|a| *a = sum(*a, 3, 1));
        stage(&a, &mut b);
        stage(&b, &mut c);
    }
    assert_eq!((source.to_vec().unwrap(), store.to_vec().unwrap(), sink.to_vec().unwrap()), (a, b, c));
}

/// Two streams pass a pair of buffers to and fro.
pub fn ping_pong(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (mut x, mut y) = (start(6 * N), start(6 * N));
    let (mut dx, mut dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
    for delays in delays(device) {
        k::exchange(stream, &mut dx, &mut dy, delays).unwrap();
        k::exchange(&other, &mut dy, &mut dx, delays).unwrap();
        exchange(&mut x, &mut y);
        exchange(&mut y, &mut x);
    }
    assert_eq!((dx.to_vec().unwrap(), dy.to_vec().unwrap()), (x, y));
}

pub fn fan_out(device: &Device, stream: &Stream) {
    let (mut source, mut out) = (start(N), start(8 * N));
    let (mut dsource, mut dout) = (device.buffer_from(&source).unwrap(), device.buffer_from(&out).unwrap());
    for delays in delays(device) {
        k::fan_out(stream, &mut dsource, &mut dout, delays).unwrap();
        source.iter_mut().for_each(|x| *x = sum(*x, 3, 1));
        (0..8 * N).for_each(|i| out[i] = sum(out[i], 3, sum(source[i % N], i / N + 2, 0)));
    }
    assert_eq!((dsource.to_vec().unwrap(), dout.to_vec().unwrap()), (source, out));
}

pub fn fan_in(device: &Device, stream: &Stream) {
    let (mut parts, mut total) = (start(5 * N), start(N));
    let (mut dparts, mut dtotal) = (device.buffer_from(&parts).unwrap(), device.buffer_from(&total).unwrap());
    for delays in delays(device) {
        k::fan_in(stream, &mut dparts, &mut dtotal, delays).unwrap();
        (0..5 * N).for_each(|i| parts[i] = sum(parts[i], 2 * (i / N) + 3, 1));
        (0..N).for_each(|i| total[i] = (0..5).fold(total[i], |total, k| sum(total, 31, parts[k * N + i])));
    }
    assert_eq!((dparts.to_vec().unwrap(), dtotal.to_vec().unwrap()), (parts, total));
}

pub fn diamond(device: &Device, stream: &Stream) {
    let (mut x, mut parts) = (start(N), start(4 * N));
    let (mut dx, mut dparts) = (device.buffer_from(&x).unwrap(), device.buffer_from(&parts).unwrap());
    for delays in delays(device) {
        k::diamond(stream, &mut dx, &mut dparts, delays).unwrap();
        for _ in 0..2 {
            x.iter_mut().for_each(|x| *x = sum(*x, 5, 1));
            (0..4 * N).for_each(|i| parts[i] = sum(parts[i], 2 * (i / N) + 3, x[i % N]));
            (0..N).for_each(|i| x[i] = (0..4).fold(x[i], |x, k| sum(parts[k * N + i], [3, 5, 7, 11][k], x)));
        }
    }
    assert_eq!((dx.to_vec().unwrap(), dparts.to_vec().unwrap()), (x, parts));
}

/// Four stages on four streams: each works on what the one before has left, while that one is busy
/// with the next.
pub fn pipeline(device: &Device, first: &Stream) {
    let [second, third, fourth] = std::array::from_fn(|_| device.new_stream().unwrap());
    let mut host: Vec<Vec<u32>> = vec![start(4 * N); 5];
    let mut buffers: Vec<_> = host.iter().map(|host| device.buffer_from(host).unwrap()).collect();
    for delays in delays(device) {
        k::affine(first, &mut buffers[0], 3, 1, delays[7]).unwrap();
        host[0].iter_mut().for_each(|x| *x = sum(*x, 3, 1));
        for (at, stream) in [first, &second, &third, &fourth].into_iter().enumerate() {
            let [from, to] = &mut buffers[at..at + 2] else { unreachable!() };
            k::stage(stream, &*from, to, delays).unwrap();
            let [from, to] = &mut host[at..at + 2] else { unreachable!() };
            stage(from, to);
        }
    }
    let got: Vec<_> = buffers.iter().map(|buffer| buffer.to_vec().unwrap()).collect();
    assert_eq!(got, host);
}

/// Blocks on one stream with nothing between them, in a launch and from launch to launch.
pub fn back_to_back(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (start(6 * N), start(6 * N));
    let (mut dx, mut dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
    for delays in delays(device) {
        k::exchange(stream, &mut dx, &mut dy, delays).unwrap();
        exchange(&mut x, &mut y);
    }
    assert_eq!((dx.to_vec().unwrap(), dy.to_vec().unwrap()), (x, y));
}
