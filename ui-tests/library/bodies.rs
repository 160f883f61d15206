use anabranch::library::{Input, Output};
use anabranch::prelude::*;
use std::sync::Mutex;

static VIEW: Mutex<Vec<&'static [f32]>> = Mutex::new(Vec::new());

thread_local! {
    static WHOLE: Mutex<Vec<Output<'static, f32>>> = const { Mutex::new(Vec::new()) };
}

#[kernel(library)]
fn keeps_elements(stream: &Stream, x: &[f32]) {
    let _ = stream;
    VIEW.lock().unwrap().extend(x.as_slice());
}

#[kernel(library)]
fn keeps_a_view(stream: &Stream, x: &mut [f32]) {
    let _ = stream;
    WHOLE.with(|whole| whole.lock().unwrap().push(x));
}

#[kernel(library)]
fn keeps_the_stream(stream: &Stream, kept: std::sync::Arc<Mutex<Vec<&'static Stream>>>, x: &[f32]) {
    let _ = x.len();
    kept.lock().unwrap().push(stream);
}

#[kernel(library)]
fn writes_what_it_reads(stream: &Stream, x: &[f32]) {
    let _ = (stream, x.as_mut_ptr());
}

#[kernel(library)]
fn indexes(stream: &Stream, x: &mut [f32]) {
    let _ = stream;
    x[0] = 1.0;
}

#[kernel(library)]
fn two_at_once(stream: &Stream, x: &mut [f32]) {
    let _ = stream;
    let (a, b) = (x.as_mut_slice(), x.as_mut_slice());
    let _ = (a, b);
}

#[kernel(library)]
fn forgets_its_value(stream: &Stream, x: &mut [f32]) -> Result<(), String> {
    let _ = (stream, x.len());
}

fn made(x: Input<'_, f32>) -> usize {
    x.len()
}

fn main() {}
