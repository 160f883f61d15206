//! Kernels that call kernels do what one kernel with all their loops would do.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch::Error;
use anabranch::prelude::*;

use crate::kernels::called as k;

fn numbers(from: u32, len: u32) -> Vec<u32> {
    (from..from + len).collect()
}

/// The kernels of this file as functions of vectors.
mod plain {
    pub(super) fn affine(x: &mut [u32], a: u32, b: u32) {
        x.iter_mut().for_each(|x| *x = x.wrapping_mul(a).wrapping_add(b));
    }

    pub(super) fn append(y: &mut [u32], x: &[u32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = y.wrapping_mul(10).wrapping_add(*x));
    }

    pub(super) fn pair(x: &mut [u32], y: &mut [u32]) {
        affine(x, 1, 1);
        affine(x, 3, 1);
        affine(y, 5, 2);
        append(y, x);
    }

    pub(super) fn shapes(x: &mut [u32], y: &mut [u32], z: &mut [u32], rounds: u32, deep: bool) {
        affine(x, 2, 1);
        for round in 0..rounds {
            if round % 2 == 0 { affine(x, 3, round) } else { append(y, x) }
        }
        pair(x, y);
        x.iter_mut().zip(y).for_each(|(x, y)| *x = x.wrapping_add(*y));
        if deep {
            let (lo, hi) = z.split_at_mut(z.len() / 2);
            affine(lo, 7, 3);
            affine(hi, 11, 4);
        } else {
            affine(z, 13, 5);
        }
        append(x, z);
    }
}

pub fn shapes(device: &Device, stream: &Stream) {
    for (rounds, deep) in [(0, false), (3, true), (4, false)] {
        let [mut x, mut y, mut z] = [1, 100, 1000].map(|from| numbers(from, 97));
        let [mut on_x, mut on_y, mut on_z] = [&x, &y, &z].map(|data| device.buffer_from(data).unwrap());
        for _ in 0..2 {
            plain::shapes(&mut x, &mut y, &mut z, rounds, deep);
            k::shapes(stream, &mut on_x, &mut on_y, &mut on_z, rounds, deep).unwrap();
        }
        assert_eq!([on_x, on_y, on_z].map(|data| data.to_vec().unwrap()), [x, y, z], "{rounds} rounds, {deep}");
    }
}

/// A graph holds the loops of all kernels, in the groups of their callers.
pub fn captured(device: &Device, stream: &Stream) {
    let [mut x, mut y, mut z] = [1, 100, 1000].map(|from| numbers(from, 33));
    let [mut on_x, mut on_y, mut on_z] = [&x, &y, &z].map(|data| device.buffer_from(data).unwrap());
    let graph = stream.capture(|s| k::shapes(s, &mut on_x, &mut on_y, &mut on_z, 2, true)).unwrap();
    assert_eq!(on_x.to_vec().unwrap(), x, "capturing runs nothing");
    for _ in 0..3 {
        graph.launch(stream).unwrap();
        plain::shapes(&mut x, &mut y, &mut z, 2, true);
    }
    assert_eq!([on_x, on_y, on_z].map(|data| data.to_vec().unwrap()), [x, y, z]);
    let dot = graph.dot();
    assert_eq!(graph.stats().sub_kernels, 11, "{dot}");
    assert!(dot.contains(r#"label="append\nfor i in par(0..y.len())"#), "{dot}");
}

pub fn parts_and_lengths(device: &Device, stream: &Stream) {
    let (mut x, y) = (numbers(1, 6), numbers(50, 5));
    let (mut on_x, on_y) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
    plain::affine(&mut x[..2], 6, 7);
    plain::affine(&mut x[3..], 1, 6);
    plain::append(&mut x[2..=4], &y[2..]);
    let (lo, hi) = x.split_at_mut(3);
    plain::append(lo, hi);
    plain::affine(&mut x, 1, 1);
    k::parts(stream, &mut on_x, &on_y).unwrap();
    assert_eq!(on_x.to_vec().unwrap(), x);
    // A range that is not inside panics, as in plain Rust.
    for (from, to) in [(3, 7), (4, 3), (0, usize::MAX)] {
        let panicked = catch_unwind(AssertUnwindSafe(|| k::part(stream, &mut on_x, from, to))).unwrap_err();
        let message = panicked.downcast::<String>().unwrap();
        assert_eq!(*message, format!("range {from}..{to} is not inside 6 `u32`"));
    }
    k::part(stream, &mut on_x, 6, 6).unwrap();
    assert_eq!(on_x.to_vec().unwrap(), x);
}

pub fn values_are_evaluated_once_and_in_order(device: &Device, stream: &Stream) {
    let order = RefCell::default();
    let mut x = device.buffer_from(&[1u32, 2, 3]).unwrap();
    k::evaluated(stream, &mut x, &order).unwrap();
    assert_eq!(order.into_inner(), [1, 2, 3, 4, 6]);
    assert_eq!(x.to_vec().unwrap(), [10, (2 * 5 + 3) * 4 + 6, (3 * 5 + 3) * 4 + 6]);
}

pub fn kernels_anywhere(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[10u32, 20]).unwrap();
    k::anywhere(stream, &mut x).unwrap();
    assert_eq!(x.to_vec().unwrap(), [10u32, 20].map(|x| (x - 3) * 4 + 1005));
}

pub fn generic(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&[1.5f32, 3.0]).unwrap(), device.buffer_from(&[5i64, 7]).unwrap());
    k::of_two_types(stream, &mut x, &mut y).unwrap();
    assert_eq!(x.to_vec().unwrap(), [14.0, 14.0]);
    assert_eq!(y.to_vec().unwrap(), [-28, -22]);
    k::generic(stream, &mut y, 1).unwrap();
    assert_eq!(y.to_vec().unwrap(), [-24, -18]);
}

pub fn atomics_are_handed_on(device: &Device, stream: &Stream) {
    let mut bins = device.zeros::<u32>(4).unwrap();
    let mut plain = device.zeros::<u32>(5).unwrap();
    let x = device.buffer_from(&numbers(0, 64)).unwrap();
    k::counts(stream, &mut bins, &mut plain, &x).unwrap();
    assert_eq!(bins.to_vec().unwrap(), [32 + 63 * 32 + 64, 32, 32, 32]);
    assert_eq!(plain.to_vec().unwrap(), [0, 16, 16, 16, 16]);
}

pub fn grids_are_lent(device: &Device, stream: &Stream) {
    let mut a = device.grid_zeros::<f32, 2>([2, 3]).unwrap();
    let mut b = device.grid_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]).unwrap();
    let mut cube = device.grid_zeros::<u32, 3>([2, 1, 2]).unwrap();
    k::grids(stream, &mut a, &mut b, &mut cube).unwrap();
    assert_eq!(a.to_vec().unwrap(), [3.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(b.to_vec().unwrap(), [1.0, 3.0, 1.0, 4.0, 5.0, 6.0]);
    assert_eq!(cube.to_vec().unwrap(), [4, 5, 4, 5]);
}

pub fn recursion(device: &Device, stream: &Stream) {
    fn halved(x: &mut [u32], level: u32) {
        if x.len() > 1 {
            let (lo, hi) = x.split_at_mut(x.len() / 2);
            halved(lo, level + 1);
            halved(hi, level + 1);
        }
        x.iter_mut().for_each(|x| *x = x.wrapping_mul(10).wrapping_add(level));
    }
    let mut x = numbers(0, 13);
    let mut on_device = device.buffer_from(&x).unwrap();
    k::halved(stream, &mut on_device, 1).unwrap();
    halved(&mut x, 1);
    assert_eq!(on_device.to_vec().unwrap(), x);
    let mut x = device.buffer_from(&[1u32]).unwrap();
    k::even(stream, &mut x, 4).unwrap();
    assert_eq!(x.to_vec().unwrap(), [14]);
    // Compiling stops at what is compiled already.
    k::even::prepare(device).unwrap();
}

pub fn ways_out(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[1u32, 2]).unwrap();
    k::returns(stream, &mut x, 3).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 0].map(|x| x + 100), "`early` runs to its end");
    k::returns(stream, &mut x, 9).unwrap();
    assert_eq!(x.to_vec().unwrap(), [203, 203], "a `return` in an argument leaves the callee's caller alone");
    // Before the panic, the loops of both groups on a GPU have been queued in order: those in front
    // of the call have run, those behind have not.
    let [mut x, mut y] = [1u32, 2].map(|x| device.buffer_from(&[x]).unwrap());
    assert!(catch_unwind(AssertUnwindSafe(|| k::panics(stream, &mut x, &mut y, 1))).is_err());
    assert_eq!([&x, &y].map(|x| x.to_vec().unwrap()), [[2], [2]]);
    k::panics(stream, &mut x, &mut y, 0).unwrap();
    assert_eq!([&x, &y].map(|x| x.to_vec().unwrap()), [[11], [3]]);
}

pub fn errors_name_the_callers(device: &Device, stream: &Stream) {
    let [mut x, y, mut z] = [4, 4, 3].map(|len| device.zeros::<u32>(len).unwrap());
    k::outermost(stream, &mut x, &y, &mut z, 0).unwrap();
    let error = k::outermost(stream, &mut x, &y, &mut z, 1).unwrap_err();
    let Error::OutOfBounds { kernel, index, len, .. } = error.innermost() else { panic!("{error}") };
    assert_eq!((*kernel, *index, *len), ("shorter", 4, 4));
    let Error::Called { error: inner, by, line, file, .. } = &error else { panic!("{error}") };
    assert_eq!((*by, file.ends_with("called.rs")), ("outermost", true));
    assert!(matches!(&**inner, Error::Called { by: "middle", line: other, .. } if other != line), "{inner}");
    let text = error.to_string();
    let callers = text.split_once("; called by kernel `middle` (").map(|(_, callers)| callers).unwrap_or_default();
    assert!(callers.contains("); called by kernel `outermost` ("), "{text}");
    // An error that no other kernel has led to.
    let error = k::shorter(stream, &mut x, &y, 1).unwrap_err();
    assert!(matches!(&error, Error::OutOfBounds { .. }) && std::ptr::eq(error.innermost(), &error), "{error}");
    // A panic of device code is that of the kernel that has the loop.
    let y = device.buffer_from(&[1u32; 4]).unwrap();
    k::calls_what_fails(stream, &mut x, &y, &mut z, 4).unwrap();
    let error = stream.synchronize().unwrap_err();
    assert!(matches!(&error, Error::KernelPanic { kernel: "fails", .. }), "{error}");
    // In a capture, the closure gets the error.
    let failed = stream.capture(|s| k::outermost(s, &mut x, &y, &mut z, 1));
    assert!(matches!(failed, Err(Error::Called { .. })), "{failed:?}");
}

/// What comes before a refused loop has run, in callers as in callees, and nothing behind it.
pub fn nothing_runs_after_an_error(device: &Device, stream: &Stream) {
    let [mut x, y, mut z] = [4, 4, 3].map(|len| device.buffer_from(&vec![1u32; len]).unwrap());
    k::outermost(stream, &mut x, &y, &mut z, 1).unwrap_err();
    assert_eq!(x.to_vec().unwrap(), [1; 4], "neither the refused loop nor the one behind the group");
    assert_eq!(z.to_vec().unwrap(), [12; 3], "the loops of both kernels before it");
    stream.synchronize().unwrap();
}

pub fn plans_and_sources(_: &Device, _: &Stream) {
    let plan = k::middle::plan();
    assert_eq!((plan.loops(), plan.accesses().count(), plan.streams()), (0, 0, 2));
    assert_eq!(plan.calls().map(|plan| plan.kernel()).collect::<Vec<_>>(), ["affine", "shorter", "affine"]);
    let text = format!("{plan:#}");
    let lines: Vec<&str> = text.lines().map(|line| line.split("  line ").next().unwrap_or_default()).collect();
    assert_eq!(
        lines[1..],
        [
            "├─ stream_parallel",
            "│  ├─ group 1",
            "│  │  └─ affine(&mut z, 1, 1)",
            "│  │     └─ for i in par(0..x.len())",
            "│  │        x[i]  read, proved",
            "│  │        x[i]  written, proved",
            "│  └─ group 2",
            "│     └─ shorter(&mut x, &y, more)",
            "│        └─ for i in par(0..x.len())",
            "│           x[i]  read, proved",
            "│           y[i + more]  read, decided at the launch",
            "│           x[i]  written, proved",
            "└─ affine(&mut x, 0, 0)",
            "   └─ for i in par(0..x.len())",
            "      x[i]  read, proved",
            "      x[i]  written, proved",
        ]
    );
    // Recursion is shown once.
    let text = k::even::plan().to_string();
    let lines: Vec<&str> = text.lines().map(|line| line.split("  line ").next().unwrap_or_default()).collect();
    assert_eq!(lines.iter().filter(|line| line.contains("odd(&mut x, rounds - 1)")).count(), 1, "{text}");
    assert!(
        text.lines().any(|line| line.contains("even(&mut x, rounds - 1)") && line.ends_with(" (as above)")),
        "{text}"
    );
    assert_eq!(k::halved::plan().streams(), 2);
    assert_eq!(k::shapes::plan().streams(), 6);
    // A callee of a generic kernel is an instance.
    assert_eq!(k::generic::plan::<f32>().calls().count(), 4);
    let source = k::middle::cuda_source();
    assert!(source.contains("// calls the kernel `shorter`, ") && !source.contains("__global__"), "{source}");
}

fn swept(from: &[u32], round: u32) -> Vec<u32> {
    let next = from.iter().cycle().skip(1);
    from.iter().zip(next).map(|(x, next)| x.wrapping_mul(3).wrapping_add(*next).wrapping_add(round)).collect()
}

/// The buffers `[a, b]` after `double_buffered`.
fn double_buffered(mut a: Vec<u32>, mut b: Vec<u32>, rounds: u32) -> [Vec<u32>; 2] {
    for round in (0..rounds).chain(0..rounds) {
        b = swept(&a, round);
        (a, b) = (b, a);
    }
    for round in 0..rounds {
        if round % 2 == 0 { b = swept(&a, round) } else { a = swept(&b, round) }
    }
    // The names are where they were after an even number of swaps, and so is the last one.
    if rounds % 2 == 1 { [swept(&b, 0), b] } else { [a.clone(), swept(&a, 0)] }
}

pub fn slices_change_places(device: &Device, stream: &Stream) {
    for rounds in [0, 1, 2, 5] {
        let [a, b] = [3, 400].map(|from| numbers(from, 41));
        let [mut on_a, mut on_b] = [&a, &b].map(|data| device.buffer_from(data).unwrap());
        k::double_buffered(stream, &mut on_a, &mut on_b, rounds).unwrap();
        let expected = double_buffered(a, b, rounds);
        assert_eq!([&on_a, &on_b].map(|data| data.to_vec().unwrap()), expected, "{rounds} rounds");
        // The addresses of a graph are those of the capture, after each swap.
        let graph = stream.capture(|s| k::double_buffered(s, &mut on_a, &mut on_b, rounds)).unwrap();
        graph.launch(stream).unwrap();
        graph.launch(stream).unwrap();
        let expected = (0..2).fold(expected, |[a, b], _| double_buffered(a, b, rounds));
        assert_eq!([on_a, on_b].map(|data| data.to_vec().unwrap()), expected, "{rounds} rounds, two replays");
    }
}

pub fn places_in_groups(device: &Device, stream: &Stream) {
    for even in [true, false] {
        let mut all = [1, 20, 300, 4000, 50000].map(|from| numbers(from, 17));
        let mut buffers = all.each_ref().map(|data| device.buffer_from(data).unwrap());
        let [a, b, x, y, z] = &mut buffers;
        k::swaps_in_groups(stream, a, b, x, y, z, even).unwrap();
        let [a, b, x, y, z] = &mut all;
        (*b, *a) = (swept(&swept(&swept(a, 0), 1), 2), swept(&swept(a, 0), 1));
        plain::affine(b, 1, 100);
        plain::affine(a, 1, 200);
        *y = swept(x, 0);
        *z = swept(y, 1);
        *x = swept(z, 2);
        *y = swept(x, 3);
        if even {
            *z = swept(y, 9)
        } else {
            *x = swept(z, 9)
        }
        assert_eq!(buffers.map(|data| data.to_vec().unwrap()), all, "{even}");
    }
}

pub fn places_of_other_kinds(device: &Device, stream: &Stream) {
    let [x, y] = [1, 5].map(|from| device.buffer_from(&numbers(from, 3)).unwrap());
    let [mut bins, mut others, mut out] = [8, 8, 3].map(|len| device.zeros::<u32>(len).unwrap());
    k::other_kinds(stream, &x, &y, &mut bins, &mut others, &mut out).unwrap();
    assert_eq!(bins.to_vec().unwrap(), [0, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(others.to_vec().unwrap(), [0, 0, 0, 0, 0, 1, 1, 1]);
    // `lo` and `hi` have changed places: the name `lo` is the part with two elements.
    assert_eq!(out.to_vec().unwrap(), [(10 + 5) * 10 + 5, 51 + 2, 62 + 2]);
}

pub fn names_of_generated_code(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[1u32, 2, 3]).unwrap();
    let mut y = device.buffer_from(&[1u32, 1, 1]).unwrap();
    k::hostile::names(stream, &mut x, &mut y, 4, 6).unwrap();
    assert_eq!(y.to_vec().unwrap(), [10 + 7, 10 + 10, 10 + 13]);
    assert_eq!(x.to_vec().unwrap(), [7 * 9 + 11 + 8, 10 * 9 + 11 + 2, 13 + 2]);
}
