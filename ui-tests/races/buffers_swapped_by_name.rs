// Which of two slices a name means is decided by the host, and the choice borrows both.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], steps: usize) {
    for step in 0..steps {
        let (from, to) = if step % 2 == 0 { (x, y) } else { (y, x) };
        stream_parallel! {
            'clear: {
                for i in par(0..from.len()) {
                    from[i] = 0.0;
                }
            }
            'copy: {
                for i in par(0..to.len()) {
                    to[i] = from[i];
                }
            }
        }
    }
}

fn main() {}
