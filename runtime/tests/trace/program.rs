//! `ANABRANCH_TRACE`: this test program runs itself, traced.

use std::path::Path;
use std::process::{Command, Output};

use anabranch::prelude::*;

use super::{Buffers, alone, on_devices};

/// What the traced program does, and how it ends: `end of main`, or `exit` with a device in a static.
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
        if how == "exit" {
            std::mem::forget((device.clone(), buffers));
        }
    });
    println!("the program has ended well");
    if how == "exit" {
        std::process::exit(0);
    }
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
    let devices = 1 + usize::from(Device::cuda_count().unwrap() > 0);
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
    let (output, _) = run("end of main", Path::new("/no/such/folder/trace.json"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = errors.lines().filter(|line| line.contains("ANABRANCH_TRACE")).collect();
    let [line] = said[..] else { panic!("{errors}") };
    assert!(
        line.starts_with("anabranch: ANABRANCH_TRACE: cannot write the trace to /no/such/folder/trace.json: "),
        "{line}"
    );
    assert!(line.ends_with("; the program is not traced"), "{line}");
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
