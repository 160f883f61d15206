// Operators of references, as on the host.
use anabranch::prelude::*;
use std::ops::Sub;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[device]
#[derive(Clone, Copy)]
struct V {
    x: f32,
}
#[device]
impl Sub<&V> for &V {
    type Output = V;
    fn sub(self, o: &V) -> V {
        V { x: self.x - o.x }
    }
}
#[device]
impl V {
    fn dot(self, o: V) -> f32 {
        self.x * o.x
    }
}
#[kernel]
fn k(a: &[V], b: &[V], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let d = a[i] - b[i];
        y[i] = d.dot(d);
    }
}
fn main() {}
