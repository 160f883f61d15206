//! Ranges of NVTX: this test program runs itself with a profiler that writes what ranges begin and
//! end.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anabranch::prelude::*;

/// The file that the profiler writes; `child` runs only with it.
const RANGES: &str = "RANGES";
/// The library that NVTX loads.
const PROFILER: &str = "NVTX_INJECTION64_PATH";
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

/// Two groups that are worth a thread each on the CPU.
#[kernel]
fn large(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'left: {
            for i in par(0..x.len()) {
                x[i] = x[i].sin() + x[i].cos();
            }
            inner(&mut x);
        }
        'right: {
            for i in par(0..y.len()) {
                y[i] = y[i].sin() + y[i].cos();
            }
        }
    }
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
    assert_eq!(sums, [36.0, 32.0, 14.0]);
}

#[test]
fn child_with_large_groups() {
    if std::env::var_os(RANGES).is_none() {
        return;
    }
    let device = Device::auto().unwrap();
    let (mut x, mut y) = (device.zeros(1 << 20).unwrap(), device.zeros(1 << 20).unwrap());
    large(&device.default_stream(), &mut x, &mut y).unwrap();
    assert_eq!((x.to_vec().unwrap()[9], y.to_vec().unwrap()[9]), (2.0, 1.0));
}

/// The profiler, or `None` on a machine without a C compiler.
fn profiler(folder: &Path) -> Option<String> {
    let library = folder.join("libinjection.so").to_str().unwrap().to_owned();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nvtx/injection.c");
    let Ok(built) = Command::new("cc").args(["-shared", "-fPIC", "-o", &library, source]).output() else {
        assert!(std::env::var_os("CI").is_none(), "CI has to bring a C compiler");
        println!("skipped: no C compiler on this machine");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(library)
}

/// The ranges that a run of this child writes, each with its thread.
fn ranges_on_threads(child: &str, variables: &[(&str, &str)], file: &Path) -> Vec<(String, String)> {
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args([child, "--exact", "--nocapture"]).env(RANGES, file);
    test.env_remove(PROFILER).envs(variables.iter().copied());
    let run = test.output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && String::from_utf8_lossy(&run.stdout).contains("1 passed"), "{said}");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().map(|line| line.split_once(' ').unwrap());
    let lines = lines.map(|(thread, what)| (thread.to_owned(), what.trim().to_owned()));
    let (mut strings, ranges): (Vec<_>, Vec<_>) = lines.partition(|(_, what)| what.starts_with("register "));
    strings.sort();
    let all = strings.len();
    strings.dedup_by(|(_, a), (_, b)| a == b);
    assert_eq!(strings.len(), all, "a string is registered once, because it stays for ever:\n{text}");
    ranges
}

/// What a run of the child writes on the only thread that has ranges.
fn ranges(variables: &[(&str, &str)], file: &Path) -> Vec<String> {
    let lines = ranges_on_threads("child", variables, file);
    assert!(lines.iter().all(|(thread, _)| *thread == lines[0].0), "small groups run on the thread that launches");
    lines.into_iter().map(|(_, what)| what).collect()
}

#[test]
fn launches_and_groups_are_nested_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let Some(profiler) = profiler(folder.path()) else { return };
    let (push, pop) = (|name: &str| format!("push anabranch {name}"), "pop anabranch".to_owned());
    let launch = [
        push("outer"),
        push("left"),
        push("inner"),
        pop.clone(),
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
        let variables = [(DEVICE, device), (PROFILER, &profiler), ("NO_STRINGS", "")];
        assert_eq!(ranges(&variables[..2], &folder.path().join(device)), [&launch[..], &launch].concat());
        assert!(ranges(&variables[..1], &folder.path().join("none")).is_empty());
        // Without a profiler, NVTX has no strings, and then nothing is told to it. Only a profiler
        // that has none either can see that.
        assert!(ranges(&variables, &folder.path().join("no strings")).is_empty(), "no ranges without a profiler");
    }
}

/// Their ranges begin and end on the threads that run them.
#[test]
fn large_groups_are_ranges_too() {
    let folder = tempfile::tempdir().unwrap();
    let Some(profiler) = profiler(folder.path()) else { return };
    let lines = ranges_on_threads(
        "child_with_large_groups",
        &[(DEVICE, "cpu"), (PROFILER, &profiler)],
        &folder.path().join("large"),
    );
    let mut begun: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut inside = Vec::new();
    for (thread, what) in &lines {
        let nested = begun.entry(thread).or_default();
        match what.strip_prefix("push anabranch ") {
            Some(name) => nested.push(name),
            None => inside.push((nested.pop().unwrap(), nested.last().copied())),
        }
    }
    assert!(begun.values().all(Vec::is_empty), "each thread ends what it has begun: {lines:?}");
    let mut names: Vec<&str> = inside.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(names, ["inner", "large", "left", "right"]);
    assert!(inside.contains(&("inner", Some("left"))), "{lines:?}");
}
