//! A bug of LLVM 22 below us, on x86-64: `shift.rs`, built with `-C opt-level=3`, takes
//! `(x - 1 + 128) % 128` to be 128, 129 and 130 for `x` from 1 to 3. The loop vectorizer does it,
//! when it sees the function for the second time, after thin-local link-time optimization, which
//! Cargo's release builds do. The CPU device is compiled by it, and so is any Rust.
//!
//! Where the bug is known to be, this fails when it is gone. Then delete this test and its folder,
//! what reference/limits.md says of it, and the row of tests/README.md; the nightly fuzzing of
//! optimized builds (`fuzz --optimized`) stays.

use std::path::Path;
use std::process::Command;

/// The compilers that are known to have it.
const KNOWN: [&str; 1] = ["rustc 1.95.0 "];

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// How many elements are wrong in a build with these options.
fn wrong(folder: &Path, options: &[&str]) -> u32 {
    let program = folder.join(format!("shift{}", options.len()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/miscompiled/shift.rs");
    let built = rustc().args(options).args(["--edition=2024", "-o"]).arg(&program).arg(source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(program).output().unwrap();
    String::from_utf8_lossy(&ran.stdout).trim().parse().unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn a_remainder_in_a_vectorized_loop() {
    let version = rustc().arg("--version").output().unwrap().stdout;
    let version = String::from_utf8_lossy(&version);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(wrong(folder.path(), &["-C", "opt-level=3", "-C", "no-vectorize-loops"]), 0, "the program is right");
    let wrong = wrong(folder.path(), &["-C", "opt-level=3"]);
    println!("{}: {wrong} elements are wrong", version.trim());
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) && KNOWN.iter().any(|known| version.starts_with(known)) {
        assert_ne!(wrong, 0, "the bug is gone: the first comment of this file says what to delete");
    }
}
