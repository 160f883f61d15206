use anabranch::prelude::*;

const FORMAT: &str = "{}";

/// What rustc says of a format string, and what the macro says of its arguments.
#[kernel]
fn k(x: &mut [f32], y: &[f32], all: &[[u8; 2]]) {
    for i in par(0..x.len()) {
        println!(FORMAT, i);
        println!(concat!("{}", "{}"), i, i);
        println!("{y:?} {:?}", &y[1..]);
        assert!(x[i] > 1.0, i);
        dbg!(y);
        x[i] = all[i][0] as f32;
    }
}

fn main() {}
