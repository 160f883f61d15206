use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    let later = |n: usize| copy(&mut x, &y, n);
    later(3);
    for i in par(0..{
        copy(&mut x, &y, 1);
        3
    }) {
        x[i] = 1.0;
    }
    copy(&mut x, &y, {
        copy(&mut x, &y, 1);
        3
    });
    copy(&mut x, &y, {
        for i in par(0..3) {
            x[i] = 1.0;
        }
        3
    });
    assert!(copy(&mut x, &y, 3) == ());
    #[allow(unused)]
    copy(&mut x, &y, 3);
    #[cfg(unix)]
    copy(&mut x, &y, 3);
    copy(#[cfg(unix)] &mut x, (#[allow(unused)] &y), 3);
    copy(&mut x, &#[cfg_attr(unix, allow(unused))] y, 3);
}

fn main() {}
