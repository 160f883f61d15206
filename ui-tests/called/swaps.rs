use anabranch::prelude::*;

#[kernel]
fn kinds(a: &mut [f32], b: &[f32], bins: &[std::sync::atomic::AtomicU32], counts: &[u32], g: &anabranch::Grid<f32, 2>) {
    std::mem::swap(&mut a, &mut b);
    (a, b) = (b, a);
    (bins, counts) = (counts, bins);
    core::mem::swap(&mut b, &mut g);
    let (from, to) = if a.len() == 3 { (&a, &b) } else { (&b, &mut a) };
    for i in par(0..from.len()) {
        to[i] = from[i];
    }
}

#[kernel]
fn forms(a: &mut [f32], b: &mut [f32], c: &mut [f32]) {
    a = b;
    (a, b) = (b, c);
    (a, b) = (a, a);
    (a, _) = (b, a);
    let later = || std::mem::swap(&mut a, &mut b);
    later();
    let x = &mut a[1..];
    for i in par(0..a.len()) {
        a[i] = 1.0;
    }
}

#[kernel]
fn groups(a: &mut [f32], b: &mut [f32], c: &mut [f32]) {
    stream_parallel! {
        {
            for i in par(0..a.len()) { b[i] = a[i]; }
            (a, b) = (b, a);
        }
        {
            let (one, two) = c.split_at_mut(3);
            stream_parallel! {
                {
                    std::mem::swap(&mut one, &mut two);
                    for i in par(0..one.len()) { one[i] = 1.0; }
                }
            }
        }
    }
}

#[kernel]
fn at_the_end(a: &mut [f32], b: &mut [f32], c: &mut [f32], odd: bool) {
    std::mem::swap(&mut a, &mut b);
    for i in par(0..a.len()) {
        b[i] = a[i];
    }
    let c_len = {
        (a, c) = (c, a);
        c.len()
    };
    if odd {
        std::mem::swap(&mut a, &mut b);
    }
    let last = c_len + c.len();
    stream_parallel! {
        {
            let (one, two) = c.split_at_mut(last);
            for i in par(0..one.len()) { one[i] = 1.0; }
            (one, two) = (two, one);
        }
    }
}

fn main() {}
