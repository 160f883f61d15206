use anabranch::prelude::*;

fn plain(x: &[f32], n: usize) {
    let _ = (x, n);
}

fn generic<T>(x: T) {
    let _ = x;
}

#[device]
fn first(x: &[f32]) -> f32 {
    x[0]
}

#[device]
fn same<T: Num>(x: &[T]) -> T {
    x[0]
}

struct Wrapped<T>(T);

#[kernel]
fn k(x: &mut [f32]) {
    plain(&x, 3);
    generic(&mut x);
    first(&x);
    same(&x);
    std::mem::drop(&x);
    missing(&x);
    Wrapped(&x);
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn main() {}
