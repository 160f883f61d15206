use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum Void {}

#[device]
#[derive(Clone, Copy)]
enum Slice<'a> {
    Of(&'a [f32]),
}

#[device]
#[derive(Clone)]
enum Text {
    Long(String),
    Short,
}

#[device]
enum Moved {
    A,
}

#[device]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
enum Same {
    é,
    ue9,
}

#[device]
union Bits {
    int: u32,
    float: f32,
}

fn main() {}
