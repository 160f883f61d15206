//! Random kernels through rustc itself, and on the CPU device; on another one that
//! `ANABRANCH_DEVICE` names, whose C++ then is what is tried: its index arithmetic in 32 bits, and
//! its checks.
//!
//! What the macro accepts compiles, unless groups share what the borrow checker sees; what it
//! refuses is an error of that file. A launch ends as [`judge`] and the machine say: with their
//! elements in the buffers, or refused, or with a panic.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_programs::generate;
use anabranch_programs::machine::{End, Numbers, Run};
use anabranch_programs::program::{Host, Program};

use super::judge::{self, Verdicts};
use super::scratch::{self, BORROWS, File, Scratch};
use super::{campaign, setting};

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

    fn file(&self) -> File {
        let imports = "use anabranch::prelude::*;\nuse crate::{get, put, set, sum};\n#[kernel]\n";
        File {
            seed: self.seed,
            text: format!("{imports}pub {}", self.source),
            turbofish: String::new(),
            launches: self.launches.iter().map(|(numbers, ..)| numbers.clone()).collect(),
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
        (words, ordered.then(|| scratch::hash(&run.memory)))
    }
}

/// Most of them accepted, a quarter refused, and a tenth each with groups and with two names of
/// what iterations race for: those the macro accepts, and the borrow checker must not.
fn cases(count: usize, first: u64) -> Vec<Case> {
    let (mut groups, mut names, mut refused) = (count / 10, count / 10, count / 4);
    let mut accepted = count - groups - names - refused;
    let mut cases = Vec::new();
    for seed in first.. {
        if accepted + groups + names + refused == 0 {
            break;
        }
        let program = generate::kernel(seed);
        let forks = program.host.iter().any(|host| matches!(host, Host::Groups(_)));
        // What groups share is borrowed before the first of them begins: that hides what loops
        // borrow.
        let aliased = !forks && program.is_aliased();
        let accepted = if forks { &mut groups } else { &mut accepted };
        if *accepted + refused + if aliased { names } else { 0 } == 0 {
            continue;
        }
        let case = Case::of(seed, program);
        let left = match &case {
            Case { said, .. } if !said.is_empty() => &mut refused,
            Case { launches, .. } if aliased && launches.iter().any(|(.., run)| races(run)) => &mut names,
            _ => accepted,
        };
        if *left > 0 && case.said.is_empty() != case.launches.is_empty() {
            *left -= 1;
            cases.push(case);
        }
    }
    cases
}

/// Whether all has run, and iterations or groups have met.
fn races(run: &Run) -> bool {
    let conflict = run.groups.is_some() || run.loops.iter().any(|(_, outcome)| outcome.conflict.is_some());
    conflict && matches!(run.end, End::Ran)
}

/// Builds and runs a crate of them.
fn run(scratch: &Scratch, cases: &[&Case]) -> Result<scratch::Ends, scratch::Errors> {
    let files: Vec<File> = cases.iter().map(|case| case.file()).collect();
    let files: Vec<(&File, &Program)> = files.iter().zip(cases).map(|(file, case)| (file, &case.program)).collect();
    scratch.run(&files)
}

#[test]
fn through_rustc() {
    let count = setting("ANABRANCH_SOUNDNESS_RUSTC", 40) as usize;
    let cases = cases(count, setting("ANABRANCH_SOUNDNESS_SEED", 1) + 1_000_000_000);
    let (mut good, refused): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.said.is_empty());
    let mut wrong = Vec::new();

    let errors = run(&Scratch::new("refused"), &refused).expect_err("it is refused");
    for case in refused.iter().filter(|case| !errors.contains_key(&case.seed)) {
        wrong.push(format!("only this test refuses it: {}\n{}", case.said, case.source));
    }

    let scratch = Scratch::new("accepted");
    let accepted = good.len();
    let ends = run(&scratch, &good).or_else(|errors| {
        for case in good.extract_if(.., |case| errors.contains_key(&case.seed)) {
            let errors = &errors[&case.seed];
            let of_borrows = errors.lines().all(|error| BORROWS.iter().any(|code| error.contains(code)));
            if !of_borrows || !case.source.contains("split_at") {
                wrong.push(format!("it should compile:\n{errors}{}", case.source));
            }
        }
        run(&scratch, &good)
    });
    let ends = ends.unwrap_or_else(|errors| panic!("these are new errors: {errors:?}"));
    let borrowed = accepted - good.len();

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &good {
        for (at, (numbers, _, run)) in case.launches.iter().enumerate() {
            let (words, expected) = case.expected(at);
            let (word, hash) = ends.get(&(case.seed, at)).map_or(("nothing", 0), |end| (&*end.word, end.hash));
            *counts.entry(word).or_default() += 1;
            let races = races(run);
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
