//! Kernels that call kernels.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use anabranch::Grid;
use anabranch::prelude::*;

/// `x = a * x + b`
#[kernel]
pub fn affine(x: &mut [u32], a: u32, b: u32) {
    for i in par(0..x.len()) {
        x[i] = x[i].wrapping_mul(a).wrapping_add(b);
    }
}

/// `y = 10 * y + x`
#[kernel]
pub fn append(y: &mut [u32], x: &[u32]) {
    for i in par(0..y.len()) {
        y[i] = y[i].wrapping_mul(10).wrapping_add(x[i]);
    }
}

/// Two groups, and loops around them.
#[kernel]
pub fn pair(x: &mut [u32], y: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = x[i].wrapping_add(1);
    }
    stream_parallel! {
        'left: { affine(&mut x, 3, 1); }
        'right: { affine(&mut y, 5, 2); }
    }
    append(&mut y, &x);
}

/// Calls alone, in every place where a call can stand.
#[kernel]
pub fn shapes(x: &mut [u32], y: &mut [u32], z: &mut [u32], rounds: u32, deep: bool) {
    affine(&mut x, 2, 1);
    for round in 0..rounds {
        if round % 2 == 0 { affine(&mut (x), 3, round) } else { append(&mut y, &x) }
    }
    stream_parallel! {
        'pair: {
            pair(&mut x, &mut y);
            for i in par(0..x.len()) {
                x[i] = x[i].wrapping_add(y[i]);
            }
        }
        'alone: {
            assert!((0..y.len()).contains(&0));
            match deep {
                true => {
                    let (lo, hi) = z.split_at_mut(z.len() / 2);
                    stream_parallel! {
                        { affine(&mut lo, 7, 3); }
                        { affine(&mut hi, 11, 4); }
                    }
                }
                false => affine(&mut z, 13, 5),
            }
        }
    }
    append(&mut x, &z);
}

/// Parts of slices, and arguments that ask for lengths of what the call borrows.
#[kernel]
pub fn parts(x: &mut [u32], y: &[u32]) {
    affine(&mut x[..2], x.len() as u32, {
        let x = [0; 7];
        x.len() as u32
    });
    affine(&mut x[x.len() - 3..], 1, [x.len() as u32, 0].iter().sum());
    append(&mut x[2..=4], &y[y.len() - 3..]);
    let (lo, hi) = x.split_at_mut(3);
    append(&mut lo, &hi[..lo.len()]);
    affine(&mut x[3..3], 0, 0);
    affine(&mut x, 1, u32::from(format!("{}", x.len()).len() == 1 && format!("{:?}", 0..x.len()) == "0..6"));
    affine(&mut x, 1, u32::from(x.is_empty()));
}

/// A part that may not be there.
#[kernel]
pub fn part(x: &mut [u32], from: usize, to: usize) {
    affine(&mut x[from..to], 1, 1);
}

/// Notes the order in which it is called.
pub fn noted(order: &RefCell<Vec<u32>>, value: u32) -> u32 {
    order.borrow_mut().push(value);
    value
}

/// The arguments are evaluated from left to right, whatever they are.
#[kernel]
pub fn evaluated(x: &mut [u32], order: &RefCell<Vec<u32>>) {
    affine(&mut x[noted(order, 1) as usize..], noted(order, 2) + x.len() as u32, noted(order, 3));
    let twice = |value: u32| noted(order, 2 * value);
    affine(&mut x, twice(2), twice(3));
}

pub mod elsewhere {
    //! Other modules, names and visibilities.

    use anabranch::prelude::*;

    /// In a module.
    pub mod deeper {
        use anabranch::prelude::*;

        /// Only for the module above.
        #[kernel]
        pub(in super::super) fn minus(x: &mut [u32], by: u32) {
            for i in par(0..x.len()) {
                x[i] = x[i].wrapping_sub(by);
            }
        }
    }

    /// A kernel with the name of a keyword.
    #[kernel]
    pub fn r#loop(x: &mut [u32]) {
        for i in par(0..x.len()) {
            x[i] = x[i].wrapping_mul(2);
        }
    }

    pub use deeper as renamed;
}

/// Imports, paths, renames, items of functions, and names that hide others.
#[kernel]
pub fn anywhere(x: &mut [u32]) {
    use elsewhere::renamed::minus as less;
    #[kernel]
    fn inner(x: &mut [u32]) {
        #[kernel]
        fn innermost(x: &mut [u32]) {
            for i in par(0..x.len()) {
                x[i] = x[i].wrapping_add(1000);
            }
        }
        innermost(&mut x);
        self::affine(&mut x, 1, 5);
    }
    less(&mut x, 1);
    elsewhere::deeper::minus(&mut x, 2);
    crate::kernels::called::elsewhere::r#loop(&mut x);
    (elsewhere::r#loop)(&mut x);
    inner(&mut x);
}

/// Of every type.
#[kernel]
pub fn scaled<T: Num>(x: &mut [T], by: T) {
    for i in par(0..x.len()) {
        x[i] *= by;
    }
}

/// With a number.
#[kernel]
pub fn shifted<T: Num, const N: usize>(x: &mut [T], taps: [T; N]) {
    for i in par(0..x.len()) {
        for k in 0..N {
            x[i] += taps[k];
        }
    }
}

/// Generic kernels call each other, with and without arguments.
#[kernel]
pub fn generic<T: Num>(x: &mut [T], two: T) {
    scaled(&mut x, two);
    scaled::<T>(&mut x[..1], two);
    shifted(&mut x, [two, two, two]);
    shifted::<T, 1>(&mut x, [two]);
}

/// Two instances of it.
#[kernel]
pub fn of_two_types(x: &mut [f32], y: &mut [i64]) {
    stream_parallel! {
        { generic(&mut x, 2.0); }
        { generic::<i64>(&mut y, 2); scaled(&mut y, -1); }
    }
}

/// Counts values.
#[kernel]
pub fn count(bins: &[AtomicU32], x: &[u32]) {
    for i in par(0..x.len()) {
        bins[x[i] as usize % bins.len()].fetch_add(1, Ordering::Relaxed);
    }
}

/// Groups share atomics through calls, and plain numbers become atomics in a call.
#[kernel]
pub fn counts(bins: &[AtomicU32], plain: &mut [u32], x: &[u32]) {
    stream_parallel! {
        { count(&bins, &x[..x.len() / 2]); count(&bins, &x); }
        { count(&bins, &x[x.len() / 2..]); }
        { count(&mut plain[1..], &x); }
    }
    twice(&bins, &bins, &x);
}

/// Two names of one slice.
#[kernel]
pub fn twice(a: &[AtomicU32], b: &[AtomicU32], x: &[u32]) {
    for i in par(0..x.len()) {
        a[0].fetch_add(x[i], Ordering::Relaxed);
        b[0].fetch_add(1, Ordering::Relaxed);
    }
}

/// A step of a grid.
#[kernel]
pub fn smooth(to: &mut Grid<f32, 2>, from: &Grid<f32, 2>, edge: f32) {
    let [h, w] = to.shape();
    for (y, x) in par((0..h, 0..w)) {
        to[[y, x]] = if x == 0 { edge } else { from[[y, x - 1]] };
    }
}

/// Grids, and their rows, are lent like slices.
#[kernel]
pub fn grids(a: &mut Grid<f32, 2>, b: &mut Grid<f32, 2>, cube: &mut Grid<u32, 3>) {
    stream_parallel! {
        { smooth(&mut a, &b, a.shape()[1] as f32); }
        { fill(&mut cube, 4); }
    }
    let (top, rest) = b.split_at_mut(1);
    let (first, _) = a.split_at(1);
    smooth(&mut top, &first, rest.shape()[0] as f32);
}

/// A grid of three dimensions.
#[kernel]
pub fn fill(cube: &mut Grid<u32, 3>, by: u32) {
    for (z, y, x) in par((0..cube.shape()[0], 0..cube.shape()[1], 0..cube.shape()[2])) {
        cube[[z, y, x]] += by + x as u32;
    }
}

/// Halves, on and on.
#[kernel]
pub fn halved(x: &mut [u32], level: u32) {
    if x.len() > 1 {
        let (lo, hi) = x.split_at_mut(x.len() / 2);
        stream_parallel! {
            { halved(&mut lo, level + 1); }
            { halved(&mut hi, level + 1); }
        }
    }
    for i in par(0..x.len()) {
        x[i] = x[i].wrapping_mul(10).wrapping_add(level);
    }
}

/// Host parts that call each other.
#[kernel]
pub fn even(x: &mut [u32], rounds: u32) {
    affine(&mut x, 2, 0);
    if rounds > 0 {
        odd(&mut x, rounds - 1);
    }
}

/// See [`even`].
#[kernel]
pub fn odd(x: &mut [u32], rounds: u32) {
    affine(&mut x, 1, 1);
    if rounds > 0 {
        even(&mut x, rounds - 1);
    }
}

/// A callee that returns early, and one whose arguments leave the host part.
#[kernel]
pub fn early(x: &mut [u32], rounds: u32) {
    for round in 0..rounds {
        affine(&mut x, 1, if round == 3 { return } else { round });
    }
    affine(&mut x, 0, 0);
}

/// See [`early`].
#[kernel]
pub fn returns(x: &mut [u32], rounds: u32) {
    early(&mut x, rounds);
    'out: for round in 0..9 {
        affine(
            &mut x,
            1,
            match round {
                2 => break 'out,
                0 => continue,
                other => 100 * other,
            },
        );
    }
}

/// An argument that panics.
#[kernel]
pub fn panics(x: &mut [u32], y: &mut [u32], index: usize) {
    stream_parallel! {
        { affine(&mut x, 1, 1); affine(&mut x, 1, [7][index]); }
        { affine(&mut y, 1, 1); }
    }
    affine(&mut x, 1, 1);
}

/// Reads one element too many if `more` is 1.
#[kernel]
pub fn shorter(x: &mut [u32], y: &[u32], more: usize) {
    for i in par(0..x.len()) {
        x[i] = x[i].wrapping_add(y[i + more]);
    }
}

/// Calls it in a group.
#[kernel]
pub fn middle(x: &mut [u32], y: &[u32], z: &mut [u32], more: usize) {
    stream_parallel! {
        { affine(&mut z, 1, 1); }
        { shorter(&mut x, &y, more); }
    }
    affine(&mut x, 0, 0);
}

/// Calls that.
#[kernel]
pub fn outermost(x: &mut [u32], y: &[u32], z: &mut [u32], more: usize) {
    affine(&mut z, 1, 10);
    middle(&mut x, &y, &mut z, more);
    affine(&mut z, 0, 0);
}

/// Fails on the device.
#[kernel]
pub fn fails(x: &mut [u32], y: &[u32], n: u32) {
    for i in par(0..x.len()) {
        x[i] = y[(y[i] * n) as usize];
    }
}

/// Calls it.
#[kernel]
pub fn calls_what_fails(x: &mut [u32], y: &[u32], z: &mut [u32], n: u32) {
    fails(&mut x, &y, n);
    affine(&mut z, 1, 1);
}

/// One sweep, from one slice to the other.
#[kernel]
pub fn sweep(from: &[u32], to: &mut [u32], round: u32) {
    for i in par(0..from.len()) {
        to[i] = from[i].wrapping_mul(3).wrapping_add(from[(i + 1) % from.len()]).wrapping_add(round);
    }
}

/// Two buffers take turns, in each of the forms, with calls and with loops.
#[kernel]
pub fn double_buffered(a: &mut [u32], b: &mut [u32], rounds: u32) {
    for round in 0..rounds {
        sweep(&a, &mut b, round);
        std::mem::swap(&mut a, &mut b);
    }
    for round in 0..rounds {
        for i in par(0..a.len()) {
            b[i] = a[i].wrapping_mul(3).wrapping_add(a[(i + 1) % a.len()]).wrapping_add(round);
        }
        (a, b) = (b, a);
    }
    for round in 0..rounds {
        let (from, to) = if round % 2 == 0 { (&a, &mut b) } else { (&b, &mut a) };
        sweep(&from, &mut to, round);
    }
    if rounds % 2 == 1 {
        (a, b) = (b, a)
    }
    sweep(&a, &mut b, 0);
}

/// The same in groups, beside others, with names of the groups; three slices go in a circle.
#[kernel]
pub fn swaps_in_groups(a: &mut [u32], b: &mut [u32], x: &mut [u32], y: &mut [u32], z: &mut [u32], even: bool) {
    stream_parallel! {
        {
            let (from, to) = (a, b);
            for round in 0..3 {
                sweep(&from, &mut to, round);
                core::mem::swap(&mut to, &mut from);
            }
            stream_parallel! {
                { affine(&mut from, 1, 100); }
                { affine(&mut to, 1, 200); }
            }
        }
        {
            let (p, q, r) = (x, y, z);
            for round in 0..4 {
                sweep(&p, &mut q, round);
                (p, q, r) = (q, r, p);
            }
            let (from, to) = if even { (&p, &mut q) } else { (&q, &mut r) };
            sweep(&from, &mut to, 9);
        }
    }
}

/// What is only read, parts of different lengths, and atomics change places, too.
#[kernel]
pub fn other_kinds(x: &[u32], y: &[u32], bins: &[AtomicU32], others: &[AtomicU32], out: &mut [u32]) {
    let (lo, hi) = out.split_at_mut(1);
    for round in 0..2 {
        append(&mut lo, &x);
        append(&mut hi[..2], &y);
        count(&bins, &x);
        (x, y) = (y, x);
        std::mem::swap(&mut bins, &mut others);
        if round == 1 {
            std::mem::swap(&mut lo, &mut hi);
        }
    }
    affine(&mut lo, 1, lo.len() as u32);
    let part = &y;
    let first = &mut hi;
    append(&mut first, &part);
}

/// Names of generated code, traits with its methods, and a macro with the name of a kernel.
#[allow(dead_code, reason = "nobody may call them")]
pub mod hostile {
    use anabranch::prelude::*;

    use super::{affine, append};

    trait Everywhere: Sized {
        fn with(self, _: u32, _: u32, _: u32) {
            unreachable!()
        }
        fn __at(self) -> Self {
            unreachable!()
        }
        fn nested(&mut self, _: u32) {
            unreachable!()
        }
        fn root(&self) {
            unreachable!()
        }
        fn instance() {
            unreachable!()
        }
    }
    impl<T> Everywhere for T {}

    macro_rules! affine {
        () => {
            3
        };
    }

    /// Calls with such names.
    #[kernel]
    pub fn names(__ctx: &mut [u32], __call0: &mut [u32], __callee: u32, __place: u32) {
        affine(&mut __ctx, __ctx.len() as u32, __callee);
        append(&mut __call0, &__ctx);
        let affine_of_len = |len: usize| len as u32 * affine!();
        {
            let __views = 5;
            affine(&mut __ctx[..__ctx.len() - 1], affine_of_len(__ctx.len()), __place + __views);
        }
        // A shadowed name is the inner one, also in the arguments.
        let (__ctx, rest) = __ctx.split_at_mut(1);
        affine(
            &mut __ctx,
            1,
            {
                let rest = [0; 7];
                rest.len() as u32
            } + __ctx.len() as u32,
        );
        affine(&mut rest, 1, rest.len() as u32);
    }
}

/// The sources of generic kernels.
pub fn typed() -> Vec<crate::kernels::Source> {
    vec![
        source!("scaled<f32>", scaled, f32),
        source!("shifted<i64, 3>", shifted, i64, 3),
        source!("generic<f64>", generic, f64),
    ]
}

use hostile::names;

super::sources!(
    affine,
    append,
    pair,
    shapes,
    parts,
    part,
    evaluated,
    anywhere,
    of_two_types,
    count,
    counts,
    twice,
    smooth,
    grids,
    fill,
    halved,
    even,
    odd,
    early,
    returns,
    panics,
    shorter,
    middle,
    outermost,
    fails,
    calls_what_fails,
    sweep,
    double_buffered,
    swaps_in_groups,
    other_kinds,
    names,
);
