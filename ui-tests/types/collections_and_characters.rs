use anabranch::prelude::*;
use std::collections::HashMap;

#[kernel]
fn distinct(x: &[u32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        let mut seen = HashMap::new();
        seen.insert(x[i], i);
        y[i] = seen.len() as u32;
    }
}

#[kernel]
fn letters(x: &[u8], y: &mut [bool]) {
    for i in par(0..y.len()) {
        y[i] = (x[i] as char).is_alphabetic();
    }
}

#[kernel]
fn squares(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = x[i].pow(2);
    }
}

fn main() {}
