use anabranch::prelude::*;

struct Handle;

#[kernel(library)]
fn no_stream(x: &mut [f32], n: usize) {
    let _ = (x.len(), n);
}

#[kernel(library)]
fn nothing_at_all() {}

#[kernel(library)]
fn stream_by_value(stream: Stream, x: &mut [f32]) {
    let _ = (stream, x.len());
}

#[kernel(library)]
fn borrows(stream: &Stream, handle: &Handle, name: &'static str, x: &mut [f32]) {
    let _ = (stream, handle, name, x.len());
}

#[kernel(library, bounds = "proved")]
fn bounds(stream: &Stream, x: &mut [f32]) {
    let _ = (stream, x.len());
}

#[kernel(library = true)]
fn with_a_value(stream: &Stream, x: &mut [f32]) {
    let _ = (stream, x.len());
}

#[device(library)]
fn device_function(x: f32) -> f32 {
    x
}

#[kernel(library)]
async fn later(stream: &Stream, x: &mut [f32]) {
    let _ = (stream, x.len());
}

impl Handle {
    #[kernel(library)]
    fn method(&self, stream: &Stream, x: &mut [f32]) {
        let _ = (stream, x.len());
    }
}

fn main() {}
