//! Crates of random kernels, each in a file of its own, that rustc compiles and that run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use anabranch_programs::machine::{self, Numbers};
use anabranch_programs::program::Program;

/// Device functions that programs call, and what all of them need.
const AROUND: &str = include_str!("scratch/around.rs");
/// How a launch ends, in a word and with a hash of the buffers.
const RUN: &str = include_str!("scratch/run.rs");

/// A program in a crate.
pub(super) struct File {
    pub(super) seed: u64,
    /// All of its file, in which there is a kernel `k`.
    pub(super) text: String,
    /// Behind the name of the kernel: its generic arguments, if it has any.
    pub(super) turbofish: String,
    /// What it is launched with, one after the other.
    pub(super) launches: Vec<Numbers>,
}

/// A crate.
pub(super) struct Scratch {
    folder: PathBuf,
    /// Items of its root.
    root: &'static str,
}

/// What rustc says, by programs.
pub(super) type Errors = BTreeMap<u64, String>;

/// How a launch has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    pub(super) word: String,
    /// Of the elements that it leaves.
    pub(super) hash: u64,
    /// How often host code that counts it was evaluated.
    pub(super) calls: usize,
}

/// By programs and launches.
pub(super) type Ends = BTreeMap<(u64, usize), End>;

impl File {
    /// Lines of `main` that launch it.
    fn calls(&self, program: &Program, out: &mut String) {
        let (seed, turbofish) = (self.seed, &self.turbofish);
        let names: Vec<String> = program.buffers().map(|buffer| program.name(buffer).to_owned()).collect();
        for (at, numbers) in self.launches.iter().enumerate() {
            let contents = numbers.lens.iter().enumerate().map(|(buffer, len)| {
                format!("&{:?}", (0..*len).map(|k| machine::content(buffer, k)).collect::<Vec<_>>())
            });
            let contents = contents.collect::<Vec<String>>().join(", ");
            let values = program.values().zip(&numbers.values).map(|(var, n)| format!("{n}{}", program.ty(var)));
            let args: Vec<String> = names.iter().cloned().chain(values).collect();
            let (names, args) = (names.join(", "), args.join(", "));
            let _ = writeln!(
                out,
                "    run(&device, \"{seed} {at}\", &[{contents}], &|stream, buffers| {{ let [{names}] = buffers else {{ unreachable!() }}; p{seed}::k{turbofish}(stream, {args}) }});"
            );
        }
    }
}

impl Scratch {
    pub(super) fn new(name: &str) -> Scratch {
        let executable = env::current_exe().expect("a test has an executable");
        // Beside the test's own: `target/debug/deps/…`.
        let folder = executable.ancestors().nth(3).expect("it is below the target folder").join("tests/soundness");
        Scratch { folder: folder.join(name), root: "" }
    }

    /// With items in its root.
    pub(super) fn with_root(name: &str, root: &'static str) -> Scratch {
        Scratch { root, ..Scratch::new(name) }
    }

    fn put(&self, path: &str, text: String) {
        fs::write(self.folder.join(path), text).expect("the folder can be written");
    }

    /// The package, with a folder for sources.
    fn package(&self, sources: &str) {
        let _ = fs::remove_dir_all(self.folder.join("src"));
        fs::create_dir_all(self.folder.join(sources)).expect("the target folder can be written");
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around");
        // `mutants` names a copy, from which it has taken something out.
        let root = env::var_os("ANABRANCH_SOUNDNESS_PRODUCT").map_or_else(|| ours.to_owned(), PathBuf::from);
        let dependency = format!("[dependencies]\nanabranch = {{ path = {:?} }}\n", root.join("runtime"));
        // Host code wraps as in a release build, in which it is judged.
        let profile = "[profile.dev]\ndebug = 0\nincremental = false\noverflow-checks = false\n";
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let package = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n");
        self.put("Cargo.toml", format!("{package}{dependency}{profile}"));
        let _ = fs::copy(root.join("Cargo.lock"), self.folder.join("Cargo.lock"));
    }

    fn build(&self, options: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet", "--message-format=short", "--color=never"])
            .args(options)
            .env("CARGO_TARGET_DIR", self.folder.join("../target"))
            .current_dir(&self.folder)
            .output()
            .expect("cargo runs")
    }

    fn write(&self, files: &[(&File, &Program)]) {
        self.package("src");
        let mut main = format!("{AROUND}{}", self.root);
        for (file, _) in files {
            let _ = writeln!(main, "mod p{};", file.seed);
            self.put(&format!("src/p{}.rs", file.seed), file.text.clone());
        }
        main.push_str(RUN);
        files.iter().for_each(|(file, program)| file.calls(program, &mut main));
        main.push_str("}\n");
        self.put("src/main.rs", main);
    }

    /// Builds each program for itself, because some errors are told once for all programs: those that are refused.
    pub(super) fn refused(&self, files: &[(&File, &Program)]) -> BTreeSet<u64> {
        self.package("src/bin");
        for (file, program) in files {
            let File { seed, text, .. } = file;
            let mut main = format!("{AROUND}{}mod p{seed} {{\n{text}\n}}\n{RUN}", self.root);
            file.calls(program, &mut main);
            main.push_str("}\n");
            self.put(&format!("src/bin/p{seed}.rs"), main);
        }
        let text = String::from_utf8_lossy(&self.build(&["--bins", "--keep-going"]).stderr).into_owned();
        let of = |(file, _): &(&File, &Program)| file.seed;
        files.iter().map(of).filter(|seed| text.contains(&format!("(bin \"p{seed}\")"))).collect()
    }

    /// Builds and runs it.
    ///
    /// # Errors
    /// The errors of each program, where there are any.
    pub(super) fn run(&self, files: &[(&File, &Program)]) -> Result<Ends, Errors> {
        self.write(files);
        let out = self.build(&[]);
        if !out.status.success() {
            return Err(errors(&String::from_utf8_lossy(&out.stderr)));
        }
        let executable = self.folder.join("../target/debug").join(self.folder.file_name().unwrap_or_default());
        let names = files.iter().flat_map(|(file, _)| (0..file.launches.len()).map(|at| (file.seed, at)));
        let names: Vec<(u64, usize)> = names.collect();
        let mut ends = Ends::new();
        let mut first = 0;
        // A launch that ends the process is one that ends in another way; those behind it are run by another process.
        while first < names.len() {
            let out = Command::new(&executable).arg(first.to_string()).output().expect("it was built");
            let printed = String::from_utf8_lossy(&out.stdout).into_owned();
            let done: Vec<_> = printed.lines().map(end).collect();
            first += done.len();
            ends.extend(done);
            if first < names.len() {
                let said = String::from_utf8_lossy(&out.stderr);
                let why = said.lines().find(|line| line.contains("standin")).unwrap_or_default();
                ends.insert(names[first], End { word: format!("crash: {} {why}", out.status), ..End::default() });
                first += 1;
            }
        }
        Ok(ends)
    }
}

/// `3 0 ran 17 2`: the program and the launch, the word, the hash, the calls.
fn end(line: &str) -> ((u64, usize), End) {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |at: usize| words[at].parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
    let [hash, calls] = [2, 1].map(|back| number(words.len() - back));
    let word = words[2..words.len() - 2].join(" ");
    ((number(0), number(1) as usize), End { word, hash, calls: calls as usize })
}

fn errors(text: &str) -> Errors {
    let mut errors = Errors::new();
    for line in text.lines().filter(|line| line.contains(": error")) {
        // `src/p3.rs:12:5: error…`
        let found = line.strip_prefix("src/p").and_then(|rest| rest.split_once(".rs:"));
        let (seed, rest) = found.unwrap_or_else(|| panic!("an error that is in no program: {line}"));
        errors.entry(seed.parse().expect("a seed")).or_default().extend([rest, "\n"]);
    }
    assert!(!errors.is_empty(), "{text}");
    errors
}

/// The hash of what a launch leaves, as the crates compute it.
pub(super) fn hash(memory: &[Vec<u32>]) -> u64 {
    let elements = memory.iter().flatten();
    elements.fold(0u64, |hash, element| (hash ^ u64::from(*element)).wrapping_mul(0x100_0000_01b3))
}

/// What rustc says where borrows overlap.
pub(super) const BORROWS: [&str; 4] = ["error[E0499]", "error[E0502]", "error[E0505]", "error[E0506]"];
