use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Even;

#[device]
#[derive(Clone, Copy)]
struct Odd;

#[device]
impl Even {
    fn of(self, n: u32) -> bool {
        if n == 0 { true } else { Odd.of(n - 1) }
    }
}

#[device]
impl Odd {
    fn of(self, n: u32) -> bool {
        if n == 0 { false } else { Even.of(n - 1) }
    }
}

fn main() {}
