//! Random kernels through rustc itself, and on the CPU device; on another one that `ANABRANCH_DEVICE` names, whose C++ then is
//! what is tried: its index arithmetic in 32 bits, and its checks.
//!
//! What the macro accepts compiles, unless groups share what the borrow checker sees; what it refuses is an error of that
//! file. A launch ends as [`judge`] and [`machine`](super::machine) say: with their elements in the buffers, or refused, or
//! with a panic.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::campaign;
use super::judge::{self, Verdicts};
use super::machine::{self, End, Run};
use super::program::{Host, Numbers, Program};
use super::{generate, setting};

/// Device functions that programs call, and what all of them need.
const AROUND: &str = "#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
use anabranch::prelude::*;
#[device] pub fn get(x: &u32) -> u32 { *x }
#[device] pub fn set(x: &mut u32, v: u32) { *x = v; }
#[device] pub fn sum(x: &[u32]) -> u32 { let mut s = 0u32; for k in 0..x.len() { s = s.wrapping_mul(31).wrapping_add(x[k]); } s }
#[device] pub fn put(x: &mut [u32], v: u32) { for k in 0..x.len() { x[k] = v.wrapping_add(k as u32); } }
";
/// How a launch ends, in a word and with a hash of the buffers.
const RUN: &str = r#"
type Launch<'l> = &'l dyn Fn(&Stream, &mut [Buffer<u32>]) -> anabranch::Result<()>;
fn run(device: &Device, name: &str, contents: &[&[u32]], launch: Launch<'_>) {
    let mut buffers: Vec<Buffer<u32>> = contents.iter().map(|content| device.buffer_from(content).unwrap()).collect();
    let stream = device.default_stream();
    let launched = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| launch(&stream, &mut buffers)));
    // Also where the launch has failed: or else the next one would be told of a panic before.
    let waited = stream.synchronize();
    let word = match launched.map(|launched| launched.and(waited)) {
        Err(_) => "host-panic",
        Ok(Err(anabranch::Error::KernelPanic { .. })) => "panic",
        Ok(Err(anabranch::Error::OutOfBounds { .. })) => "outside",
        Ok(Err(anabranch::Error::Overlap { .. })) => "overlap",
        Ok(Err(anabranch::Error::ZeroStep { .. })) => "zero-step",
        Ok(Err(other)) => { println!("{name} {other:?} 0"); return }
        Ok(Ok(())) => "ran",
    };
    let mut hash = 0u64;
    if word == "ran" {
        for buffer in &buffers {
            for element in buffer.to_vec().unwrap() { hash = (hash ^ u64::from(element)).wrapping_mul(0x100_0000_01b3); }
        }
    }
    println!("{name} {word} {hash}");
}
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let device = if std::env::var_os("ANABRANCH_DEVICE").is_some() { Device::auto().unwrap() } else { Device::cpu() };
"#;
struct Case {
    seed: u64,
    program: Program,
    source: String,
    said: String,
    launches: Vec<(Numbers, Verdicts, Run)>,
}

impl Case {
    fn of(seed: u64, program: Program) -> Case {
        let judged = judge::compile(&program).expect("the generator writes the language");
        let (said, source) = (judged.said.clone(), judged.source().to_owned());
        // What is refused is not launched.
        let mut launches = if said.is_empty() { campaign::launches(&judged, &program, seed) } else { Vec::new() };
        launches.retain(|(.., run)| run.end != End::Endless);
        drop(judged);
        Case { seed, source, said, launches, program }
    }

    fn file(&self) -> String {
        format!("use anabranch::prelude::*;\nuse crate::{{get, put, set, sum}};\n#[kernel]\npub {}", self.source)
    }

    /// Lines of `main` that launch it.
    fn calls(&self, out: &mut String) {
        let Program { views, buffers, values, params, .. } = &self.program;
        for (at, (numbers, ..)) in self.launches.iter().enumerate() {
            let contents = numbers.lens.iter().enumerate().map(|(buffer, len)| {
                format!("&{:?}", (0..*len).map(|k| machine::content(buffer, k)).collect::<Vec<_>>())
            });
            let contents: Vec<String> = contents.collect();
            let names = views[..*buffers].join(", ");
            let values = values[..*params].iter().zip(&numbers.values).map(|((_, ty), n)| format!("{n}{}", ty.name()));
            let args: Vec<String> = views[..*buffers].iter().map(|name| (*name).to_owned()).chain(values).collect();
            let _ = writeln!(
                out,
                "    run(&device, \"{} {at}\", &[{}], &|stream, buffers| {{ let [{names}] = buffers else {{ unreachable!() }}; p{}::k(stream, {}) }});",
                self.seed,
                contents.join(", "),
                self.seed,
                args.join(", ")
            );
        }
    }

    /// How a launch may end.
    fn expected(&self, launch: usize) -> (BTreeSet<&'static str>, Option<u64>) {
        let (_, verdicts, run) = &self.launches[launch];
        let mut words = BTreeSet::new();
        words.extend(verdicts.failed.then_some("panic"));
        words.extend(match run.end {
            End::Refused if verdicts.overlap => Some("overlap"),
            End::Refused => Some("outside"),
            End::ZeroStep => Some("zero-step"),
            End::HostPanicked => Some("host-panic"),
            End::Ran | End::Endless => (!verdicts.failed).then_some("ran"),
        });
        // There iterations may race, and results depend on their order.
        let ordered = !self.source.contains("unsafe");
        let elements = run.memory.iter().flatten();
        let hash = elements.fold(0u64, |hash, element| (hash ^ u64::from(*element)).wrapping_mul(0x100_0000_01b3));
        (words, ordered.then_some(hash))
    }
}

/// Most of them accepted, a tenth with groups, and a quarter refused.
fn cases(count: usize, first: u64) -> Vec<Case> {
    let (mut groups, mut refused) = (count / 10, count / 4);
    let mut accepted = count - groups - refused;
    let mut cases = Vec::new();
    for seed in first.. {
        if accepted + groups + refused == 0 {
            break;
        }
        let program = generate::program(seed);
        let forks = program.host.iter().any(|host| matches!(host, Host::Groups(_)));
        let accepted = if forks { &mut groups } else { &mut accepted };
        if *accepted + refused == 0 {
            continue;
        }
        let case = Case::of(seed, program);
        let left = if case.said.is_empty() { accepted } else { &mut refused };
        if *left > 0 && case.said.is_empty() != case.launches.is_empty() {
            *left -= 1;
            cases.push(case);
        }
    }
    cases
}

/// A crate of some programs, each in a file of its own.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn new(name: &str) -> Scratch {
        let executable = env::current_exe().expect("a test has an executable");
        // Beside the test's own: `target/debug/deps/…`.
        let folder = executable.ancestors().nth(3).expect("it is below the target folder").join("tests/soundness");
        Scratch { folder: folder.join(name) }
    }

    fn write(&self, cases: &[&Case]) {
        let write =
            |path: &str, text: String| fs::write(self.folder.join(path), text).expect("the folder can be written");
        let _ = fs::remove_dir_all(self.folder.join("src"));
        fs::create_dir_all(self.folder.join("src")).expect("the target folder can be written");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around");
        let dependency = format!("[dependencies]\nanabranch = {{ path = {:?} }}\n", root.join("runtime"));
        // Host code wraps as in a release build, in which it is judged.
        let profile = "[profile.dev]\ndebug = 0\nincremental = false\noverflow-checks = false\n";
        let package = "[package]\nname = \"kernels\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        write("Cargo.toml", format!("{package}{dependency}{profile}"));
        let _ = fs::copy(root.join("Cargo.lock"), self.folder.join("Cargo.lock"));
        let mut main = AROUND.to_owned();
        for case in cases {
            let _ = writeln!(main, "mod p{};", case.seed);
            write(&format!("src/p{}.rs", case.seed), case.file());
        }
        main.push_str(RUN);
        cases.iter().for_each(|case| case.calls(&mut main));
        main.push_str("}\n");
        write("src/main.rs", main);
    }

    /// Builds and runs it: what it prints, or the errors of each program.
    fn run(&self, cases: &[&Case]) -> Result<String, BTreeMap<u64, String>> {
        self.write(cases);
        let out = Command::new(env!("CARGO"))
            .args(["run", "--offline", "--quiet", "--message-format=short", "--color=never"])
            .env("CARGO_TARGET_DIR", self.folder.join("../target"))
            .current_dir(&self.folder)
            .output()
            .expect("cargo runs");
        if out.status.success() {
            return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
        }
        let text = String::from_utf8_lossy(&out.stderr);
        let mut errors: BTreeMap<u64, String> = BTreeMap::new();
        for line in text.lines().filter(|line| line.contains(": error")) {
            // `src/p3.rs:12:5: error…`
            let found = line.strip_prefix("src/p").and_then(|rest| rest.split_once(".rs:"));
            let (seed, rest) = found.unwrap_or_else(|| panic!("an error that is in no program: {line}"));
            errors.entry(seed.parse().expect("a seed")).or_default().extend([rest, "\n"]);
        }
        assert!(!errors.is_empty(), "{text}");
        Err(errors)
    }
}

/// What rustc says where borrows overlap.
const BORROWS: [&str; 4] = ["error[E0499]", "error[E0502]", "error[E0505]", "error[E0506]"];

/// The words and hashes of the lines that a crate prints, by programs and launches.
fn ends(printed: &str) -> BTreeMap<(u64, usize), (&str, u64)> {
    let end = |line| {
        let words: Vec<&str> = str::split(line, ' ').collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        ((number(0), number(1) as usize), (words[2], number(words.len() - 1)))
    };
    printed.lines().map(end).collect()
}

#[test]
fn through_rustc() {
    let count = setting("ANABRANCH_SOUNDNESS_RUSTC", 40) as usize;
    let cases = cases(count, setting("ANABRANCH_SOUNDNESS_SEED", 1) + 1_000_000_000);
    let (mut good, refused): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.said.is_empty());
    let mut wrong = Vec::new();

    let errors = Scratch::new("refused").run(&refused).expect_err("it is refused");
    for case in refused.iter().filter(|case| !errors.contains_key(&case.seed)) {
        wrong.push(format!("only this test refuses it: {}\n{}", case.said, case.source));
    }

    let scratch = Scratch::new("accepted");
    let accepted = good.len();
    let printed = scratch.run(&good).or_else(|errors| {
        for case in good.extract_if(.., |case| errors.contains_key(&case.seed)) {
            let errors = &errors[&case.seed];
            let of_borrows = errors.lines().all(|error| BORROWS.iter().any(|code| error.contains(code)));
            if !of_borrows || !case.source.contains("split_at_mut") {
                wrong.push(format!("it should compile:\n{errors}{}", case.source));
            }
        }
        scratch.run(&good)
    });
    let printed = printed.unwrap_or_else(|errors| panic!("these are new errors: {errors:?}"));
    let borrowed = accepted - good.len();

    let said = ends(&printed);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &good {
        for (at, (numbers, _, run)) in case.launches.iter().enumerate() {
            let (words, expected) = case.expected(at);
            let (word, hash) = said.get(&(case.seed, at)).copied().unwrap_or(("nothing", 0));
            *counts.entry(word).or_default() += 1;
            let conflict = run.groups.is_some() || run.loops.iter().any(|(_, outcome)| outcome.conflict.is_some());
            let races = conflict && matches!(run.end, End::Ran);
            let right = words.contains(word) && (word != "ran" || expected.is_none_or(|expected| expected == hash));
            if races || !right {
                let why = if races { "it races" } else { "it ends in another way" };
                wrong.push(format!("{why}: {word} {hash}, not {words:?} {expected:?}\n{}{numbers:?}\n", case.source));
            }
        }
    }
    let refused = refused.len();
    eprintln!(
        "{count} programs: refused by the macro {refused}, by the borrow checker {borrowed}; launches: {counts:?}"
    );
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}
