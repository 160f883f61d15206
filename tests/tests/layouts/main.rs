//! Random structs lie in C++ as in Rust: through NVRTC, and on the stand-in, whose compiler is g++.
//!
//! A crate of structs is built. Its program compares what the generated C++ asserts with the sizes
//! and offsets that rustc has given, and has NVRTC compile the assertions. Then each kernel copies
//! values member by member, on the CPU and on the stand-in, and the host finds all of them.
//!
//! `ANABRANCH_LAYOUTS=1000 cargo test -p anabranch-tests --test layouts --
//! --nocapture` tries so many structs instead of 12; `ANABRANCH_LAYOUTS_SEED` is the seed.

mod generate;

use std::path::{Path, PathBuf};
use std::process::Command;

use anabranch::private::offline::nvrtc_found;
use anabranch_programs::scratch::{self, Scratch};

/// Structs of one crate.
const CRATE: usize = 250;

/// The number in a variable of the environment.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The folder of the tests, beside which crates of the tests of the macros have built the product.
fn folder() -> PathBuf {
    let executable = std::env::current_exe().expect("a test has an executable");
    executable.ancestors().nth(3).expect("it is below the target folder").join("tests/soundness")
}

/// Runs the program; what it says last.
fn run(command: &mut Command) -> String {
    let told = scratch::run(command).expect("it was built");
    let said = told.lines.join("\n");
    assert!(told.status.success() && !told.silent, "{command:?}\n{said}\n{}", told.errors);
    told.lines.last().cloned().unwrap_or_default()
}

#[test]
fn structs_lie_in_cpp_as_in_rust() {
    let (count, seed) = (setting("ANABRANCH_LAYOUTS", 12) as usize, setting("ANABRANCH_LAYOUTS_SEED", 1));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around");
    let standin = repository.join("tests/standin/run");
    let compiler = Command::new("g++").arg("--version").output().is_ok_and(|output| output.status.success());
    let (mut sized, mut members, mut padded) = (0, 0, 0);
    for (at, first) in (0..count).step_by(CRATE).enumerate() {
        let structs = CRATE.min(count - first);
        let scratch = Scratch { folder: folder().join("layouts"), workspace: repository.to_owned() };
        // As the crates of the tests of the macros, so that the product is built once.
        let profile = "[workspace]\n[profile.dev]\ndebug = 0\nincremental = false\noverflow-checks = false\n";
        scratch.root(&(scratch.package("layouts") + profile)).expect("the target folder can be written");
        scratch.put("src/main.rs", &generate::program(structs, seed + at as u64)).expect("it can be written");
        let target = scratch.folder.join("../target");
        scratch.build(&target, &["--offline"]).expect("cargo runs").unwrap_or_else(|errors| panic!("{errors}"));
        let program = target.join("debug/layouts");

        let facts = run(Command::new(&program).arg("rustc"));
        let numbers: Vec<usize> = facts.split(' ').map(|number| number.parse().expect("a number")).collect();
        (sized, members, padded) = (sized + numbers[0], members + numbers[1], padded + numbers[2]);
        match nvrtc_found() {
            Ok(_) => assert_eq!(run(Command::new(&program).arg("nvrtc")), "compiled"),
            Err(error) => {
                assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
                println!("skipped: the assertions in NVRTC: {error}");
            }
        }
        assert_eq!(run(Command::new(&program).arg("run").env("ANABRANCH_DEVICE", "cpu")), "the same");
        if compiler {
            let on_standin = &mut Command::new(&standin);
            assert_eq!(run(on_standin.arg(&program).arg("run").env("ANABRANCH_DEVICE", "cuda")), "the same");
        } else {
            assert!(std::env::var_os("CI").is_none(), "CI needs g++");
            println!("skipped: the stand-in: there is no g++");
        }
    }
    println!("{count} structs, {sized} with a size, {padded} with room between members, {members} members");
    assert!(sized > count / 2 && padded > count / 4 && members > 2 * count, "they show nothing");
}
