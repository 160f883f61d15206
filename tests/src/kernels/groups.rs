//! `stream_parallel!` in every place it may stand.

use anabranch::prelude::*;

/// The README's first example: two independent jobs, then one that needs both. A test counts its
/// loops.
#[kernel(fuse = false)]
pub fn step(pos: &mut [f32], vel: &mut [f32], heat: &mut [f32], dt: f32) {
    let n = pos.len();
    stream_parallel! {
        'motion: {
            for i in par(0..n) { pos[i] += vel[i] * dt; }
        }
        'heat: {
            for i in par(0..heat.len()) { heat[i] *= 0.99; }
            for i in par(0..heat.len()) { heat[i] += 0.01; }
        }
    }
    for i in par(0..n) {
        vel[i] -= 0.1 * heat[i % 16] * dt;
    }
}

/// One group panics, if an element is `bad`; the other one does not notice.
#[kernel]
pub fn one_panics(x: &[u32], y: &mut [u32], bad: u32) {
    stream_parallel! {
        'panics: { for i in par(0..x.len()) { assert!(x[i] != bad, "a bad element"); } }
        'works: {
            for i in par(0..y.len()) { y[i] += 1; }
            for i in par(0..y.len()) { y[i] *= 2; }
        }
    }
}

/// Groups without labels, host statements in groups, the length of another group's buffer, host
/// state shared by groups.
#[kernel]
pub fn host_code_in_groups(a: &mut [u64], b: &mut [u64], shared: &[u64], rounds: u32) {
    if rounds == 0 {
        return;
    }
    let name = std::rc::Rc::new(String::from("host values need not be Send"));
    let mut turn = 0;
    stream_parallel! {
        {
            let scale = shared.len() as u64;
            for round in 0..rounds {
                turn += 1;
                let _ = std::rc::Rc::clone(&name);
                for i in par(0..b.len().min(a.len())) { a[i] += turn * scale + shared[i % 2] + round as u64; }
            }
        }
        {
            let twice = turn * 2;
            match rounds {
                1 => { for i in par(0..b.len()) { b[i] = 1; } }
                _ => { for i in par(0..b.len()) { b[i] = twice + shared[0]; } }
            }
        }
    }
}

/// Nested groups, splits outside and inside of groups, a split buffer used whole after the join.
#[kernel]
pub fn nested(x: &mut [f32], y: &mut [f32], mid: usize) {
    let (lo, hi) = x.split_at_mut(mid);
    let (lo0, lo1) = lo.split_at_mut(mid / 2);
    stream_parallel! {
        'lo: {
            for i in par(0..lo0.len()) { lo0[i] += 1.0; }
            stream_parallel! {
                'first: { for i in par(0..lo0.len()) { lo0[i] *= 10.0; } }
                'second: { for i in par(0..lo1.len()) { lo1[i] *= 20.0; } }
            }
            for i in par(0..lo1.len()) { lo1[i] += 100.0; }
        }
        'hi: {
            for i in par(0..hi.len()) { hi[i] += 1000.0; }
            let half = y.len() / 2;
            let (a, b) = y.split_at_mut(half);
            for i in par(0..a.len()) { a[i] += 1.0; }
            for i in par(0..b.len()) { b[i] += 2.0; }
            for i in par(0..y.len()) { y[i] *= 5.0; }
        }
    }
    for i in par(0..x.len()) {
        x[i] += 0.5;
    }
    let (a, b) = if mid > 2 { x.split_at_mut(1) } else { x.split_at_mut(2) };
    stream_parallel! {
        { for i in par(0..a.len()) { a[i] += 0.25; } }
        { for i in par(0..b.len()) { b[i] += 0.125; } }
    }
}

/// A fork in a host loop; each round reads what the last one joined.
#[kernel]
pub fn ping_pong(a: &mut [u32], b: &mut [u32], rounds: usize) {
    for round in 0..rounds {
        stream_parallel! {
            'a: { for i in par(0..a.len()) { a[i] += 1; } }
            'b: { for i in par(0..b.len()) { b[i] += round as u32; } }
        }
        if round % 2 == 0 {
            for i in par(0..a.len()) {
                a[i] += b[i];
            }
        } else {
            for i in par(0..a.len()) {
                b[i] += a[i];
            }
        }
    }
}

/// Two long sequential loops, one a group: Quadrants' acceptance case for overlap.
#[kernel]
pub fn spin(a: &mut [u32], b: &mut [u32], steps: u32) {
    stream_parallel! {
        'a: {
            for i in par(0..a.len()) {
                let mut s = a[i];
                for _ in 0..steps { s = s * 1664525 + 1013904223; }
                a[i] = s;
            }
        }
        'b: {
            for i in par(0..b.len()) {
                let mut s = b[i];
                for _ in 0..steps { s = s * 1664525 + 1013904223; }
                b[i] = s;
            }
        }
    }
}

/// The same loops one after the other.
#[kernel]
pub fn spin_serial(a: &mut [u32], b: &mut [u32], steps: u32) {
    for i in par(0..a.len()) {
        let mut s = a[i];
        for _ in 0..steps {
            s = s * 1664525 + 1013904223;
        }
        a[i] = s;
    }
    for i in par(0..b.len()) {
        let mut s = b[i];
        for _ in 0..steps {
            s = s * 1664525 + 1013904223;
        }
        b[i] = s;
    }
}

/// Six groups of `n` elements each.
#[kernel]
pub fn many_groups(x: &mut [u32], n: usize) {
    let (a, rest) = x.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, rest) = rest.split_at_mut(n);
    let (d, rest) = rest.split_at_mut(n);
    let (e, f) = rest.split_at_mut(n);
    stream_parallel! {
        { for i in par(0..a.len()) { a[i] += 1; } }
        { for i in par(0..b.len()) { b[i] += 2; } }
        { for i in par(0..c.len()) { c[i] += 3; } }
        { for i in par(0..d.len()) { d[i] += 4; } }
        { for i in par(0..e.len()) { e[i] += 5; } }
        { for i in par(0..f.len()) { f[i] += 6; } }
    }
}

/// A copy that takes its time: each thread first counts `steps` up, and reads where the count leads
/// it.
#[kernel]
pub fn slow_copy(to: &mut [u32], from: &[u32], steps: u32) {
    for i in par(0..to.len()) {
        let mut s = i as u32;
        for _ in 0..steps {
            s = s * 1664525 + 1013904223;
        }
        to[i] = from[s as usize % from.len()];
    }
}

crate::kernels::sources! { many_groups, slow_copy, step, one_panics, host_code_in_groups, nested, ping_pong, spin, spin_serial }
