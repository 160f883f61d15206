use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &mut [f32], whole: std::rc::Rc<Buffer<f32>>, part: anabranch::Slice<'_, f32>) {
    copy(&mut x, &*whole, 3);
    copy(&mut x, part, 3);
    copy(&mut x, whole.slice(1..4), 3);
}

fn main() {}
