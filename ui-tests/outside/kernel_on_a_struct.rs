use anabranch::prelude::*;

#[kernel]
struct Field;

fn main() {}
