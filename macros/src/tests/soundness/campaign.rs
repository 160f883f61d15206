//! Many programs, on all cores.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use anabranch_programs::dress::{Class, Spelling};
use anabranch_programs::generate;
use anabranch_programs::machine::{End, Numbers, Run};
use anabranch_programs::print;
use anabranch_programs::program::Program;
use anabranch_programs::rng::Rng;

use super::examples::Shown;
use super::judge::{self, Judged, Verdicts};
use super::shrink;

/// How many failing programs are made smaller.
const MOST_SHRUNK: usize = 5;
/// Programs that one thread takes at a time.
const CHUNK: u64 = 100;

/// What came of all programs.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) programs: usize,
    /// Those that conflict with some of their numbers, and those that run with some.
    pub(super) conflicting: usize,
    pub(super) running: usize,
    /// Programs with numbers.
    launches: usize,
    conflicts: usize,
    accepted: usize,
    endless: usize,
    loops: usize,
    proved: usize,
    outside: usize,
    examples: usize,
    /// Examples of the macro, and those of them that the machine cannot try.
    pub(super) shown: usize,
    pub(super) untried: usize,
    /// Programs that the macro refuses, and those of them that never conflict.
    refused: usize,
    refused_without_conflict: usize,
    /// Launches that were refused as overlapping, and those of them without a conflict.
    overlaps: usize,
    overlaps_without_conflict: usize,
    /// Reasons for refusals without a conflict, with the smallest program.
    shapes: BTreeMap<String, (usize, String)>,
    /// Programs in which a class of spellings is used.
    spelled: BTreeMap<Class, usize>,
    pub(super) wrong: Vec<(u64, String)>,
}

/// Every second program is plain, the others are spelled in ways that need no rustc to be
/// understood.
fn spelling(seed: u64) -> Spelling {
    let mut rng = Rng::new(seed ^ 0xd7e5);
    let all = if seed.is_multiple_of(2) { &[][..] } else { Class::ALL };
    let classes = all.iter().copied().filter(|class| !class.needs_rustc() && rng.chance(35)).collect();
    Spelling { classes, seed: rng.bits() }
}

/// Judges the programs of some seeds, until one is judged wrongly.
pub(super) fn run(seeds: Range<u64>) -> Totals {
    let next = AtomicU64::new(seeds.start);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut totals = Totals::default();
        loop {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= seeds.end {
                return totals;
            }
            for seed in first..seeds.end.min(first + CHUNK) {
                totals.add(seed);
                if totals.wrong.len() == 1 {
                    next.store(seeds.end, Ordering::Relaxed);
                }
                // Or the text of every program would be kept for its spans.
                proc_macro2::extra::invalidate_current_thread_spans();
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no worker fails")).fold(Totals::default(), Totals::and)
    })
}

/// The numbers that a program is launched with: buffers that are large, that fit exactly, that are
/// one too short, and others.
pub(super) fn launches(judged: &Judged<'_>, program: &Program, seed: u64) -> Vec<(Numbers, Verdicts, Run)> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut all = Vec::new();
    let launch = |numbers: Numbers, all: &mut Vec<(Numbers, Verdicts, Run)>| {
        let (verdicts, run) = judged.launch(&numbers);
        let most = run.most.clone();
        all.push((numbers, verdicts, run));
        most
    };
    for _ in 0..2 {
        let large = generate::numbers(program, &mut rng);
        let most = launch(large.clone(), &mut all);
        let exact = Numbers { lens: most.clone(), ..large.clone() };
        launch(exact, &mut all);
        if rng.chance(50) {
            let short = Numbers { lens: most.iter().map(|most| most.saturating_sub(1)).collect(), ..large };
            launch(short, &mut all);
        }
    }
    let mut other = generate::numbers(program, &mut rng);
    other.lens.iter_mut().for_each(|len| *len = rng.below(40));
    launch(other, &mut all);
    all
}

/// What is wrong with a program and some numbers.
pub(super) fn wrong(program: &Program, spelling: &Spelling, numbers: &Numbers) -> Option<String> {
    judge::compile_as(program, spelling).ok()?.launch(numbers).0.wrong
}

impl Totals {
    fn add(&mut self, seed: u64) {
        let mut program = generate::kernel(seed);
        if seed.is_multiple_of(5) {
            generate::grids::with_grids(&mut program, &mut Rng::new(seed));
        }
        let spelling = spelling(seed);
        let judged = match judge::compile_as(&program, &spelling) {
            Ok(judged) => judged,
            Err(error) => {
                panic!("seed {seed}: {error}\n{}", print::dressed(&program, "k", spelling.dress(&program)).source)
            }
        };
        judged.spelled().for_each(|(class, count)| *self.spelled.entry(class).or_default() += usize::from(count > 0));
        let (mut conflicts, mut runs) = (false, false);
        self.programs += 1;
        // Names that mean something else in an inner block are none of the machine's.
        let plain = spelling.classes.iter().all(|class| class.is_harmless());
        for (text, shown) in judged.shown().filter(|_| plain) {
            self.shown += 1;
            match shown {
                Shown::Meets => {}
                Shown::Untried => self.untried += 1,
                Shown::Wrong => {
                    let text = format!("the example `{text}` is wrong\n{}", judged.source());
                    self.wrong.push((seed, text));
                }
            }
        }
        let mut overlap_only = false;
        for (numbers, verdicts, run) in launches(&judged, &program, seed) {
            if run.end == End::Endless {
                self.endless += 1;
                continue;
            }
            self.launches += 1;
            conflicts |= verdicts.conflict;
            runs |= verdicts.accepted;
            self.conflicts += usize::from(verdicts.conflict);
            self.accepted += usize::from(verdicts.accepted);
            self.loops += verdicts.loops;
            self.proved += verdicts.proved;
            self.outside += usize::from(verdicts.outside);
            self.examples += verdicts.examples;
            self.overlaps += usize::from(verdicts.overlap);
            self.overlaps_without_conflict += usize::from(verdicts.overlap && !verdicts.conflict);
            overlap_only |= verdicts.overlap && !verdicts.conflict;
            if let Some(wrong) = verdicts.wrong {
                let text = match self.wrong.len() {
                    ..MOST_SHRUNK => shrink::smallest(&program, &spelling, &numbers),
                    _ => format!("{wrong}\n{}{numbers:?}", judged.source()),
                };
                self.wrong.push((seed, text));
                break;
            }
        }
        self.conflicting += usize::from(conflicts);
        self.running += usize::from(runs);
        let refused = !judged.said.is_empty();
        self.refused += usize::from(refused);
        if refused && !conflicts {
            self.refused_without_conflict += 1;
            self.shape(judge::shape(&judged.said), judged.source());
        } else if overlap_only && !conflicts {
            self.shape("refused at the launch".to_owned(), judged.source());
        }
    }

    fn shape(&mut self, shape: String, source: &str) {
        let known = self.shapes.entry(shape).or_insert_with(|| (0, source.to_owned()));
        known.0 += 1;
        if source.len() < known.1.len() {
            known.1 = source.to_owned();
        }
    }

    fn and(mut self, other: Totals) -> Totals {
        self.programs += other.programs;
        self.conflicting += other.conflicting;
        self.running += other.running;
        self.launches += other.launches;
        self.conflicts += other.conflicts;
        self.accepted += other.accepted;
        self.endless += other.endless;
        self.loops += other.loops;
        self.proved += other.proved;
        self.outside += other.outside;
        self.examples += other.examples;
        self.shown += other.shown;
        self.untried += other.untried;
        self.refused += other.refused;
        self.refused_without_conflict += other.refused_without_conflict;
        self.overlaps += other.overlaps;
        self.overlaps_without_conflict += other.overlaps_without_conflict;
        other.spelled.into_iter().for_each(|(class, count)| *self.spelled.entry(class).or_default() += count);
        for (shape, (count, source)) in other.shapes {
            self.shape(shape.clone(), &source);
            if let Some(known) = self.shapes.get_mut(&shape) {
                known.0 += count - 1;
            }
        }
        self.wrong.extend(other.wrong);
        self
    }

    pub(super) fn failures(&self) -> String {
        let mut wrong = self.wrong.clone();
        wrong.sort_by_key(|(_, text)| text.len());
        let texts = wrong.iter().take(MOST_SHRUNK).map(|(seed, text)| format!("seed {seed}: {text}\n"));
        format!("{} programs are judged wrongly\n\n{}", wrong.len(), texts.collect::<String>())
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, whole: usize| format!("{part} ({:.1} %)", 100.0 * part as f64 / whole.max(1) as f64);
        let launches = self.launches;
        writeln!(f, "programs that conflict: {}", share(self.conflicting, self.programs))?;
        writeln!(f, "programs that run: {}", share(self.running, self.programs))?;
        writeln!(
            f,
            "{} programs, {launches} launches of them ({} more would take too long)",
            self.programs, self.endless
        )?;
        writeln!(f, "launches that conflict: {}", share(self.conflicts, launches))?;
        writeln!(f, "launches that run: {}", share(self.accepted, launches))?;
        writeln!(f, "loops that run with every access shown to be in bounds: {}", share(self.proved, self.loops))?;
        writeln!(f, "launches refused as out of bounds: {}", share(self.outside, launches))?;
        writeln!(f, "programs refused by the macro: {}", share(self.refused, self.programs))?;
        writeln!(f, "… of which never conflict: {}", share(self.refused_without_conflict, self.refused))?;
        writeln!(f, "launches refused as overlapping: {}", share(self.overlaps, launches))?;
        writeln!(f, "… of which do not conflict: {}", share(self.overlaps_without_conflict, self.overlaps))?;
        writeln!(f, "examples of launches, which all meet: {}", self.examples)?;
        writeln!(f, "examples of the macro: {}, of which the machine did not try {}", self.shown, self.untried)?;
        let mut shapes: Vec<_> = self.shapes.iter().collect();
        shapes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        writeln!(f, "programs in hostile spellings, by classes: {:?}", self.spelled)?;
        writeln!(f, "refused without a conflict, by reasons:")?;
        for (shape, (count, source)) in shapes.into_iter().take(8) {
            writeln!(f, "{count}: {shape}; for example\n{source}")?;
        }
        Ok(())
    }
}
