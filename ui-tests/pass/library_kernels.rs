//! Library kernels in odd places, with odd names and odd types.
#![deny(warnings)]
#![allow(dead_code, reason = "what is not called must compile, too")]

use anabranch::prelude::*;
use std::fmt::Debug;

mod other {
    /// Names of generated code.
    pub struct Input;
    pub struct Output;
    pub trait Outcome {
        fn outcome(&self) {}
        fn same(&self) {}
        fn library(&self) {}
        fn lend(&self) {}
    }
    impl<T: ?Sized> Outcome for T {}
    pub fn outcome() {}
    pub fn value() {}
    pub static COUNT: u32 = 1;
}
use other::*;

type Done = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Documented.
#[kernel(library)]
#[inline]
pub fn scaled<'s, T: Float, const N: usize>(stream: &'s Stream, x: &[T], y: &mut [T], by: [T; N], mut name: &'static str) -> Done
where
    T: Debug,
{
    let (Some(x), Some(y)) = (x.as_slice(), y.as_mut_slice()) else { return Err("not on the CPU".into()) };
    let _: &'s Device = stream.device();
    for (i, (y, x)) in y.iter_mut().zip(x).enumerate() {
        *y = *x * by[i % N];
    }
    name = name.trim();
    if name.is_empty() { Err(format!("{:?} {}", by, COUNT))? }
    Ok(())
}

#[kernel(library)]
#[allow(non_snake_case)]
fn names(r#type: &Stream, x: &mut [u32], stream: u32, __measured: u32, values: impls::Value, MEASURED: u32) {
    struct Inner(u32);
    let Inner(added) = Inner(stream + __measured + values.0 + MEASURED);
    let _ = r#type;
    if let Some(x) = x.as_mut_slice() {
        x.iter_mut().for_each(|x| *x += added);
    }
}

mod impls {
    #[derive(Clone)]
    pub struct Value(pub u32);
    impl Value {
        pub fn same(&self) -> u32 {
            0
        }
    }
}

#[kernel(library)]
fn nothing(_: &Stream) {}

#[kernel(library)]
fn diverges(_: &Stream, _: &[u8]) -> anabranch::Result<()> {
    unreachable!("nobody calls it")
}

macro_rules! makes {
    ($name:ident($x:ident: $ty:ty) $body:block) => {
        #[kernel(library)]
        pub(crate) fn $name(_: &Stream, $x: &mut [$ty]) $body
    };
}
makes!(ones(x: u32) { x.as_mut_slice().expect("on the CPU").fill(1) });

#[kernel]
fn caller(x: &[f32], y: &mut [f32], z: &mut [u32]) {
    #[kernel(library)]
    fn inside(_: &Stream, z: &mut [u32]) {
        if let Some([first, ..]) = z.as_mut_slice() {
            *first = 100;
        }
    }
    stream_parallel! {
        { scaled::<f32, 2>(&x, &mut y, [2.0, 3.0], "a name"); }
        {
            ones(&mut z);
            names(&mut z, 1, 2, impls::Value(3), 0);
            inside(&mut z);
            for i in par(0..z.len()) { z[i] *= 2; }
        }
    }
    scaled(&x, &mut y[..1], [5.0; 1], " b ");
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
    let (mut y, mut z) = (device.zeros(3)?, device.zeros(2)?);
    caller(&stream, &x, &mut y, &mut z)?;
    assert_eq!((y.to_vec()?, z.to_vec()?), (vec![5.0, 6.0, 6.0], vec![200, 14]));
    nothing(&stream)?;
    let error = scaled(&stream, &x, &mut y, [1.0f32; 3], " ").unwrap_err();
    assert_eq!(error.to_string(), "kernel `scaled`: [1.0, 1.0, 1.0] 1");
    Ok(())
}
