//! Loops whose results tell in which order they ran: no step commutes with its neighbours. Each
//! takes as long as its delay says, so that whoever does not wait for it comes too early.

#![allow(clippy::while_immutable_condition, reason = "a group that launches nothing")]

use anabranch::prelude::*;

/// Delays of the groups of a kernel, in steps.
pub type Delays = [u32; 8];

/// `x`, after counting `steps` forward and back again.
#[device]
pub fn late(x: u32, steps: u32) -> u32 {
    let mut s = x;
    for _ in 0..steps {
        s = s * 1664525 + 1013904223;
    }
    for _ in 0..steps {
        s = (s - 1013904223) * 4276115653; // the inverse of 1664525
    }
    s
}

/// `x = x a + b`.
#[kernel]
pub fn affine(x: &mut [u32], a: u32, b: u32, delay: u32) {
    for i in par(0..x.len()) {
        x[i] = late(x[i], delay) * a + b;
    }
}

/// `to = 10 to + from`.
#[kernel]
pub fn append(to: &mut [u32], from: &[u32], delay: u32) {
    for i in par(0..to.len()) {
        to[i] = late(to[i], delay) * 10 + from[i];
    }
}

/// `affine` in two groups, each with scalars of its own.
#[kernel]
pub fn affine_pair(x: &mut [u32], y: &mut [u32], a: u32, b: u32, delay: u32) {
    stream_parallel! {
        'x: { for i in par(0..x.len()) { x[i] = late(x[i], delay) * a + b; } }
        'y: { for i in par(0..y.len()) { y[i] = late(y[i], delay) * b + a; } }
    }
}

/// Several loops a group, some of them in host loops. A test counts them.
#[kernel(fuse = false)]
pub fn loops_in_order(x: &mut [u32], y: &mut [u32], delay: u32) {
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) { x[i] = late(x[i], delay) + 1; }
            for i in par(0..x.len()) { x[i] *= 3; }
            for i in par(0..x.len()) { x[i] += 5; }
            for i in par(0..x.len()) { x[i] *= x[i]; }
        }
        'y: {
            for k in 1..4u32 {
                for i in par(0..y.len()) { y[i] = late(y[i], delay) * 7; }
                for i in par(0..y.len()) { y[i] += k; }
            }
        }
    }
}

/// Three blocks without anything between them; each group reads what another group of the block
/// before has written.
#[kernel]
pub fn back_to_back(x: &mut [u32], y: &mut [u32], p: &mut [u32], q: &mut [u32], delay: u32) {
    stream_parallel! {
        'x: { for i in par(0..x.len()) { x[i] = late(x[i], delay) + 1; } }
        'y: { for i in par(0..y.len()) { y[i] = y[i] * 3 + 1; } }
    }
    stream_parallel! {
        'p: { for i in par(0..p.len()) { p[i] = p[i] * 10 + y[i]; } }
        'q: { for i in par(0..q.len()) { q[i] = late(q[i], delay) * 10 + x[i]; } }
    }
    stream_parallel! {
        'x: { for i in par(0..x.len()) { x[i] = x[i] * 5 + q[i]; } }
        'y: { for i in par(0..y.len()) { y[i] = y[i] * 7 + p[i]; } }
    }
}

/// Loops before, between and after two blocks, each of which needs the one before it.
#[kernel]
pub fn before_between_after(x: &mut [u32], y: &mut [u32], z: &mut [u32], delay: u32) {
    for i in par(0..z.len()) {
        z[i] = late(z[i], delay) + 1;
    }
    stream_parallel! {
        { for i in par(0..x.len()) { x[i] = late(x[i], delay) * 3 + z[i]; } }
        { for i in par(0..y.len()) { y[i] = y[i] * 5 + z[i]; } }
    }
    for i in par(0..z.len()) {
        z[i] = x[i] * 2 + y[i];
    }
    stream_parallel! {
        { for i in par(0..x.len()) { x[i] += z[i]; } }
        { for i in par(0..y.len()) { y[i] = late(y[i], delay) * z[i]; } }
    }
    for i in par(0..z.len()) {
        z[i] = z[i] * 11 + x[i] * y[i];
    }
}

/// A block of a single group.
#[kernel]
pub fn one_group(x: &mut [u32], delay: u32) {
    for i in par(0..x.len()) {
        x[i] = late(x[i], delay) + 1;
    }
    stream_parallel! {
        'alone: { for i in par(0..x.len()) { x[i] = late(x[i], delay) * 3; } }
    }
    for i in par(0..x.len()) {
        x[i] += 1;
    }
}

/// Groups that launch nothing, because their range is empty or their loop is not met, beside one
/// that works; then only such.
#[kernel]
pub fn idle_groups(x: &mut [u32], y: &mut [u32], z: &mut [u32], work: bool, delay: u32) {
    let mut met = 0;
    stream_parallel! {
        'empty: { for i in par(0..met) { x[i] = 1; } }
        'works: { for i in par(0..y.len()) { y[i] = late(y[i], delay) + 1; } }
        'perhaps: {
            met += 1;
            if work { for i in par(0..z.len()) { z[i] += 100; } }
        }
    }
    stream_parallel! {
        'empty: { for i in par(met..met) { x[i] = 1; } }
        'never: { for _ in 1..met { for i in par(0..z.len()) { z[i] = 1; } } }
    }
    for i in par(0..y.len()) {
        y[i] = y[i] * 2 + z[i];
    }
}

/// Two levels of blocks: the inner join comes before the outer one.
#[kernel]
pub fn inner_join(x: &mut [u32], y: &mut [u32], z: &mut [u32], delay: u32) {
    stream_parallel! {
        'outer: {
            for i in par(0..x.len()) { x[i] = late(x[i], delay) + 1; }
            stream_parallel! {
                'x: { for i in par(0..x.len()) { x[i] = late(x[i], delay) * 3; } }
                'y: { for i in par(0..y.len()) { y[i] = late(y[i], delay) * 5; } }
            }
            for i in par(0..x.len()) { x[i] += 2 * y[i]; }
        }
        'beside: { for i in par(0..z.len()) { z[i] = late(z[i], delay) * 7 + 1; } }
    }
    for i in par(0..z.len()) {
        z[i] = z[i] * 11 + x[i];
    }
}

/// Eight groups, each with a part of `out`, read what a loop before them has written.
#[kernel]
pub fn fan_out(source: &mut [u32], out: &mut [u32], delays: Delays) {
    let n = source.len();
    let (a, rest) = out.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, rest) = rest.split_at_mut(n);
    let (d, rest) = rest.split_at_mut(n);
    let (e, rest) = rest.split_at_mut(n);
    let (f, rest) = rest.split_at_mut(n);
    let (g, h) = rest.split_at_mut(n);
    for i in par(0..n) {
        source[i] = late(source[i], delays[0]) * 3 + 1;
    }
    stream_parallel! {
        { for i in par(0..n) { a[i] = late(a[i], delays[0]) * 3 + source[i] * 2; } }
        { for i in par(0..n) { b[i] = late(b[i], delays[1]) * 3 + source[i] * 3; } }
        { for i in par(0..n) { c[i] = late(c[i], delays[2]) * 3 + source[i] * 4; } }
        { for i in par(0..n) { d[i] = late(d[i], delays[3]) * 3 + source[i] * 5; } }
        { for i in par(0..n) { e[i] = late(e[i], delays[4]) * 3 + source[i] * 6; } }
        { for i in par(0..n) { f[i] = late(f[i], delays[5]) * 3 + source[i] * 7; } }
        { for i in par(0..n) { g[i] = late(g[i], delays[6]) * 3 + source[i] * 8; } }
        { for i in par(0..n) { h[i] = late(h[i], delays[7]) * 3 + source[i] * 9; } }
    }
}

/// Five groups, each with a part of `parts`, and a loop that reads them all.
#[kernel]
pub fn fan_in(parts: &mut [u32], sum: &mut [u32], delays: Delays) {
    let n = sum.len();
    let (a, rest) = parts.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, rest) = rest.split_at_mut(n);
    let (d, e) = rest.split_at_mut(n);
    stream_parallel! {
        { for i in par(0..n) { a[i] = late(a[i], delays[0]) * 3 + 1; } }
        { for i in par(0..n) { b[i] = late(b[i], delays[1]) * 5 + 1; } }
        { for i in par(0..n) { c[i] = late(c[i], delays[2]) * 7 + 1; } }
        { for i in par(0..n) { d[i] = late(d[i], delays[3]) * 9 + 1; } }
        { for i in par(0..n) { e[i] = late(e[i], delays[4]) * 11 + 1; } }
    }
    for i in par(0..n) {
        for k in 0..5 {
            sum[i] = sum[i] * 31 + parts[k * n + i];
        }
    }
}

/// One loop, four groups behind it, one loop behind them: twice, on the same buffers.
#[kernel]
pub fn diamond(x: &mut [u32], parts: &mut [u32], delays: Delays) {
    let n = x.len();
    let (a, rest) = parts.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, d) = rest.split_at_mut(n);
    for round in 0..2usize {
        for i in par(0..n) {
            x[i] = late(x[i], delays[round]) * 5 + 1;
        }
        stream_parallel! {
            { for i in par(0..n) { a[i] = late(a[i], delays[0]) * 3 + x[i]; } }
            { for i in par(0..n) { b[i] = late(b[i], delays[1]) * 5 + x[i]; } }
            { for i in par(0..n) { c[i] = late(c[i], delays[2]) * 7 + x[i]; } }
            { for i in par(0..n) { d[i] = late(d[i], delays[3]) * 9 + x[i]; } }
        }
        for i in par(0..n) {
            x[i] = x[i] + a[i] * 3 + b[i] * 5 + c[i] * 7 + d[i] * 11;
        }
    }
}

/// Two blocks of six groups without anything between them. In each a group reads what the group
/// after it has written in the block before.
#[kernel]
pub fn exchange(x: &mut [u32], y: &mut [u32], delays: Delays) {
    let n = x.len() / 6;
    let (x0, rest) = x.split_at_mut(n);
    let (x1, rest) = rest.split_at_mut(n);
    let (x2, rest) = rest.split_at_mut(n);
    let (x3, rest) = rest.split_at_mut(n);
    let (x4, x5) = rest.split_at_mut(n);
    let (y0, rest) = y.split_at_mut(n);
    let (y1, rest) = rest.split_at_mut(n);
    let (y2, rest) = rest.split_at_mut(n);
    let (y3, rest) = rest.split_at_mut(n);
    let (y4, y5) = rest.split_at_mut(n);
    stream_parallel! {
        { for i in par(0..n) { y0[i] = late(y0[i], delays[0]) * 3 + x1[i]; } }
        { for i in par(0..n) { y1[i] = late(y1[i], delays[1]) * 3 + x2[i]; } }
        { for i in par(0..n) { y2[i] = late(y2[i], delays[2]) * 3 + x3[i]; } }
        { for i in par(0..n) { y3[i] = late(y3[i], delays[3]) * 3 + x4[i]; } }
        { for i in par(0..n) { y4[i] = late(y4[i], delays[4]) * 3 + x5[i]; } }
        { for i in par(0..n) { y5[i] = late(y5[i], delays[5]) * 3 + x0[i]; } }
    }
    stream_parallel! {
        { for i in par(0..n) { x0[i] = late(x0[i], delays[3]) * 5 + y1[i]; } }
        { for i in par(0..n) { x1[i] = late(x1[i], delays[4]) * 5 + y2[i]; } }
        { for i in par(0..n) { x2[i] = late(x2[i], delays[5]) * 5 + y3[i]; } }
        { for i in par(0..n) { x3[i] = late(x3[i], delays[6]) * 5 + y4[i]; } }
        { for i in par(0..n) { x4[i] = late(x4[i], delays[7]) * 5 + y5[i]; } }
        { for i in par(0..n) { x5[i] = late(x5[i], delays[0]) * 5 + y0[i]; } }
    }
}

/// One stage of a pipeline: four groups, each of which reads where its neighbour in the stage
/// before has written.
#[kernel]
pub fn stage(from: &[u32], to: &mut [u32], delays: Delays) {
    let n = to.len() / 4;
    let (a, rest) = to.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, d) = rest.split_at_mut(n);
    stream_parallel! {
        { for i in par(0..n) { a[i] = late(a[i], delays[0]) * 3 + from[1 * n + i]; } }
        { for i in par(0..n) { b[i] = late(b[i], delays[1]) * 3 + from[2 * n + i]; } }
        { for i in par(0..n) { c[i] = late(c[i], delays[2]) * 3 + from[3 * n + i]; } }
        { for i in par(0..n) { d[i] = late(d[i], delays[3]) * 3 + from[0 * n + i]; } }
    }
}

/// Three groups at the same time. The one in the middle divides, indexes, asserts or panics, by
/// number; from 4 on it works. Behind it, in its group, stands another loop.
#[kernel]
pub fn one_group_fails(which: u32, before: &mut [u32], out: &mut [u32], after: &mut [u32], zero: u32, delay: u32) {
    stream_parallel! {
        'before: { for i in par(0..before.len()) { before[i] = late(before[i], delay) + 1; } }
        'fails: {
            for i in par(0..out.len()) {
                match which {
                    0 => out[i] = out[out.len()],
                    1 => out[i] = (out[i] + 1) / zero,
                    2 => assert!(zero == 1, "zero is not one"),
                    3 => panic!("as asked for"),
                    _ => out[i] += 1,
                }
            }
            for i in par(0..out.len()) { out[i] = late(out[i], delay) + zero; }
        }
        'after: {
            for i in par(0..after.len()) { after[i] = late(after[i], delay) * 3; }
            for i in par(0..after.len()) { after[i] += 1; }
        }
    }
}

/// Nothing, or a panic of the host part.
fn refuse(way: &str) {
    assert!(way != "panic", "the host part gives up");
}

/// Groups that the host part can leave early: by a panic, by a step of zero, or on the way to the
/// end of the last one.
#[kernel]
pub fn leave(way: &str, x: &mut [u32], y: &mut [u32], delay: u32) {
    let step = if way == "step" { 0 } else { 1 };
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) { x[i] = late(x[i], delay) + 1; }
            stream_parallel! {
                'inner: { for i in par(0..x.len()) { x[i] = late(x[i], delay) * 2; } }
            }
        }
        'y: {
            for i in par(0..y.len()) { y[i] = late(y[i], delay) + 1; }
            refuse(way);
            for i in par(0..y.len()).step_by(step) { y[i] *= 3; }
        }
    }
}

/// Groups within a group that the host part leaves early, from the second of the inner ones; each
/// loop has a digit of its own.
#[kernel]
pub fn leave_inner(way: &str, x: &mut [u32], y: &mut [u32], z: &mut [u32], delay: u32) {
    let step = if way == "step" { 0 } else { 1 };
    stream_parallel! {
        'outer: {
            for i in par(0..x.len()) { x[i] = late(x[i], delay) * 10 + 1; }
            stream_parallel! {
                'before: { for i in par(0..y.len()) { y[i] = late(y[i], delay) * 10 + 2; } }
                'leaves: {
                    for i in par(0..z.len()) { z[i] = late(z[i], delay) * 10 + 3; }
                    refuse(way);
                    for i in par(0..z.len()).step_by(step) { z[i] = z[i] * 10 + 4; }
                }
            }
            for i in par(0..y.len()) { y[i] = y[i] * 10 + 5; }
        }
    }
    for i in par(0..x.len()) {
        x[i] = x[i] * 10 + 6;
    }
}

crate::kernels::sources! {
    affine, append, affine_pair, loops_in_order, back_to_back, before_between_after, one_group, idle_groups, inner_join,
    fan_out, fan_in, diamond, exchange, stage, one_group_fails, leave, leave_inner,
}
