//! Names of std, of the prelude and of generated code, all taken by the user.
#![deny(warnings)]
#![allow(non_snake_case, non_camel_case_types, non_upper_case_globals, dead_code, unused_macros)]

mod core {}
mod std {}
struct Num;
struct Float;
struct At;
struct Option;
struct Some;
struct None;
struct Ok;
struct Fn;
struct FnMut;
macro_rules! derive { () => {} }
macro_rules! offset_of { () => {} }
struct Iterator;
struct Sized;
struct String;
struct PhantomData;
struct Slots;
enum f32x {}
fn panic() {}
fn drop() {}
fn typed() {}
macro_rules! assert { () => {} }
macro_rules! unreachable { () => {} }
macro_rules! panic { () => {} }
macro_rules! line { () => {} }
macro_rules! file { () => {} }

use ::anabranch::{Buffer, Device, Stream, device, kernel};

const i: usize = 3;
const x: f32 = 1.0;
static n: usize = 3;

#[device]
fn device(ab: f32, t0: f32, int: u32, __callee: u32, ctx: bool) -> f32 {
    let class = ab + t0;
    let r#struct = class * 2.0;
    let template = if ctx { r#struct } else { 0.0 };
    let größe = template + int as f32 + __callee as f32;
    let __w0 = größe;
    let a = __w0;
    let b = a;
    { let this = b; this }
}

/// The name of a function that generated code has beside an operator.
mod operators {
    use super::device;

    #[device]
    fn is(value: u32) -> u32 { value + 1 }

    #[device]
    #[derive(Clone, Copy)]
    struct Number(u32);

    #[device]
    impl ::std::ops::Add for Number {
        type Output = Number;
        fn add(self, other: Number) -> Number { Number(is(self.0) + other.0) }
    }
}

#[kernel]
fn stream(stream: &mut [f32], ctx: &[f32], ab_cx: u32, __args: f32, r#fn: f32, ß: f32) {
    let uses = stream.len();
    let call = uses;
    let views = call;
    stream_parallel! {
        'stream: {
            for trips in par(0..views) {
                let chunk = ctx[trips];
                let row = chunk + __args;
                let __t = row + r#fn + ß;
                let covered = match trips { threadIdx => threadIdx };
                let (value, __value) = (__t, covered);
                stream[trips] = device(value, 1.0, ab_cx, 2, true) + __value as f32;
            }
        }
    }
}

/// Names of C++, and of generated C++.
#[device]
#[derive(Clone, Copy)]
struct types {
    types: constants,
    device: f32,
    constants: constants,
    arity: [constants; 2],
    NULL: u8,
}

#[device]
#[derive(Clone, Copy)]
struct constants {
    constants: f32,
    marker: ::std::marker::PhantomData<Self>,
}

#[kernel]
fn structs(types: &mut [types], float: constants) {
    for array in par(0..types.len()) {
        types[array].types = constants { constants: types[array].device, ..float };
        types[array].arity[1] = types[array].types;
    }
}

fn main() {
    let on = Device::cpu();
    let mut buffer: Buffer<f32> = on.buffer_from(&[0.0; 4]).unwrap();
    let other = on.buffer_from(&[1.0; 4]).unwrap();
    let queue: Stream = on.default_stream();
    stream(&queue, &mut buffer, &other, 1, 2.0, 3.0, 4.0).unwrap();
    let expected: Vec<f32> = (0u8..4).map(|t| ((1.0 + 2.0 + 3.0 + 4.0) + 1.0) * 2.0 + 3.0 + f32::from(t)).collect();
    assert_eq(buffer.to_vec().unwrap(), expected);
    let first = constants { constants: 1.0, marker: ::std::marker::PhantomData };
    let all = types { types: first, device: 2.0, constants: first, arity: [first; 2], NULL: 0 };
    let mut many = on.filled(2, all).unwrap();
    structs(&queue, &mut many, first).unwrap();
    assert_eq(many.to_vec().unwrap().iter().map(|t| t.arity[1].constants).collect(), vec![2.0, 2.0]);
    assert!();
    let _ = (i, x, n);
}

fn assert_eq(a: Vec<f32>, b: Vec<f32>) {
    if a != b {
        ::std::process::exit(1);
    }
}
