//! Random phases of blocks: a phase is a parallel loop, so a random kernel's loop makes one.
//!
//! The text of a kernel is put into a block: `for i in par(0..n) { … }` becomes
//! `for i in block.par(0..n) { … }`, some of its buffers become arrays that the threads share, and
//! something that only depends on the block is added to some indexes. In the first block that is 0,
//! so what [the machine](anabranch_programs::machine) finds in the loop is what happens in the
//! phase of that block. Some indexes of grids are variables.

use anabranch_programs::dress::Dress;
use anabranch_programs::generate;
use anabranch_programs::machine::{self, End};
use anabranch_programs::print;
use anabranch_programs::program::{Expr, Kind, Program};
use anabranch_programs::rng::Rng;
use anabranch_programs::visit::{self, Node};

use super::{judge, setting};

/// Elements of what threads share.
const SHARED: usize = 60;

/// Where the bracket is closed that is open at the beginning of a text.
fn closed(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == open) - i32::from(c == close);
        (depth == 0).then_some(at)
    })
}

/// The text of a kernel with each loop as a phase; `None` if it has a loop that is none.
fn in_blocks(source: &str, shared: &[&str], rng: &mut Rng) -> Option<String> {
    let (mut text, mut rest) = (String::new(), source);
    while let Some(at) = rest.find(" in par(") {
        let begin = rest[..at].rfind("for ")?;
        let ranges = &rest[at + 7..];
        let head = &ranges[..=closed(ranges, '(', ')')?];
        if head.contains("step_by") || head.contains("..=") {
            return None;
        }
        let behind = &ranges[head.len()..];
        let body = &behind[behind.find('{')?..];
        let body = &body[..=closed(body, '{', '}')?];
        let arrays: String =
            shared.iter().map(|name| format!("let mut {name} = block.shared([0u32; {SHARED}]);\n")).collect();
        let vars = &rest[begin + 4..at];
        let moved = moved(body, rng);
        // Atomics are in no conflict, whatever iterations touch which of them.
        let atomics = rng.chance(20);
        let (arrays, moved) = match atomics {
            true => (
                format!("{arrays}let own = block.shared([const {{ AtomicU32::new(0) }}; 8]);\n"),
                format!(
                    "{{ own[base % 8].fetch_add(1, Relaxed); own[0].fetch_max(own[7].load(Relaxed), Relaxed);{}",
                    &moved[1..]
                ),
            ),
            false => (arrays, moved),
        };
        text += &rest[..begin];
        text += &format!(
            "for block in par_blocks(1usize..{}usize).threads(32) {{\n{arrays}{ONE_ELEMENT}let base = block.index() * 7usize - 7usize;\nfor {vars} in block.par{head} {moved}\n}}\n",
            judge::BLOCKS
        );
        rest = &behind[behind.find('{')? + body.len()..];
    }
    Some(text + rest)
}

/// Indexes that are variables of the block. By their names alone, they could be numbers.
const ONE_ELEMENT: &str = "let mut one = [0usize, 0usize];\none[1] = 1usize;\n\
    let mut one_of_three = [0usize, 1usize, 0usize];\none_of_three[2] = 1usize;\n";

/// Some elements of grids become one and the same, whose indexes are 0, 1, and 1 again if there are
/// three.
fn at_one_element(program: &mut Program, rng: &mut Rng) {
    visit::all(program, &mut |node| {
        if let Node::Expr(expr) | Node::Place(expr) = node
            && let Kind::Index(_, index) = &mut expr.kind
            && let Kind::Array(components) = &mut index.kind
            && rng.chance(30)
        {
            components.iter_mut().enumerate().for_each(|(at, component)| *component = Expr::usize(at.min(1)));
        }
    });
}

/// The index of a grid, as the variable that has its value, or from a block of its own.
fn of_grid(index: &str, rng: &mut Rng) -> String {
    match index {
        "[0usize, 1usize, ]" if rng.chance(70) => "one".to_owned(),
        "[0usize, 1usize, 1usize, ]" if rng.chance(70) => "one_of_three".to_owned(),
        _ if rng.chance(10) => format!("{{ let at = {index}; at }}"),
        _ => index.to_owned(),
    }
}

/// A body in which something of the block is added to some indexes.
fn moved(body: &str, rng: &mut Rng) -> String {
    let all = rng.chance(50);
    let (mut text, mut rest) = (String::new(), body);
    while let Some(at) = rest.find('[') {
        let index = closed(&rest[at..], '[', ']').map(|end| &rest[at + 1..at + end]);
        let named = ["x", "y", "out"].iter().any(|name| rest[..at].ends_with(name));
        text += &rest[..=at];
        rest = &rest[at + 1..];
        if let Some(index) = index.filter(|index| index.starts_with('['))
            && !index.contains(';')
        {
            text += &of_grid(index, rng);
            rest = &rest[index.len()..];
            continue;
        }
        // Of parts nothing is moved.
        if let Some(index) = index.filter(|index| named && !index.contains("..") && !index.starts_with('['))
            && (all || rng.chance(50))
        {
            text += "base + (";
            text += &moved(index, rng);
            text.push(')');
            rest = &rest[index.len()..];
        }
    }
    text + rest
}

/// What came of all programs.
#[derive(Default, Debug)]
struct Totals {
    programs: usize,
    launches: usize,
    conflicts: usize,
    accepted: usize,
    of_shared: usize,
    in_vain: usize,
    by_variables: usize,
}

impl Totals {
    fn add(&mut self, seed: u64) {
        let mut program = generate::kernel(seed);
        if seed.is_multiple_of(5) {
            let mut rng = Rng::new(seed);
            generate::grids::with_grids(&mut program, &mut rng);
            at_one_element(&mut program, &mut rng);
        }
        // rustc refuses two names of one element.
        if program.is_aliased() {
            return;
        }
        let mut rng = Rng::new(seed ^ 0xb10c);
        let plain = print::dressed(&program, "k", Dress::plain()).source;
        let slices = program.buffers().filter(|var| program.vars[var.0].minor.is_empty());
        let shared: Vec<&str> = slices.filter(|_| rng.chance(40)).map(|var| program.name(var)).collect();
        let Some(source) = in_blocks(&plain, &shared, &mut rng) else { return };
        let judged = match judge::compile_in_blocks(&program, &source) {
            Ok(judged) => judged,
            Err(error) => panic!("seed {seed}: {error}\n{source}"),
        };
        self.programs += 1;
        self.by_variables += usize::from(source.contains("[one]") || source.contains("[one_of_three]"));
        for _ in 0..3 {
            self.launch(&program, &judged, &shared, &source, seed, &mut rng);
        }
    }

    fn launch(
        &mut self,
        program: &Program,
        judged: &judge::Judged<'_>,
        shared: &[&str],
        source: &str,
        seed: u64,
        rng: &mut Rng,
    ) {
        let mut numbers = generate::numbers(program, rng);
        for (len, var) in numbers.lens.iter_mut().zip(program.buffers()) {
            if shared.contains(&program.name(var)) {
                *len = SHARED;
            }
        }
        let mut decisions = Vec::new();
        let run = machine::run(program, &numbers, &mut |launch| {
            let decided = judged.decide_phases(launch);
            decisions.push(decided);
            true
        });
        if run.end == End::Endless {
            return;
        }
        for ((_, outcome), decided) in run.loops.iter().zip(decisions) {
            let Some(decided) = decided else { continue };
            self.launches += 1;
            self.conflicts += usize::from(outcome.conflict.is_some());
            self.accepted += usize::from(decided.is_ok());
            self.of_shared += usize::from(decided.is_ok() && !shared.is_empty());
            self.in_vain += usize::from(decided.is_err() && outcome.conflict.is_none());
            if let (Some(met), Ok(())) = (outcome.conflict, decided) {
                panic!("seed {seed}: a phase is accepted, but {met:?}\n{numbers:?}\n{source}");
            }
        }
    }
}

/// Seeds that have found something: a range that ends at a negative number in another type, which
/// is no empty range.
const FOUND: [u64; 1] = [7_002_103];

#[test]
fn random_phases() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000), setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let mut totals = Totals::default();
    for seed in FOUND.into_iter().chain(first..first + count) {
        totals.add(seed);
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!("{totals:?}");
    assert!(totals.accepted * 4 > totals.launches, "too few phases are accepted to show anything");
    assert!(totals.of_shared * 20 > totals.launches, "too few phases with shared arrays are accepted to show anything");
    assert!(totals.by_variables * 40 > totals.programs, "too few indexes that are variables to show anything");
    assert!(totals.conflicts * 7 > totals.launches, "too few conflicts to show anything");
}
