//! Values of device code that do not fit on the stack of a thread, least of all in debug builds.
//! Where the stack is too small, the process ends.

use anabranch::prelude::*;

const N: usize = 10_000;

#[device]
#[derive(Clone, Copy)]
struct State {
    v: [f64; N],
}

#[device]
impl State {
    fn filled(v: f64) -> Self {
        State { v: [v; N] }
    }

    fn last(self) -> f64 {
        self.v[N - 1]
    }
}

#[device]
impl std::ops::Add for State {
    type Output = State;
    fn add(mut self, other: State) -> State {
        for k in 0..N {
            self.v[k] += other.v[k];
        }
        self
    }
}

#[device]
impl std::ops::Mul<f64> for State {
    type Output = State;
    fn mul(mut self, by: f64) -> State {
        for k in 0..N {
            self.v[k] *= by;
        }
        self
    }
}

#[device]
fn innermost(a: [f64; N], at: usize) -> [f64; N] {
    let mut b = a;
    b[at % N] += 1.0;
    b
}

#[device]
fn inner(a: [f64; N], at: usize) -> [f64; N] {
    innermost(innermost(a, at), at + 1)
}

/// The caller has no large value.
#[device]
fn hidden(at: usize) -> f64 {
    let a = inner([0.5; N], at);
    let (b, c) = (inner(a, at), Some(innermost(a, at)));
    let mut sum = b[at % N];
    if let Some(c) = c {
        sum += c[(at + 1) % N];
    }
    sum
}

#[kernel]
fn operators(y: &mut [f64]) {
    for i in par(0..y.len()) {
        let a = State::filled(i as f64);
        let k1 = a * 2.0;
        let k2 = (a + k1 * 0.5) * 2.0;
        let k3 = (a + k2 * 0.5) * 2.0;
        let k4 = (a + k3) * 2.0;
        y[i] = (a + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (1.0 / 6.0)).last();
    }
}

#[kernel]
fn functions(y: &mut [f64]) {
    for i in par(0..y.len()) {
        y[i] = hidden(i);
    }
}

#[kernel]
fn locals(y: &mut [f64]) {
    for i in par(0..y.len()) {
        let mut a = [0.0f64; N];
        for k in 0..N {
            a[k] = (i + k) as f64;
        }
        let b = a;
        let mut c = [a, b];
        c[1][N - 1] += 1.0;
        y[i] = c[1][N - 1] - c[0][0];
    }
}

#[kernel]
fn blocks(y: &mut [f64]) {
    for block in par_blocks(0..y.len()).threads(4) {
        let mut sums = block.shared([0.0f64; 4]);
        for t in block.threads() {
            let mut a = [1.0f64; N];
            a[t] = hidden(t);
            let c = inner(a, t);
            sums[t] = c[t] + c[N - 1];
        }
        y[block.index()] = sums[0] + sums[1] + sums[2] + sums[3];
    }
}

#[kernel]
fn groups(x: &mut [f64], y: &mut [f64], z: &mut [f64]) {
    stream_parallel! {
        { for i in par(0..x.len()) { x[i] = hidden(i); } }
        { functions(&mut y); }
        { operators(&mut z); }
    }
}

#[kernel]
fn sum(total: &mut [f64], n: usize) {
    total[0] = par(0..n).map(|i| hidden(i)).sum();
}

#[kernel]
fn too_large(y: &mut [f64]) {
    for i in par(0..y.len()) {
        let a = [[i as f64; 1 << 20]; 64];
        y[i] = a[i % 64][i];
    }
}

fn check(kernel: impl Fn(&Stream, &mut Buffer<f64>) -> anabranch::Result<()>, expected: impl Fn(usize) -> f64) {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut y = device.zeros(6).unwrap();
    for _ in 0..2 {
        kernel(&stream, &mut y).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(y.to_vec().unwrap(), Vec::from_iter((0..6).map(&expected)));
    }
    let graph = stream.capture(|s| kernel(s, &mut y)).unwrap();
    y.fill(0.0).unwrap();
    graph.launch(&stream).unwrap();
    assert_eq!(y.to_vec().unwrap(), Vec::from_iter((0..6).map(&expected)));
}

#[test]
fn large_values_have_a_stack() {
    let rk4 = |i: usize| {
        let a = i as f64;
        let k1 = a * 2.0;
        let k2 = (a + k1 * 0.5) * 2.0;
        let k3 = (a + k2 * 0.5) * 2.0;
        let k4 = (a + k3) * 2.0;
        a + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (1.0 / 6.0)
    };
    // `hidden` adds 1 to two elements once for `a` and once more for `b` and `c`.
    let hidden = |_| (0.5 + 2.0) + (0.5 + 1.0);
    check(operators, rk4);
    check(functions, hidden);
    check(locals, |_| N as f64);
    check(|s, y| sum(s, y, 100), |i| if i == 0 { 100.0 * hidden(0) } else { 0.0 });
    check(blocks, |_| 4.0 * (hidden(0) + 1.0 + 1.0));
    let device = Device::cpu();
    let (mut x, mut y, mut z) = (device.zeros(4).unwrap(), device.zeros(4).unwrap(), device.zeros(4).unwrap());
    groups(&device.default_stream(), &mut x, &mut y, &mut z).unwrap();
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![hidden(0); 4], vec![hidden(0); 4]));
    assert_eq!(z.to_vec().unwrap(), Vec::from_iter((0..4).map(rk4)));
}

#[test]
fn values_that_are_too_large_are_an_error() {
    let device = Device::cpu();
    let mut y = device.zeros(4).unwrap();
    let error = too_large(&device.default_stream(), &mut y).unwrap_err();
    let Error::TooMuchLocalMemory { kernel, header, bytes, .. } = error else { panic!("{error}") };
    assert_eq!((kernel, header, bytes > 512 << 20), ("too_large", "for i in par(0..y.len())", true));
    assert_eq!(y.to_vec().unwrap(), [0.0; 4]);
}
