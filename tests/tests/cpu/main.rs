//! The CPU device against plain Rust: the cases of all devices, and what only the CPU has.

mod blas;
mod sources;

use anabranch::prelude::*;

anabranch_tests::cases!(crate::on);

fn on(case: fn(&Device, &Stream)) {
    let device = Device::cpu();
    case(&device, &device.default_stream());
}
