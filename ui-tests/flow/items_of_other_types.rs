// What rustc says of iterators.
use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Own {
    x: [f32; 3],
}

#[device]
impl Own {
    fn iter(self) -> f32 {
        self.x[0]
    }
}

#[device]
fn own(own: Own, n: u32) -> f32 {
    for v in &own {
        let _ = *v;
    }
    let m = n.iter().count();
    own.iter().map(|v| *v).sum()
}

#[device]
fn best(x: &[f32]) -> f32 {
    let most = x.iter().copied().max();
    most.unwrap_or(0.0)
}

fn main() {}
