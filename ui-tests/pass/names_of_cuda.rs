//! Names that get an error of their own where they mean nothing, and names that macros and
//! attributes have, too.

use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Dim3 {
    x: usize,
}

#[allow(non_upper_case_globals)]
const threadIdx: Dim3 = Dim3 { x: 1 };

mod cuda {
    use anabranch::prelude::*;

    #[allow(non_upper_case_globals)]
    pub const blockDim: [usize; 2] = [10, 20];

    #[device]
    pub fn thread_idx(of: usize) -> usize {
        of + 100
    }

    #[device]
    pub fn atomic_add<T: Num>(x: &mut T, y: T) -> T {
        *x = *x + y;
        *x
    }

    #[device]
    pub fn map(f: impl Fn(f32) -> f32, x: &[f32]) -> f32 {
        f(x[0])
    }

    /// Has the name of a function.
    macro_rules! of_numbers {
        () => {};
    }
    pub(crate) use of_numbers as sqrt;
}
use cuda::map as apply;
use cuda::{atomic_add, blockDim};

mod numbers {
    use anabranch::prelude::*;

    #[device]
    pub fn sqrt(x: f32) -> f32 {
        x + 0.5
    }
}
use numbers::*;

macro_rules! barrier {
    () => {};
}

#[device]
fn barrier(x: f32) -> f32 {
    x
}

#[allow(unused_imports)]
mod both {
    pub(crate) use super::cuda::sqrt;
    use super::numbers::sqrt;
    use anabranch::prelude::*;

    #[device]
    pub fn twice(x: f32) -> f32 {
        sqrt(x) * 2.0
    }
}

/// Names that attributes have, too.
mod attributes {
    use anabranch::prelude::*;

    #[device]
    pub fn path(x: f32) -> f32 {
        x + 3.0
    }

    #[device]
    fn cold(x: f32) -> f32 {
        r#path(x)
    }

    #[device]
    pub fn test(x: f32) -> f32 {
        cold(path(x))
    }
}

/// A closure may have the name of `par`, and its result a method.
#[kernel]
fn named_par(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let par = |v: f32| v * 2.0;
        x[i] = par(x[i]).sqrt();
    }
}

fn main() -> anabranch::Result<()> {
    use cuda::thread_idx;

    barrier!();
    cuda::sqrt!();

    #[device]
    fn line(x: f32) -> f32 {
        x + 1.0
    }

    #[kernel]
    fn k(x: &mut [f32], y: &[f32]) {
        for i in par(0..x.len()) {
            let mut sum = 1.0;
            let added = atomic_add(&mut sum, 2.0);
            let index = thread_idx(threadIdx.x) + blockDim[1] + threadIdx.x;
            x[i] = line(barrier(index as f32)) + added + sqrt(apply(|v| v * 2.0, y)) + both::twice(0.0) + attributes::test(0.0);
        }
    }

    let device = Device::cpu();
    let (mut x, y) = (device.zeros::<f32>(1)?, device.buffer_from(&[8.0])?);
    k(&device.default_stream(), &mut x, &y)?;
    assert_eq!(x.to_vec()?, [101.0 + 20.0 + 1.0 + 1.0 + 3.0 + 16.5 + 1.0 + 6.0]);
    Ok(())
}
