//! Random kernels in hostile spellings, through rustc and onto a device: what runs leaves what the
//! interpreter leaves, and what the macro cannot understand it refuses.
//!
//! A spelling may hide from the macro what it would need to accept a program, so nothing is said of
//! what is refused, but in numbers. `ANABRANCH_SOUNDNESS_DRESSED` is the number of programs of each
//! class, `ANABRANCH_SOUNDNESS_CLASS` the class to try alone.

use std::collections::BTreeMap;

use anabranch_programs::dress::{self, Class, Refused, Spelling};
use anabranch_programs::machine::{self, End, Numbers, Run};
use anabranch_programs::program::{Host, Program};
use anabranch_programs::rng::Rng;
use anabranch_programs::{generate, print};

use super::scratch::{self, BORROWS, Ends, Errors, File, Scratch};
use super::{campaign, judge, setting};

/// What the root of the crate holds, which calls itself `core`: all that std's macros ask for, and
/// a `drop` that drops nothing. Everything that generated code took from there would be the user's.
const FORGED: &str = "extern crate self as core;
pub use std::{any, array, clone, cmp, compile_error, concat, convert, default, file, fmt, iter, line, marker, module_path, num, ops, option, panic, result, stringify, sync};
pub mod mem { pub fn drop<T>(value: T) { std::mem::forget(value) } }
";

struct Case {
    seed: u64,
    class: Class,
    program: Program,
    text: print::Text,
    launches: Vec<Launch>,
}

struct Launch {
    numbers: Numbers,
    /// What the interpreter makes of them, whatever the launch may say.
    run: Run,
    /// The launch may refuse, because accesses may overlap.
    overlap: bool,
}

/// The classes that a program of a class is spelled in: mostly that one alone.
fn classes(class: Class, rng: &mut Rng) -> Vec<Class> {
    let mut classes = vec![class];
    if rng.chance(25) {
        classes.extend((0..1 + rng.below(3)).map(|_| *rng.pick(Class::ALL)));
    }
    classes
}

impl Case {
    /// The program of a seed, if the macro accepts it in this spelling. Whether it does in a plain
    /// one is known.
    fn of(seed: u64, program: Program, plain: bool, class: Class, wrong: &mut Vec<String>) -> Option<Case> {
        let mut rng = Rng::new(seed ^ 0xd7e5);
        let spelling = Spelling { classes: classes(class, &mut rng), seed: rng.bits() };
        let text = print::dressed(&program, "k", spelling.dress(&program));
        if !text.dress.used.contains_key(&class) || program.is_aliased() {
            return None;
        }
        let judged = judge::compile_as(&program, &spelling);
        // Of what hides numbers from it, the macro may accept less.
        if plain && text.dress.classes.iter().all(|class| class.is_harmless()) {
            let said = judged.as_ref().map_or_else(|error| error.to_string(), |judged| judged.said.clone());
            if !said.is_empty() {
                wrong.push(format!("{class:?}: it should be accepted: {said}\n{}", text.source));
            }
        }
        let judged = judged.ok().filter(|judged| judged.said.is_empty())?;
        let hidden = text.dress.classes.iter().any(|class| class.needs_rustc());
        let launches = campaign::launches(&judged, &program, seed).into_iter().map(|(numbers, verdicts, _)| {
            let run = machine::run(&program, &numbers, &mut |_| true);
            // The launch gets all numbers from rustc, so it knows as much as the judge.
            Launch { numbers, run, overlap: hidden || verdicts.overlap }
        });
        let launches: Vec<_> = launches.filter(|launch| launch.run.end != End::Endless).collect();
        drop(judged);
        (!launches.is_empty()).then_some(Case { seed, class, program, text, launches })
    }

    fn file(&self) -> File {
        let print::Text { source, wrapped, dress, .. } = &self.text;
        let bare = dress.used.contains_key(&Class::Prelude);
        let prelude = if bare { "#![no_implicit_prelude]\nuse ::std::{assert, cmp::Ord};\n" } else { "" };
        let imports = "use ::anabranch::prelude::*;\nuse crate::{get, put, set, sum};\n";
        let kernel = if dress.passed.is_empty() && dress.used.contains_key(&Class::Macros) {
            format!("macro_rules! mk {{ ($($t:tt)*) => {{ #[kernel] $($t)* }} }}\nmk! {{ pub {source} }}\n")
        } else if dress.passed.is_empty() {
            format!("#[kernel]\npub {source}")
        } else {
            let (params, args): (Vec<&str>, Vec<&str>) =
                dress.passed.iter().map(|(param, arg)| (&**param, &**arg)).unzip();
            let (params, args) = (params.join(", "), args.join(", "));
            format!("macro_rules! mk {{ ({params}) => {{ #[kernel] pub {wrapped} }} }}\nmk!({args});\n")
        };
        let args: Vec<String> =
            dress.generics.iter().map(|(_, arg)| arg.replace("{path}", &format!("p{}", self.seed))).collect();
        File {
            seed: self.seed,
            text: format!("{prelude}{imports}{}{kernel}", dress.around),
            turbofish: if args.is_empty() { String::new() } else { format!("::<{}>", args.join(", ")) },
            launches: self.launches.iter().map(|launch| launch.numbers.clone()).collect(),
        }
    }

    /// What is wrong with how a launch has ended.
    fn wrong(&self, at: usize, end: &scratch::End) -> Option<String> {
        let Launch { run, overlap, .. } = &self.launches[at];
        let failed = run.loops.iter().any(|(_, outcome)| outcome.has_failed());
        let conflict = run.groups.is_some() || run.loops.iter().any(|(_, outcome)| outcome.conflict.is_some());
        let has_run = end.word == "ran" || end.word == "panic" && run.loops.len() == 1;
        if conflict && has_run {
            return Some("it races".to_owned());
        }
        // Iterations that `unsafe` answers for may race, and results then depend on their order.
        let ordered = !self.text.source.contains("unsafe");
        let right = match &*end.word {
            "ran" => run.end == End::Ran && !failed && (!ordered || end.hash == scratch::hash(&run.memory)),
            "panic" | "outside" => failed,
            "overlap" => *overlap,
            "zero-step" => run.end == End::ZeroStep,
            "host-panic" => run.end == End::HostPanicked,
            _ => false,
        };
        if !right {
            return Some(format!(
                "it ends in another way: {end:?}, but {:?}{}",
                run.end,
                if failed { " with a panic" } else { "" }
            ));
        }
        let calls: usize =
            run.loops.iter().map(|(number, _)| self.text.dress.counted.get(number).copied().unwrap_or(0)).sum();
        (end.word == "ran" && end.calls != calls)
            .then(|| format!("host code was evaluated {} times, and not {calls}", end.calls))
    }
}

/// What came of the programs of a class.
#[derive(Default)]
struct Count {
    programs: usize,
    launches: usize,
    ran: usize,
    overlap: usize,
    uncompiled: usize,
    wrong: usize,
}

/// The programs of a class: a third of them such as the macro refuses in a plain spelling, and a
/// third with groups.
fn cases(class: Class, count: usize, first: u64, wrong: &mut Vec<String>) -> Vec<Case> {
    let third = count / 3;
    let (mut plain, mut new, mut grouped) = (count - 2 * third, third, third);
    let mut cases = Vec::new();
    let refused = wrong.len();
    for seed in first..first + 4_000 {
        if plain + new + grouped == 0 || wrong.len() >= refused + count {
            break;
        }
        let program = generate::kernel(seed);
        let Ok(accepted) = judge::compile(&program).map(|judged| judged.said.is_empty()) else { continue };
        let has_groups = program.host.iter().any(|host| matches!(host, Host::Groups(_)));
        let left = match accepted {
            false => &mut new,
            true if has_groups => &mut grouped,
            true => &mut plain,
        };
        if *left > 0
            && let Some(case) = Case::of(seed, program, accepted, class, wrong)
        {
            *left -= 1;
            cases.push(case);
        }
    }
    cases
}

fn run(scratch: &Scratch, cases: &[&Case]) -> Result<Ends, Errors> {
    let files: Vec<File> = cases.iter().map(|case| case.file()).collect();
    let files: Vec<(&File, &Program)> = files.iter().zip(cases).map(|(file, case)| (file, &case.program)).collect();
    scratch.run(&files)
}

/// Judges a crate of programs.
fn judge_all(scratch: &Scratch, cases: &[Case]) -> (BTreeMap<Class, Count>, Vec<String>) {
    let mut good: Vec<&Case> = cases.iter().collect();
    let (mut counts, mut wrong) = (BTreeMap::<Class, Count>::new(), Vec::new());
    let ends = loop {
        let errors = match run(scratch, &good) {
            Ok(ends) => break ends,
            Err(errors) => errors,
        };
        // Each time rustc comes further.
        for case in good.extract_if(.., |case| errors.contains_key(&case.seed)) {
            let errors = &errors[&case.seed];
            // Of what is spelled alike the macro may say that it meets; this test has asked it with
            // other names.
            let hygiene = case.text.dress.used.contains_key(&Class::Hygiene);
            let may_be = |error: &str| {
                BORROWS.iter().any(|code| error.contains(code))
                    || hygiene && error.contains("error: ") && error.contains("[AB06")
            };
            if errors.lines().all(may_be) {
                continue;
            }
            counts.entry(case.class).or_default().uncompiled += 1;
            wrong.push(format!("{:?}: it should compile:\n{errors}{}", case.class, case.file().text));
        }
    };
    for case in &good {
        let count = counts.entry(case.class).or_default();
        count.programs += 1;
        let mut first = None;
        for (at, Launch { numbers, .. }) in case.launches.iter().enumerate() {
            let end = ends.get(&(case.seed, at)).cloned().unwrap_or_default();
            count.launches += 1;
            count.ran += usize::from(end.word == "ran");
            count.overlap += usize::from(end.word == "overlap");
            if first.is_none() {
                first = case.wrong(at, &end).map(|what| format!("{what}; {numbers:?}"));
            }
        }
        if let Some(what) = first {
            count.wrong += 1;
            wrong.push(format!("{:?}: seed {}: {what}\n{}", case.class, case.seed, case.file().text));
        }
    }
    (counts, wrong)
}

/// Failures that are shown.
const SHOWN: usize = 20;

/// Tries so many programs of each class in a crate.
#[test]
fn hostile_spellings() {
    let (scratch, count) = (Scratch::with_root("dressed", FORGED), setting("ANABRANCH_SOUNDNESS_DRESSED", 2) as usize);
    let only = std::env::var("ANABRANCH_SOUNDNESS_CLASS").ok();
    let wanted = |class: &Class| only.as_ref().is_none_or(|only| *only == format!("{class:?}"));
    let seed = setting("ANABRANCH_SOUNDNESS_SEED", 1) + 2_000_000_000;
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    let mut refused = BTreeMap::new();
    for (class, first) in Class::ALL.iter().copied().zip((seed..).step_by(10_000)).filter(|(class, _)| wanted(class)) {
        let known = wrong.len();
        all.extend(cases(class, count, first, &mut wrong));
        refused.insert(class, wrong.len() - known);
    }
    let (mut counts, mut others) = judge_all(&scratch, &all);
    wrong.append(&mut others);
    let mut ran_at_all = 0;
    for (class, refused) in refused {
        let Count { programs, launches, ran, overlap, uncompiled, wrong } = counts.remove(&class).unwrap_or_default();
        ran_at_all += ran;
        eprintln!(
            "{class:?}: {programs} programs, {wrong} of them wrong; {uncompiled} more do not compile, {refused} are needlessly refused; \
             {launches} launches, {ran} ran, {overlap} refused as overlapping"
        );
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong[..wrong.len().min(SHOWN)].join("\n"));
    assert!(ran_at_all > 0, "nothing was run");
}

/// What makes the macro see another program than rustc is refused, wherever it stands: by the macro
/// alone, but for literals, whose types only rustc knows.
#[test]
fn what_must_be_refused() {
    let count = setting("ANABRANCH_SOUNDNESS_DRESSED", 2);
    let mut wrong = Vec::new();
    let mut overflowing = Vec::new();
    for what in Refused::ALL.iter().copied() {
        let (mut tried, mut accepted) = (0, 0);
        for seed in 3_000_000_000..3_000_000_000 + 50 * count {
            let program = generate::kernel(seed);
            if !judge::compile(&program).is_ok_and(|judged| judged.said.is_empty()) || program.is_aliased() {
                continue;
            }
            let Some(text) = dress::refuse(&program, what, seed) else { continue };
            tried += 1;
            if !judge::said(&text.source).is_ok_and(|said| said.is_empty()) {
                continue;
            }
            accepted += 1;
            if what == Refused::Overflow {
                overflowing.push((seed, program, text));
            } else if accepted == 1 {
                wrong.push(format!("{what:?} is accepted:\n{}{}", text.dress.around, text.source));
            }
        }
        eprintln!("{what:?}: {tried} programs, {accepted} accepted by the macro");
        assert!(tried > 0, "{what:?}: nothing was tried");
    }
    overflowing.truncate(count as usize);
    let file = |(seed, _, text): &(u64, Program, print::Text)| File {
        seed: *seed,
        text: format!(
            "use crate::{{get, put, set, sum}};\nuse anabranch::prelude::*;\n{}#[kernel]\npub {}",
            text.dress.around, text.source
        ),
        turbofish: String::new(),
        launches: vec![Numbers { values: vec![1; 4], lens: vec![1; 3] }],
    };
    let files: Vec<File> = overflowing.iter().map(file).collect();
    let files: Vec<(&File, &Program)> =
        files.iter().zip(&overflowing).map(|(file, (_, program, _))| (file, program)).collect();
    let refused = Scratch::new("overflowing").refused(&files);
    eprintln!("Overflow: {} programs, {} refused by rustc", files.len(), refused.len());
    let accepted = files.iter().filter(|(file, _)| !refused.contains(&file.seed));
    wrong.extend(accepted.map(|(file, _)| format!("Overflow compiles:\n{}", file.text)));
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong[..wrong.len().min(SHOWN)].join("\n"));
}
