//! Kernels of the library that refuse their arguments panic at the line that launches or calls
//! them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use anabranch::algorithms::{
    Order, compact, matmul, matmul_batched, matmul_with, sort_scratch, sort_with_scratch, transpose, unique_with_scratch,
};
use anabranch::prelude::*;

static PANIC: Mutex<String> = Mutex::new(String::new());

#[kernel]
fn calls(keys: &mut [u32], spare: &mut [u32], scratch: &mut [u32]) {
    for i in par(0..keys.len()) {
        keys[i] = !keys[i];
    }
    sort_with_scratch(&mut keys, Order::Ascending, &mut spare, &mut scratch); // line 19
}

#[track_caller]
fn refused(run: impl FnOnce(), line: u32, says: &str) {
    catch_unwind(AssertUnwindSafe(run)).expect_err("it does not fit");
    let text = PANIC.lock().unwrap().clone();
    assert!(text.contains(&format!("refused_arguments.rs:{line}:")) && text.contains(says), "{text}");
}

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        *PANIC.lock().unwrap() = panic.to_string();
    }));
    let device = Device::cpu();
    let stream = device.default_stream();
    let [mut keys, mut spare] = [(); 2].map(|()| device.zeros::<u32>(5).unwrap());
    let mut scratch = device.zeros(sort_scratch(5) - 1).unwrap();
    let short = "`sort_with_scratch`: `scratch` has ";
    refused(|| sort_with_scratch(&stream, &mut keys, Order::Ascending, &mut spare, &mut scratch).unwrap(), line!(), short);
    refused(|| calls(&stream, &mut keys, &mut spare, &mut scratch).unwrap(), 19, short);
    let capture = |stream: &Stream| sort_with_scratch(stream, &mut keys, Order::Ascending, &mut spare, &mut scratch);
    refused(|| drop(stream.capture(capture)), line!() - 1, short);
    let (from, keep) = (device.zeros::<u8>(3).unwrap(), device.zeros::<bool>(2).unwrap());
    let (mut to, mut kept) = (device.zeros(3).unwrap(), device.zeros(1).unwrap());
    let run = || compact(&stream, &from, &keep, &mut to, &mut kept).unwrap();
    refused(run, line!() - 1, "`compact`: `from` has 3 elements, but `keep` has 2");
    let (mut marks, mut none) = (device.zeros(3).unwrap(), device.zeros(0).unwrap());
    let run = || unique_with_scratch(&stream, &from, &mut to, &mut kept, &mut marks, &mut none).unwrap();
    refused(run, line!() - 1, "`unique_with_scratch`: `scratch` has 0 elements");
    let (a, mut b) = (device.grid_zeros::<f32, 2>([3, 4]).unwrap(), device.grid_zeros([3, 4]).unwrap());
    refused(|| transpose(&stream, &a, &mut b).unwrap(), line!(), "but `to` has [3, 4]");
    refused(|| matmul(&stream, &a, &a, &mut b).unwrap(), line!(), "`matmul`: `a` has 4 columns");
    let sum = closure!(|sum: f32, _: usize, _: usize| sum);
    refused(|| matmul_with(&stream, &a, &a, &mut b, sum).unwrap(), line!(), "`matmul_with`: `a` has 4 columns");
    let (a, mut b) = (device.grid_zeros::<f32, 3>([2, 3, 3]).unwrap(), device.grid_zeros([3, 3, 3]).unwrap());
    refused(|| matmul_batched(&stream, &a, &a, &mut b).unwrap(), line!(), "`c` has 3 matrices, but `a` has 2");
}
