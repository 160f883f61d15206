//! The first GPU against plain Rust: the cases of all devices, and what only a GPU can show.
//!
//! Where there is no device, every test skips and says so. Where there is one, none does: a device
//! that cannot be opened is a failure.

/// A kernel whose tokens are in this file, for a test of [`panics`].
macro_rules! kernel_that_fails {
    ($name:ident) => {
        #[kernel]
        fn $name(x: &mut [u32], y: &[u32]) {
            for i in par(0..x.len()) {
                let at = y[i]; // first
                x[i] = y[at as usize]; // second
            }
        }
    };
}

mod cache;
mod contraction;
mod foreign;
mod life;
mod lines;
mod overlap;
mod panics;
mod pool;
mod ranges_beyond;
mod threads;

use std::process::Command;
use std::sync::{Mutex, MutexGuard};

use anabranch::prelude::*;
use anabranch_tests::gpus;

anabranch_tests::cases!(crate::on);

fn on(case: fn(&Device, &Stream)) {
    if let Some(gpu) = gpu() {
        case(gpu.device(), &gpu.device().default_stream());
    }
}

/// The device, for one test at a time: a panic of device code is reported to whoever waits next,
/// and times and pools are measured undisturbed.
struct Gpu(MutexGuard<'static, Option<Device>>);

impl Gpu {
    fn device(&self) -> &Device {
        self.0.as_ref().expect("opened below")
    }
}

/// Opened by the first test and kept, so that a kernel is loaded once. `None`: this test skips.
fn gpu() -> Option<Gpu> {
    static DEVICE: Mutex<Option<Device>> = Mutex::new(None);
    if !has_device() {
        return None;
    }
    let (mut device, failed_before) = match DEVICE.lock() {
        Ok(device) => (device, false),
        Err(poisoned) => {
            DEVICE.clear_poison();
            (poisoned.into_inner(), true)
        }
    };
    if device.is_none() {
        let opened = gpus::gpu(0).unwrap();
        println!("on {opened}");
        *device = Some(opened);
    }
    let gpu = Gpu(device);
    if failed_before {
        let _ = gpu.device().default_stream().synchronize(); // what the failed test has left is not this test's news
    }
    Some(gpu)
}

/// Says so where there is none.
fn has_device() -> bool {
    let found = gpus::gpu_count().unwrap() > 0;
    if !found {
        println!("skipped: no GPU");
    }
    found
}

/// Runs the body of test `name` in a process of its own, whose environment has these variables too.
fn in_child(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    const CHILD: &str = "ANABRANCH_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return body();
    }
    if !has_device() {
        return;
    }
    let test = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&test.stdout), String::from_utf8_lossy(&test.stderr));
    assert!(test.status.success() && out.contains("1 passed"), "{out}\n{err}");
}
