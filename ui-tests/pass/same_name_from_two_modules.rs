//! A type and a function of one name from different modules: every device calls the `#[device]`
//! function.

use anabranch::prelude::*;

mod waves {
    use anabranch::prelude::*;

    #[device]
    pub fn wave(x: f32) -> f32 {
        x + 1.0
    }
}
use waves::*;

/// Hides the function of the glob import, but not the type beside it.
fn wave(x: f32) -> f32 {
    x + 100.0
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = wave(x[i]);
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(1)?;
    k(&device.default_stream(), &mut x)?;
    assert_eq!(x.to_vec()?, [1.0]);
    assert!(k::cuda_source().contains("(x + 1.0f)"), "{}", k::cuda_source());
    assert_eq!(wave(0.0), 100.0);
    Ok(())
}
