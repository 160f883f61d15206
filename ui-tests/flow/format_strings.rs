use anabranch::prelude::*;

/// No `Debug` and no `Display`.
#[device]
#[derive(Clone, Copy)]
struct Silent(u32);

/// Only rustc knows what is wrong.
#[kernel]
fn k(x: &mut [f32], silent: Silent) {
    for i in par(0..x.len()) {
        let width = 5u32;
        println!("{} {}", i);
        println!("{}", i, x[i]);
        println!("{i", );
        println!("{i:#q} {i:width$}");
        println!("{missing}");
        println!("{silent:?} {}", silent);
        assert_eq!(x[i], 1.0, "{:x}", x[i]);
        dbg!(silent);
    }
}

fn main() {}
