//! Library kernels are ordered, forked, recorded and called like others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use anabranch::Error;
use anabranch::prelude::*;

use crate::kernels::library as k;
use crate::kernels::order;

const N: usize = 64;

fn numbers(from: u32, n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| from.wrapping_add(i.wrapping_mul(7))).collect()
}

/// The same without a device.
mod plain {
    pub(super) fn affine(x: &mut [u32], a: u32, b: u32) {
        x.iter_mut().for_each(|x| *x = x.wrapping_mul(a).wrapping_add(b));
    }

    pub(super) fn everywhere(x: &mut [u32], y: &mut [u32], z: &mut [u32], rounds: u32) {
        affine(x, 2, 1);
        y.copy_from_slice(x);
        for round in 0..rounds {
            affine(y, 3, round);
            if round % 2 == 0 { x.copy_from_slice(y) } else { y.copy_from_slice(x) }
        }
        x.iter_mut().zip(&*y).for_each(|(x, y)| *x = x.wrapping_mul(5).wrapping_add(*y));
        pair(x, y);
        let (lo, hi) = z.split_at_mut(z.len() / 2);
        affine(lo, 7, 3);
        affine(hi, 9, 4);
        hi[..lo.len()].copy_from_slice(lo);
        affine(hi, 11, 5);
        x.iter_mut().zip(&*z).for_each(|(x, z)| *x = x.wrapping_mul(10).wrapping_add(*z));
    }

    pub(super) fn pair(x: &mut [u32], y: &mut [u32]) {
        let half = x.len() / 2;
        let (lo, hi) = x.split_at_mut(half);
        hi[..half].copy_from_slice(lo);
        affine(y, 13, 6);
        x[..half].copy_from_slice(&y[..half]);
    }
}

pub fn in_every_place(device: &Device, stream: &Stream) {
    for n in [1, 33, 5000] {
        let mut all = [1, 20, 300].map(|from| numbers(from, n));
        let mut buffers = all.each_ref().map(|data| device.buffer_from(data).unwrap());
        for rounds in 0..4 {
            let [x, y, z] = &mut buffers;
            k::everywhere(stream, x, y, z, rounds).unwrap();
            let [x, y, z] = &mut all;
            plain::everywhere(x, y, z, rounds);
        }
        assert_eq!(buffers.each_ref().map(|data| data.to_vec().unwrap()), all, "{n} elements");
    }
    // At once, and of other types.
    let (from, mut to) = (device.buffer_from(&[1.5f64, -0.0]).unwrap(), device.zeros::<f64>(2).unwrap());
    k::copy(stream, &from, &mut to).unwrap();
    assert_eq!(to.to_vec().unwrap().map_bits(), [1.5f64, -0.0].map(f64::to_bits));
    let (none, mut nothing) = (device.zeros::<i8>(0).unwrap(), device.zeros::<i8>(0).unwrap());
    k::copy(stream, &none, &mut nothing).unwrap();
    k::everywhere::prepare(device).unwrap();
}

/// So that zeros have signs.
trait Bits {
    fn map_bits(self) -> Vec<u64>;
}
impl Bits for Vec<f64> {
    fn map_bits(self) -> Vec<u64> {
        self.into_iter().map(f64::to_bits).collect()
    }
}

pub fn captured(device: &Device, stream: &Stream) {
    let mut all = [1, 20, 300].map(|from| numbers(from, 40));
    let mut buffers = all.each_ref().map(|data| device.buffer_from(data).unwrap());
    let [x, y, z] = &mut buffers;
    let graph = stream.capture(|s| k::everywhere(s, x, y, z, 3)).unwrap();
    assert_eq!(x.to_vec().unwrap(), all[0], "capturing runs nothing");
    let other = device.new_stream().unwrap();
    for stream in [stream, &other, stream] {
        graph.launch(stream).unwrap();
        let [x, y, z] = &mut all;
        plain::everywhere(x, y, z, 3);
    }
    assert_eq!(buffers.map(|data| data.to_vec().unwrap()), all);
    let dot = graph.dot();
    // 1 + 3 in the loop + 2 in `pair` + 1 are of the library, the others are loops.
    assert_eq!((graph.stats().nodes, graph.stats().sub_kernels), (7 + 10, 10), "{dot}");
    assert!(dot.contains(r#"label="rude_copy\nlibrary, line"#), "{dot}");
}

pub fn ordered_by_their_buffers(device: &Device, stream: &Stream) {
    let steps = super::slow(device);
    let other = device.new_stream().unwrap();
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.zeros::<u32>(N).unwrap());
    for round in 0..5 {
        order::affine(stream, &mut x, 3, 1, steps).unwrap();
        k::copy(&other, &x, &mut y).unwrap();
        // What the library reads is not overwritten before.
        order::affine(stream, &mut x, 1, 1, steps).unwrap();
        k::copy(stream, &y, &mut x).unwrap();
        let expected = (0..=round).fold(1u32, |x, _| 3 * x + 1);
        assert_eq!((y.to_vec().unwrap(), x.to_vec().unwrap()), (vec![expected; N], vec![expected; N]));
    }
}

pub fn errors_are_those_of_the_library(device: &Device, stream: &Stream) {
    let buffer = |from, n| device.buffer_from(&numbers(from, n)).unwrap();
    let (mut x, mut y, mut z) = (buffer(1, N), buffer(2, N / 2), buffer(3, N));
    let error = k::copy(stream, &x, &mut y).unwrap_err();
    assert_eq!(error.to_string(), "kernel `copy`: 64 elements do not fit 32");
    // In a group, with the kernels that led to it. Groups beside it run to their ends, and nothing
    // runs behind them.
    let error = k::may_fail(stream, &mut x, &mut y, &mut z, 5).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("kernel `copy`: 5 elements do not fit 32; called by kernel `may_fail` ("), "{text}");
    let Error::Library { kernel: "copy", source } = error.innermost() else { panic!("{error}") };
    assert_eq!(source.downcast_ref::<k::Uneven>(), Some(&k::Uneven(5, 32)));
    let mut expected = numbers(3, N);
    plain::affine(&mut expected, 3, 1);
    expected.copy_within(..N / 2, N / 2);
    match device.is_cpu() {
        true => assert_eq!(z.to_vec().unwrap(), expected),
        // The error is there before the other group begins.
        false => assert_eq!(z.to_vec().unwrap(), numbers(3, N)),
    }
    let mut once = numbers(1, N);
    plain::affine(&mut once, 2, 1);
    assert_eq!(x.to_vec().unwrap(), once, "its group ends there");
    // Of two errors the first in the source is told.
    let mut odd = buffer(4, 7);
    for _ in 0..20 {
        let error = k::may_fail(stream, &mut x, &mut y, &mut odd, 5).unwrap_err();
        assert!(error.to_string().starts_with("kernel `copy`: 5 elements"), "{error}");
        let error = k::may_fail(stream, &mut x, &mut y, &mut odd, 32).unwrap_err().to_string();
        assert!(
            error.starts_with("kernel `copy`: 3 elements do not fit 4; called by kernel `copy_twice` ("),
            "{error}"
        );
        assert!(error.contains("; called by kernel `may_fail` ("), "{error}");
    }
    // A graph has the error where its body runs.
    let captured = stream.capture(|s| k::may_fail(s, &mut x, &mut y, &mut z, 5));
    let error = match device.is_cpu() {
        true => captured.and_then(|graph| graph.launch(stream)).unwrap_err(),
        false => captured.unwrap_err(),
    };
    assert!(matches!(error.innermost(), Error::Library { kernel: "copy", .. }), "{error}");
    assert_eq!(text, error.to_string());
    k::may_fail(stream, &mut x, &mut y, &mut z, 32).unwrap();
    assert_eq!(z.to_vec().unwrap(), [77; N]);
}

pub fn panics_are_panics(device: &Device, stream: &Stream) {
    let panic_of = |launch: &mut dyn FnMut() -> anabranch::Result<()>| {
        let payload = catch_unwind(AssertUnwindSafe(launch)).expect_err("a panic");
        *payload.downcast::<String>().unwrap()
    };
    let mut x = device.buffer_from(&[1u32; N]).unwrap();
    let mut y = device.buffer_from(&[1u32; N]).unwrap();
    assert_eq!(panic_of(&mut || k::panics(stream, &mut x, "at once".into())), "at once, 64 elements");
    for round in 1..4 {
        assert_eq!(panic_of(&mut || k::may_panic(stream, &mut x, &mut y)), "no, 64 elements");
        let rounds = |a: u32| (0..round).fold(1, |x, _| a * x + 1);
        assert_eq!(x.to_vec().unwrap(), [rounds(2); N], "its group ends there");
        if device.is_cpu() {
            assert_eq!(y.to_vec().unwrap(), [rounds(3); N], "the other group ran to its end");
        }
    }
    match device.is_cpu() {
        true => {
            let graph = stream.capture(|s| k::may_panic(s, &mut x, &mut y)).unwrap();
            assert_eq!(panic_of(&mut || graph.launch(stream)), "no, 64 elements");
            assert_eq!(panic_of(&mut || graph.launch(stream)), "no, 64 elements");
        }
        false => {
            let mut capture = || stream.capture(|s| k::may_panic(s, &mut x, &mut y)).map(drop);
            assert_eq!(panic_of(&mut capture), "no, 64 elements");
        }
    }
    // The device works on.
    let mut z = device.zeros(N).unwrap();
    k::copy(stream, &x, &mut z).unwrap();
    assert_eq!(z.to_vec().unwrap(), x.to_vec().unwrap());
}

/// In the body, the stream of a kernel is for the library alone; a clone that is kept is for
/// nobody.
pub fn the_stream_is_lent(device: &Device, stream: &Stream) {
    static KEPT: Mutex<Vec<Stream>> = Mutex::new(Vec::new());
    let everything: k::Body = |stream, x, told| {
        let device = stream.device().clone();
        let host = [5u32; 3];
        let (mut a, b) = (device.zeros(3).unwrap(), device.buffer_from(&host).unwrap());
        let mut pinned = device.pinned::<u32>(3).unwrap();
        let event = device.new_stream().unwrap().record();
        let say = |result: anabranch::Result<()>| told.lock().unwrap().push(result.unwrap_err().to_string());
        say(k::copy(stream, &b, &mut a));
        say(a.fill_async(stream, 1));
        say(b.copy_to_async(stream, &mut pinned));
        say(stream.record().map(drop));
        if let Ok(event) = event {
            say(stream.wait(&event));
        }
        say(stream.capture(|_| Ok(())).map(drop));
        assert_eq!(x.len(), N);
        KEPT.lock().unwrap().push(stream.clone());
    };
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.buffer_from(&[1u32; N]).unwrap());
    let told = k::Told::default();
    k::body(stream, &mut x, told.clone(), everything).unwrap();
    k::bodies(stream, &mut x, &mut y, &told, everything).unwrap();
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![3; N], vec![4; N]));
    let told = std::mem::take(&mut *told.lock().unwrap());
    let what = [
        "a launch, a copy or a fill",
        "a launch, a copy or a fill",
        "a copy from or to pinned memory",
        "recording an event",
        "waiting for an event",
        "a capture",
    ];
    assert_eq!(told.len(), 3 * what.len());
    for (told, what) in told.iter().zip(what.iter().cycle()) {
        let start = format!("{what} is not possible on the stream of a library kernel");
        assert!(told.starts_with(&start), "{told}");
    }
    for kept in KEPT.lock().unwrap().drain(..) {
        assert!(matches!(kept.synchronize(), Err(Error::LentStream { what: "a synchronization" })));
        assert!(matches!(kept.is_idle(), Err(Error::LentStream { .. })));
        assert!(matches!(k::copy(&kept, &x, &mut y), Err(Error::LentStream { .. })));
        assert!(kept.device().is_cpu() == device.is_cpu());
    }
}

/// A library that is not ordered by streams waits for the stream of its place, which tells nobody's
/// panic.
pub fn bodies_can_wait(device: &Device, stream: &Stream) {
    let waits: k::Body = |stream, _, told| {
        let mut told = told.lock().unwrap();
        told.push(format!("{:?} {:?}", stream.synchronize(), stream.is_idle()));
    };
    let (mut x, nothing) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(0).unwrap());
    let told = k::Told::default();
    crate::kernels::ranges::out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
    k::body(stream, &mut x, told.clone(), waits).unwrap();
    assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
    let mut y = device.zeros::<u32>(N).unwrap();
    k::bodies(stream, &mut x, &mut y, &told, waits).unwrap();
    assert_eq!(*told.lock().unwrap(), ["Ok(()) Ok(true)"; 3]);
}

pub fn grids_and_atomics(device: &Device, stream: &Stream) {
    let data = numbers(0, 24);
    let from = device.grid_from(&data, [4, 6]).unwrap();
    let mut to = device.grid_zeros::<u32, 2>([4, 6]).unwrap();
    let mut bins = device.zeros::<u32>(3).unwrap();
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    let host = || std::mem::take(&mut *seen.lock().unwrap());
    k::of_shapes(stream, &from, &mut bins, &mut to, &seen).unwrap();
    assert_eq!((to.to_vec().unwrap(), host()), (data.clone(), vec![4, 6, 6, 1, 6, 1, 3]));
    let mut to = device.grid_zeros::<u32, 2>([4, 6]).unwrap();
    k::shapes(stream, &from.part((1..3, 2..5)), &mut bins, &mut to.part_mut((2..4, ..3)), seen.clone()).unwrap();
    let mut expected = vec![0; 24];
    for (row, at) in [(1, 12), (2, 18)] {
        expected[at..at + 3].copy_from_slice(&data[6 * row + 2..][..3]);
    }
    assert_eq!((to.to_vec().unwrap(), host()), (expected, vec![2, 3, 6, 1, 6, 1, 3]));
    // Only the library of the CPU counts.
    assert_eq!(bins.to_vec().unwrap(), [if device.is_cpu() { 2 } else { 0 }; 3]);
}

pub fn plans_and_sources(_: &Device, _: &Stream) {
    let plan = k::may_fail::plan();
    let text = plan.to_string();
    for line in ["│  ├─ copy(&x[..take], &mut y)  line ", "│  │  └─ library  line ", "  reads from  writes to\n"]
    {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!((k::copy::plan::<u8>().loops(), k::copy::plan::<u8>().streams(), plan.streams()), (0, 0, 2));
    assert!(k::copy::cuda_source::<u8>().contains("a library does its work"));
    assert!(k::pair::cuda_source().contains(", in which a library does the work"), "{}", k::pair::cuda_source());
}
