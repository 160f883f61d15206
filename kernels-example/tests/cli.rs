//! Invalid command lines, inputs and outputs: the program prints one line, returns an exit code,
//! and leaves no file.

mod common;

use std::fs;
use std::path::Path;

use common::{noise, run, succeed};

/// A folder with an image, a file that is not an image, half of an image, and a read-only file.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    noise(8, 8, 3).save(path("in.png")).unwrap();
    fs::write(path("text.png"), "this is not an image").unwrap();
    fs::write(path("empty.png"), "").unwrap();
    let whole = fs::read(path("in.png")).unwrap();
    fs::write(path("half.png"), &whole[..whole.len() / 2]).unwrap();
    fs::create_dir(path("sub")).unwrap();
    fs::write(path("locked.png"), "kept").unwrap();
    let mut permissions = fs::metadata(path("locked.png")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path("locked.png"), permissions).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Expects failure with this exit code, one line that contains all of `words`, and no change in the
/// folder.
#[track_caller]
fn refuse(arguments: &[&str], code: i32, words: &[&str]) {
    let folder = folder();
    let before = names(folder.path());
    let output = run(folder.path(), arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(
        stderr.starts_with("error: ") && stderr.ends_with('\n') && stderr.lines().count() == 1,
        "one line: {stderr}"
    );
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in {stderr}");
    }
    assert_eq!(names(folder.path()), before, "no file is left: {stderr}");
    assert_eq!(fs::read_to_string(folder.path().join("locked.png")).unwrap(), "kept");
}

#[test]
fn input_that_is_no_image() {
    refuse(&["missing.png"], 1, &["missing.png", "No such file", "name a readable image"]);
    refuse(&["text.png"], 1, &["text.png", "convert it"]);
    refuse(&["empty.png"], 1, &["empty.png"]);
    refuse(&["half.png"], 1, &["half.png"]);
    refuse(&["sub"], 1, &["sub", "directory"]);
    refuse(&["missing\nline.png"], 1, &["missing line.png"]);
}

#[test]
fn numbers_out_of_range() {
    for sigma in ["0", "-1", "100.001", "inf", "nan", "two", ""] {
        refuse(&["in.png", "--sigma", sigma], 2, &["--sigma", "greater than 0 and at most 100", "--help"]);
    }
    for amount in ["inf", "-inf", "NaN", "1e39", "much"] {
        refuse(&["in.png", "--amount", amount], 2, &["--amount", "a finite number", "--help"]);
    }
    for repeat in ["0", "-1", "1.5", "many"] {
        refuse(&["in.png", "--repeat", repeat], 2, &["--repeat", "--help"]);
    }
    for trace in ["trace", "trace.png", ""] {
        refuse(&["in.png", "--trace", trace], 2, &["--trace", ".svg or .json", "--help"]);
    }
}

#[test]
fn options_that_do_not_exist() {
    refuse(&["--sharper"], 2, &["--sharper", "--help"]);
    refuse(&["in.png", "another.png"], 2, &["another.png", "--help"]);
    refuse(&["in.png", "--sigma"], 2, &["--sigma", "--help"]);
}

#[test]
fn devices_that_do_not_exist() {
    for device in ["gpu", "cuda:", "cuda:-1", "cuda:one", ""] {
        refuse(&["in.png", "--device", device], 2, &["--device", "auto, cpu, cuda, cuda:N, hip and hip:N"]);
    }
    // No machine has that many GPUs.
    refuse(&["in.png", "--device", "cuda:4096"], 1, &["cuda:4096", "--device cpu"]);
}

#[test]
fn places_that_cannot_be_written_to() {
    refuse(&["in.png", "-o", "nowhere/out.png"], 1, &["nowhere", "there is no folder", "-o"]);
    refuse(&["in.png", "-o", "sub"], 1, &["sub", "it is a folder"]);
    refuse(&["in.png", "-o", "locked.png"], 1, &["locked.png", "read-only"]);
    refuse(&["in.png", "-o", "in.png/out.png"], 1, &["in.png/out.png"]);
    refuse(&["in.png", "-o", "out.xyz"], 1, &["out.xyz", "png, jpg"]);
    refuse(&["in.png", "-o", "out.exr"], 1, &["out.exr", "png, jpg"]);
    refuse(&["in.png", "-o", ""], 2, &["--output"]);
}

#[test]
fn help_names_units_and_defaults() {
    let text = succeed(Path::new("."), &["--help"]);
    for words in ["pixels", "default: 2", "default: 1", "default: sharpened.png", "default: auto", "16-bit", "cuda:N"] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    assert!(succeed(Path::new("."), &["--version"]).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_trace_is_written() {
    let folder = folder();
    for (name, begin) in [("trace.svg", "<svg"), ("trace.json", "{")] {
        let text = succeed(folder.path(), &["in.png", "--trace", name]);
        assert!(text.contains("sharpen.par#1") && text.contains("from the first to the last"), "{text}");
        let written = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(written.starts_with(begin) && written.contains("sharpen_plane.par#1"), "{written}");
    }
}

#[test]
fn repeat_tells_least_and_median() {
    let folder = folder();
    let text = succeed(folder.path(), &["in.png", "--repeat", "5"]);
    assert!(text.contains("5 runs: minimum") && text.contains("median"), "{text}");
    let once = succeed(folder.path(), &["in.png", "-o", "once.png"]);
    assert!(!once.contains("runs:"), "{once}");
    // Every run begins with the photograph, not with the result of the last one.
    let read = |name: &str| image::open(folder.path().join(name)).unwrap();
    assert_eq!(read("sharpened.png"), read("once.png"));
}
