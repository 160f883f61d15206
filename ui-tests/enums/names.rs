use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum Kind {
    A,
    B(u32),
    C { x: u32 },
}

mod mine {
    #[allow(non_snake_case)]
    pub fn Some(x: u32) -> Option<u32> {
        std::option::Option::Some(x + 1)
    }
}

#[kernel]
fn function_called_like_a_variant(x: &mut [u32]) {
    use mine::Some;
    for i in par(0..x.len()) {
        let y = Some(x[i]);
        x[i] = 1;
    }
}

#[kernel]
fn variant_that_is_not_there(x: &mut [u32]) {
    for i in par(0..x.len()) {
        let kind = Kind::D;
    }
}

#[kernel]
fn pattern_that_is_not_there(x: &mut [u32], kind: Kind) {
    for i in par(0..x.len()) {
        if let Kind::D(y) = kind {
            x[i] = y;
        }
    }
}

#[kernel]
fn not_all_variants(x: &mut [u32], kind: Kind) {
    for i in par(0..x.len()) {
        x[i] = match kind {
            Kind::A => 1,
            Kind::B(n) => n,
        };
    }
}

#[kernel]
fn too_many_fields(x: &mut [u32], kind: Kind) {
    for i in par(0..x.len()) {
        if let Kind::B(a, b) = kind {
            x[i] = a + b;
        }
    }
}

fn main() {}
