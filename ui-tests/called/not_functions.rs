use anabranch::prelude::*;

trait Consumer {
    fn take<T>(x: T);
}

#[kernel]
fn k<C: Consumer + Copy>(x: &mut [f32], c: &[C]) {
    let closure = |n: usize| n;
    closure(&x);
    C::take(&x);
    <C as Consumer>::take(&x);
    Some(&c);
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn main() {}
