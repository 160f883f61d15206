use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let v = x[i];
        assert!(v > 1.0, "x is {v}");
        assert_eq!(v, 2.0, "element {}", i);
        panic!("at {}", i);
    }
}

fn main() {}
