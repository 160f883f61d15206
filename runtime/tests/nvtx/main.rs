//! Ranges of NVTX: this test program runs itself with a profiler that writes what ranges begin and end.

use std::path::Path;
use std::process::Command;

use anabranch::prelude::*;

/// The file that the profiler writes; `child` runs only with it.
const RANGES: &str = "RANGES";
/// The device of the child.
const DEVICE: &str = "ANABRANCH_DEVICE";

#[kernel]
fn inner(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] += 1.0;
    }
}

#[kernel]
fn outer(x: &mut [f32], y: &mut [f32], z: &mut [f32]) {
    stream_parallel! {
        'left: {
            inner(&mut x);
        }
        {
            for i in par(0..y.len()) {
                y[i] += 2.0;
            }
        }
    }
    inner(&mut z);
}

#[test]
fn child() {
    if std::env::var_os(RANGES).is_none() {
        return;
    }
    let device = Device::auto().unwrap();
    let stream = device.default_stream();
    let (mut x, mut y, mut z) = (device.zeros(9).unwrap(), device.zeros(8).unwrap(), device.zeros(7).unwrap());
    for _ in 0..2 {
        outer(&stream, &mut x, &mut y, &mut z).unwrap();
    }
    let sums = [&x, &y, &z].map(|buffer| buffer.to_vec().unwrap().iter().sum::<f32>());
    assert_eq!(sums, [18.0, 32.0, 14.0]);
}

/// The profiler, or `None` on a machine without a C compiler.
fn profiler(folder: &Path) -> Option<String> {
    let library = folder.join("libinjection.so").to_str().unwrap().to_owned();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nvtx/injection.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o", &library, source]).output().ok()?;
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(library)
}

/// What a run of the child writes on the only thread that has ranges.
fn ranges(device: &str, profiler: Option<&str>, file: &Path) -> Vec<String> {
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["child", "--exact", "--nocapture"]).env(DEVICE, device).env(RANGES, file);
    test.env_remove("NVTX_INJECTION64_PATH").envs(profiler.map(|path| ("NVTX_INJECTION64_PATH", path)));
    let run = test.output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && String::from_utf8_lossy(&run.stdout).contains("1 passed"), "{said}");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<(&str, &str)> = text.lines().map(|line| line.split_once(' ').unwrap()).collect();
    assert!(lines.iter().all(|(thread, _)| *thread == lines[0].0), "small groups run on the thread that launches");
    lines.into_iter().map(|(_, what)| what.trim().to_owned()).collect()
}

#[test]
fn launches_and_groups_are_nested_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let Some(profiler) = profiler(folder.path()) else {
        assert!(std::env::var_os("CI").is_none(), "CI has to bring a C compiler");
        return println!("skipped: no C compiler on this machine");
    };
    let (push, pop) = (|name: &str| format!("push anabranch {name}"), "pop anabranch".to_owned());
    let launch = [
        push("outer"),
        push("left"),
        push("inner"),
        pop.clone(),
        pop.clone(),
        push("group 2"),
        pop.clone(),
        push("inner"),
        pop.clone(),
        pop,
    ];
    let mut devices = vec!["cpu"];
    match Device::cuda_count() {
        Ok(1..) => devices.push("cuda"),
        _ => println!("skipped for CUDA: no device"),
    }
    for device in devices {
        assert_eq!(ranges(device, Some(&profiler), &folder.path().join(device)), [&launch[..], &launch].concat());
        assert!(ranges(device, None, &folder.path().join("none")).is_empty());
    }
}
