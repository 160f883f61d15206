use anabranch::prelude::*;

#[device]
fn f(x: u32, y: u32) -> u32 {
    x + y
}

#[kernel]
fn operands(x: &mut [u32], n: u32) {
    for i in par(0..x.len()) {
        loop {
            x[i] = f(1, break);
        }
        let q: u32 = panic!("no");
        x[i] += n.min({ continue });
        x[i] = if n > 2 { 3 } else { continue };
        let ok = n > 1 || panic!("it has a type");
        let t = (1, unreachable!());
        x[i] = match n {
            0 => panic!("in an arm"),
            _ if ok => 3,
            _ => f(q, t.0),
        };
    }
}

#[device]
fn result(x: u32) -> u32 {
    x + return 3
}

fn main() {}
