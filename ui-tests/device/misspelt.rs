use anabranch::prelude::*;

#[device]
fn wave(x: f32) -> f32 {
    x.sin()
}

mod math {
    use anabranch::prelude::*;

    #[device]
    pub fn ramp(x: f32) -> f32 {
        x
    }
}

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = wafe(x[i]) + nothing_like_it();
    }
}

#[device]
fn of_a_module(x: f32) -> f32 {
    math::rampe(x)
}

/// A device function that nobody has imported.
#[device]
fn not_imported(x: f32) -> f32 {
    ramp(x)
}

fn main() {}
