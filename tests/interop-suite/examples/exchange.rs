//! Memory changes hands between anabranch and other libraries, in all ways that a GPU has.
//! `tests/standin/sweep` lets each call of the driver fail once: this then ends with an error, and
//! nothing is unordered or freed twice. What cudarc has just allocated stays behind where it cannot
//! create the events of the slice, and its context where it cannot ask for an attribute.

use std::error::Error;
use std::sync::Arc;

use anabranch::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use anabranch::cudarc::{lend, lend_mut};
use anabranch::prelude::*;
use anabranch_interop_suite::{affine, double};

const N: usize = 100;
static ONES: [u32; N] = [1; N];

fn main() -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    let home = context.new_stream()?;
    let device = Device::from_cudarc(&context)?;
    let stream = device.new_stream()?;

    let mut x = home.clone_htod(&ONES)?;
    lend_mut(&device, &mut x, |x| affine(&stream, x, 2, 1, 3))?;
    let mut y = device.zeros::<u32>(N)?;
    lend(&device, &x, |x| double(&stream, x, &mut y))?;
    home.memset_zeros(&mut x)?;
    check("lent", &y.to_vec()?, 30)?;

    let mut z = Buffer::from_cudarc(x)?;
    affine(&stream, &mut z, 2, 1, 3)?;
    let x = z.into_cudarc()?;
    check("back", &read(&home, &x)?, 7)?;

    // SAFETY: the view is used on its home only.
    unsafe { y.with_cudarc_mut(&home, |mut y| Ok(home.memset_zeros(&mut y)))?? };
    affine(&stream, &mut y, 1, 5, 1)?;
    // SAFETY: the view is used on its home only.
    let copy = unsafe { y.with_cudarc(&home, |y| Ok(home.clone_dtod(&y)))?? };
    check("copy", &read(&home, &copy)?, 5)?;

    let theirs = device.stream_from_cudarc(&home)?;
    affine(&theirs, &mut y, 1, 1, 1)?;
    drop((theirs, home, context));
    affine(&stream, &mut y, 1, 1, 1)?;
    let tensor = y.into_dlpack()?;
    // SAFETY: nobody else has the tensor, and no work is queued for it.
    let mut y = unsafe { Buffer::<u32>::from_dlpack(&device, tensor)? };
    affine(&stream, &mut y, 1, 1, 1)?;
    check("tensor", &y.to_vec()?, 8)?;

    let mut kept = Buffer::from_cudarc(x)?;
    let graph = stream.capture(|stream| affine(stream, &mut kept, 2, 1, 1))?;
    graph.launch(&stream)?;
    drop(kept);
    drop(graph);
    println!("passed");
    Ok(())
}

fn read(home: &Arc<CudaStream>, slice: &CudaSlice<u32>) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut values = vec![0; N];
    let copied = home.memcpy_dtoh(slice, &mut values);
    // The copy may be in progress, also if the call says that it has failed.
    if home.synchronize().is_err() {
        home.context().synchronize()?;
    }
    copied?;
    Ok(values)
}

fn check(what: &str, values: &[u32], expected: u32) -> Result<(), String> {
    if values.iter().all(|value| *value == expected) { Ok(()) } else { Err(format!("{what}: {values:?}")) }
}
