//! The crate under another name: by a re-export, and for the whole crate, as a rename in the
//! manifest does.

extern crate anabranch as renamed;

mod reexport {
    pub use anabranch as gpu;
}
use renamed::Device;

#[reexport::gpu::device(crate = crate::reexport::gpu)]
fn twice(x: f32) -> f32 {
    x * 2.0
}

macro_rules! structs {
    ($($name:ident $ty:ty),*) => { $(
        #[reexport::gpu::device(crate = $crate::reexport::gpu)]
        #[derive(Clone, Copy)]
        struct $name($ty);
    )* };
}
structs! { Unit f32, Other Unit }

#[reexport::gpu::kernel(crate = crate::reexport::gpu)]
fn by_reexport(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = Other(Unit(twice(x[i]) + 1.0)).0.0;
    }
}

#[renamed::kernel(crate = ::renamed)]
fn by_renaming(x: &mut [f32]) {
    renamed::stream_parallel! {
        { for i in renamed::par(0..x.len()) { x[i] += 1.0; } }
    }
}

fn main() -> renamed::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = device.buffer_from(&[1.0, 2.0])?;
    by_reexport(&stream, &mut x)?;
    by_renaming(&stream, &mut x)?;
    assert_eq!(x.to_vec()?, [4.0, 6.0]);
    Ok(())
}
