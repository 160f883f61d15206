use anabranch::prelude::*;

#[kernel(library)]
fn a_loop(stream: &Stream, x: &mut [f32]) {
    let _ = stream;
    for i in par(0..x.len()) {
        let _ = i;
    }
}

#[kernel(library)]
fn groups(stream: &Stream, x: &mut [f32]) {
    let _ = (stream, x.len());
    stream_parallel! {
        { a_loop(&mut x); }
    }
}

fn main() {}
