use anabranch::prelude::*;
#[kernel]
fn closure_of_the_host(x: &mut [f32], k: f32) {
    let scale = |v: f32| v * k;
    for i in par(0..x.len()) {
        x[i] = scale(x[i]);
    }
}
#[kernel]
fn tuple_for_a_grid(x: &mut Grid<f32, 2>) {
    let [h, w] = x.shape();
    for (i, j) in par((0..h, 0..w)) {
        x[(i, j)] = 1.0;
    }
}
#[kernel]
fn array_for_a_slice(to: &mut [f32], h: usize, w: usize) {
    for (y, x) in par((0..h, 0..w)) {
        to[[y, x]] = 1.0;
    }
}
type Field = [f32];
#[kernel]
fn alias(x: &mut Field) {
    for i in par(0..10) {
        x[i] = 1.0;
    }
}
#[kernel]
fn ranges_in_the_host_part(x: &mut [f32], n: usize) {
    let a = &mut x[..n];
    let b = &mut x[n..];
    stream_parallel! { { for i in par(0..a.len()) { a[i] = 1.0; } } { for i in par(0..b.len()) { b[i] = 1.0; } } }
}
#[kernel]
fn more_than_a_reduction(out: &mut [f32], x: &[f32]) {
    out[0] = par(0..x.len()).map(|i| x[i]).sum() / 3.0;
}
#[kernel]
fn scan_without_a_loop(out: &mut [f32], x: &[f32]) {
    out = par(0..x.len()).inclusive_sum(|i| x[i]);
}
#[kernel]
fn filter(out: &mut [usize], x: &[f32]) {
    out[0] = par(0..x.len()).filter(|i| x[*i] > 0.0).count();
}
#[kernel]
fn added_to_a_sum(out: &mut [f32], x: &[f32]) {
    out[0] += par(0..x.len()).map(|i| x[i]).sum() / 3.0;
}
fn main() {}
