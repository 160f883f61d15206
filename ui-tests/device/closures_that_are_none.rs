// What closures cannot be and do.
use anabranch::prelude::*;

#[device]
fn half(v: f32) -> f32 {
    v / 2.0
}

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    let g = f;
    f(x)
}

#[device]
fn of_references<F: Fn() -> f32 + Send>(f: impl Fn(&f32) -> f32, g: [F; 2], h: F) -> f32 {
    0.0
}

#[device]
fn calls(x: f32) -> f32 {
    let f: fn(f32) -> f32 = |v| v + 1.0;
    let (a, b) = (|v: f32| v, 1.0);
    apply(move |v| v * x, x) + (0..3).map(|v| { return v; }).sum::<i32>() as f32
}

#[device]
fn by_name(x: f32) -> f32 {
    apply(half, x)
}

mod mine {
    use anabranch::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    pub struct Order(pub bool);

    #[device]
    impl Order {
        pub fn is_gt(self) -> bool {
            self.0
        }
    }
}

#[device]
fn by_an_order_of_ones_own(x: [i32; 3]) -> i32 {
    x.iter().copied().max_by(|a, b| mine::Order(*a > *b)).unwrap_or(0)
}

fn main() {}
