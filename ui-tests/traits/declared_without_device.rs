use anabranch::prelude::*;

trait Area {
    fn area(&self) -> f32;
}

#[kernel]
fn of_a_parameter<A: Area>(a: A, out: &mut [f32]) {
    for i in par(0..out.len()) {
        out[i] = a.area();
    }
}

fn main() {}
