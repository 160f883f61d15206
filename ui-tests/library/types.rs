use std::cell::Cell;
use std::rc::Rc;

use anabranch::prelude::*;

#[derive(Debug)]
struct NoError;

#[kernel(library)]
fn another_stream(stream: &Device, x: &mut [f32]) {
    let _ = (stream, x.len());
}

#[kernel(library)]
fn a_value(stream: &Stream, x: &mut [f32]) -> usize {
    let _ = stream;
    x.len()
}

#[kernel(library)]
fn no_error(stream: &Stream, x: &mut [f32]) -> Result<(), NoError> {
    let _ = (stream, x.len());
    Err(NoError)
}

#[kernel(library)]
fn of_one_thread(stream: &Stream, shared: Rc<usize>, cell: std::sync::Arc<Cell<u32>>, x: &mut [f32]) {
    let _ = (stream, shared, cell, x.len());
}

struct Once;

#[kernel(library)]
fn not_cloned(stream: &Stream, once: Once, x: &mut [f32]) {
    let _ = (stream, once, x.len());
}

#[kernel(library)]
fn elements(stream: &Stream, x: &mut [String]) {
    let _ = (stream, x.len());
}

fn main() {}
