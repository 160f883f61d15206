//! Crates of random kernels, each in a file of its own, that rustc compiles and that run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anabranch_programs::machine::{self, Numbers};
use anabranch_programs::program::Program;
use anabranch_programs::scratch::{self, Told};

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
    scratch: scratch::Scratch,
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
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around");
        // `mutants` names a copy, from which it has taken something out.
        let workspace = env::var_os("ANABRANCH_SOUNDNESS_PRODUCT").map_or_else(|| ours.to_owned(), PathBuf::from);
        Scratch { scratch: scratch::Scratch { folder: folder.join(name), workspace }, root: "" }
    }

    /// With items in its root.
    pub(super) fn with_root(name: &str, root: &'static str) -> Scratch {
        Scratch { root, ..Scratch::new(name) }
    }

    fn put(&self, path: &str, text: &str) {
        self.scratch.put(path, text).expect("the folder can be written");
    }

    /// The package, without sources.
    fn package(&self) {
        let folder = &self.scratch.folder;
        let _ = fs::remove_dir_all(folder.join("src"));
        let _ = fs::remove_file(folder.join("Cargo.lock"));
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        // Host code wraps as in a release build, in which it is judged.
        let profile = "[workspace]\n[profile.dev]\ndebug = 0\nincremental = false\noverflow-checks = false\n";
        let written = self.scratch.root(&(self.scratch.package(&name) + profile));
        written.expect("the target folder can be written");
    }

    fn target(&self) -> PathBuf {
        self.scratch.folder.join("../target")
    }

    fn build(&self, options: &[&str]) -> Result<(), String> {
        let options = [&["--offline"], options].concat();
        self.scratch.build(&self.target(), &options).expect("cargo runs")
    }

    fn write(&self, files: &[(&File, &Program)]) {
        self.package();
        let mut main = format!("{AROUND}{}", self.root);
        for (file, _) in files {
            let _ = writeln!(main, "mod p{};", file.seed);
            self.put(&format!("src/p{}.rs", file.seed), &file.text);
        }
        main.push_str(RUN);
        files.iter().for_each(|(file, program)| file.calls(program, &mut main));
        main.push_str("}\n");
        self.put("src/main.rs", &main);
    }

    /// Builds each program for itself, because some errors are told once for all programs: those
    /// that are refused.
    pub(super) fn refused(&self, files: &[(&File, &Program)]) -> BTreeSet<u64> {
        self.package();
        for (file, program) in files {
            let File { seed, text, .. } = file;
            let mut main = format!("{AROUND}{}mod p{seed} {{\n{text}\n}}\n{RUN}", self.root);
            file.calls(program, &mut main);
            main.push_str("}\n");
            self.put(&format!("src/bin/p{seed}.rs"), &main);
        }
        let text = self.build(&["--bins", "--keep-going"]).err().unwrap_or_default();
        let of = |(file, _): &(&File, &Program)| file.seed;
        files.iter().map(of).filter(|seed| text.contains(&format!("(bin \"p{seed}\")"))).collect()
    }

    /// Builds and runs it.
    ///
    /// # Errors
    /// The errors of each program, where there are any.
    pub(super) fn run(&self, files: &[(&File, &Program)]) -> Result<Ends, Errors> {
        self.write(files);
        self.build(&[]).map_err(|text| errors(&text))?;
        let executable = self.target().join("debug").join(self.scratch.folder.file_name().unwrap_or_default());
        let names = files.iter().flat_map(|(file, _)| (0..file.launches.len()).map(|at| (file.seed, at)));
        let names: Vec<(u64, usize)> = names.collect();
        let mut ends = Ends::new();
        let mut first = 0;
        // A launch that ends the process is one that ends in another way; those behind it are run
        // by another process.
        while first < names.len() {
            let told = scratch::run(Command::new(&executable).arg(first.to_string()));
            let Told { lines, status, silent, errors } = told.expect("it was built");
            let done: Vec<_> = lines.iter().map(|line| end(line)).collect();
            first += done.len();
            ends.extend(done);
            if first < names.len() {
                let how = if silent { "it does not end".to_owned() } else { status.to_string() };
                let why = errors.lines().find(|line| line.contains("standin")).unwrap_or_default();
                ends.insert(names[first], End { word: format!("crash: {how} {why}"), ..End::default() });
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
    for (path, _, line) in scratch::errors(text) {
        let seed = path.strip_prefix("src/p").and_then(|rest| rest.strip_suffix(".rs"));
        let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or_else(|| panic!("it is in no program: {line}"));
        errors.entry(seed).or_default().extend([&line[path.len() + 1..], "\n"]);
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
