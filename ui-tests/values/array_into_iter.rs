// The elements of an array, taken out.
use anabranch::prelude::*;
#[device]
#[derive(Clone, Copy)]
struct V {
    x: f32,
}
impl std::iter::Sum for V {
    fn sum<I: Iterator<Item = V>>(it: I) -> V {
        it.fold(V { x: 0.0 }, |a, b| V { x: a.x + b.x })
    }
}
#[kernel]
fn k(y: &mut [f32]) {
    for i in par(0..y.len()) {
        let v: V = [V { x: 1.0 }; 3].into_iter().sum();
        y[i] = v.x;
    }
}
fn main() {}
