use anabranch::prelude::*;

// The macro's `x` is not the caller's, whatever it is called.
macro_rules! kernel_over {
    ($x:ident) => {
        #[kernel]
        fn k($x: &mut [f32], y: &mut [f32], z: &mut [f32], n: usize) {
            stream_parallel! {
                'a: {
                    let x = y;
                    for i in par(0..n) { $x[i] = 1.0; }
                }
                'b: {
                    let x = z;
                    for i in par(0..n) { $x[i] = 2.0; }
                }
            }
        }
    };
}
kernel_over!(x);

fn main() {}
