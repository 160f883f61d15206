//! `ANABRANCH_TRACE`: this test program runs itself, traced.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::{Buffers, alone, gpus, on_devices};

/// How the traced program ends: `end of main`; `exit` with a device that is never dropped; `hang`,
/// the same with a device that does nothing.
const HOW: &str = "ANABRANCH_TEST_OF_TRACES";

#[test]
fn child() {
    let Ok(how) = std::env::var(HOW) else { return };
    on_devices(|device| {
        let mut buffers = Buffers::new(device).unwrap();
        buffers.step(&device.default_stream()).unwrap();
        // A traced closure sees its own work only.
        let (_, trace) = device.trace(|| buffers.step(&device.default_stream())).unwrap();
        assert_eq!(super::work(&trace).len(), 4, "{trace}");
        assert_eq!(trace.untimed(), 0);
        assert_eq!(buffers.pos.to_vec().unwrap()[0], 2.25, "the results are right");
        if how == "hang" && !device.is_cpu() {
            hold();
            buffers.step(&device.default_stream()).unwrap();
        }
        if how != "end of main" {
            std::mem::forget((device.clone(), buffers));
        }
    });
    println!("the program has ended well");
    if how != "end of main" {
        std::process::exit(0);
    }
}

/// The stand-in for the CUDA driver, if this runs on it.
fn stand_in() -> Option<libloading::Library> {
    // SAFETY: loading a driver, or the stand-in for one, has no other effects.
    let library = unsafe { libloading::Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: the symbol is only looked up.
    unsafe { library.get::<fn()>(b"standin_hold\0") }.is_ok().then_some(library)
}

/// From now on the device does nothing.
fn hold() {
    let library = stand_in().expect("only the test of a hung device calls this");
    // SAFETY: the stand-in declares the function with this type.
    unsafe { library.get::<unsafe extern "C" fn(std::ffi::c_int)>(b"standin_hold\0").unwrap()(1) };
}

/// The end of the program does not wait for the device without a limit, and writes what is known.
#[test]
fn a_device_that_hangs_does_not_keep_the_program() {
    if stand_in().is_none() {
        return println!("skipped: not on the stand-in for the CUDA driver");
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, start) = (folder.path().join("trace.json"), Instant::now());
    run("hang", &file);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let loops = json["traceEvents"].as_array().unwrap().iter().filter(|event| event["name"] == "step.par#1").count();
    assert_eq!(loops, 4, "two launches on each device, but not the last one");
}

fn run(how: &str, file: &Path) -> (Output, String) {
    let _alone = alone();
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program)
        .args(["--exact", "program::child", "--nocapture", "--test-threads", "1"])
        .envs([(HOW, how.as_ref()), ("ANABRANCH_TRACE", file.as_os_str())])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("the program has ended well"), "{text}");
    (output, text)
}

#[test]
fn a_program_writes_its_trace() {
    let folder = tempfile::tempdir().unwrap();
    let devices = 1 + usize::from(gpus::gpu_count().unwrap() > 0);
    for (how, name) in [("end of main", "trace.json"), ("exit", "trace.json"), ("exit", "trace.svg")] {
        let file = folder.path().join(name);
        run(how, &file);
        let text = std::fs::read_to_string(&file).unwrap();
        if name.ends_with("svg") {
            assert!(text.starts_with("<svg") && text.contains("step.par#3"), "{text}");
            continue;
        }
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let events = json["traceEvents"].as_array().unwrap();
        let count = |name: &str| events.iter().filter(|event| event["name"] == name && event["ph"] == "X").count();
        assert_eq!((count("step.par#1"), count("smooth.par#1")), (2 * devices, 2 * devices), "{how}");
        assert_eq!(count("copy to device"), 3 * devices);
    }
}

#[test]
fn an_unwritable_file_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [Path::new("/no/such/folder/trace.json"), folder.path(), &pipe] {
        let (output, _) = run("end of main", file);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let said: Vec<&str> = errors.lines().filter(|line| line.contains("ANABRANCH_TRACE")).collect();
        let [line] = said[..] else { panic!("{errors}") };
        let start = format!("anabranch: ANABRANCH_TRACE: cannot write the trace to {}: ", file.display());
        assert!(line.starts_with(&start), "{line}");
        assert!(line.ends_with("; the program is not traced"), "{line}");
    }
}

#[test]
fn the_number_of_the_process_is_part_of_the_name() {
    let folder = tempfile::tempdir().unwrap();
    run("exit", &folder.path().join("trace-%p.json"));
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let [name] = &names[..] else { panic!("{names:?}") };
    let number = name.to_str().and_then(|name| name.strip_prefix("trace-")?.strip_suffix(".json"));
    assert!(number.is_some_and(|number| number.parse::<u32>().is_ok()), "{name:?}");
}
