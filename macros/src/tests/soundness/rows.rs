//! Random phases whose iterations a variable of the block tells apart, or does not:
//! `if t < s { a[t] += a[t + s]; }`.
//!
//! A block makes rounds in which `s` changes, often behind a `let n = s`; or each iteration makes
//! them, so that `s` is not what all have in common. Each phase that is accepted is computed for
//! every value that these have: no two of its iterations may touch one element, one of them
//! writing.

use std::collections::BTreeMap;

use anabranch_core::decide;
use anabranch_core::scalar::IntType;
use anabranch_programs::rng::Rng;

use super::{judge, setting};
use crate::ir::Slot;

/// Elements of an array along each dimension.
const LEN: usize = 24;
const MOST_ROUNDS: usize = 8;

/// What an index adds to the variable of the phase: rows of `s`, or of `n` from its quotient and
/// its remainder, and a number.
#[derive(Clone, Copy)]
struct Index {
    rows: usize,
    rejoined: bool,
    add: usize,
}

/// What the variables of the block are during a phase.
#[derive(Clone, Copy, Debug)]
struct Values {
    s: usize,
    r: usize,
    /// What `s` was.
    n: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Guard {
    None,
    Below,
    AtMost,
    BelowMore,
    Other,
}

/// What makes an index of a user type's method or assignment: of any number the same.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    Plain,
    ByMethod,
    ByAssignments,
}

/// `for (u, t) in block.par((0..4, 0..end))`, or with `t` alone.
struct Phase {
    two: bool,
    /// `None`: up to `s`, or `n`.
    end: Option<usize>,
    /// The end and the guard name `n`, not `s`.
    stale: bool,
    guard: Guard,
    /// Of the element that is written and of the one that is read, by dimensions.
    write: [Index; 2],
    read: [Index; 2],
    /// The array has its dimensions the other way round.
    swapped: bool,
    /// The element is read before the guard is asked.
    early: bool,
    /// Each iteration makes the rounds.
    inside: bool,
    /// What makes the first number of an index, and whether of the one that is written.
    made: (Made, bool),
}

impl Index {
    fn random(rng: &mut Rng) -> Self {
        Self { rows: [0, 0, 1, 1, 2][rng.below(5)], rejoined: rng.chance(10), add: [0, 0, 0, 0, 1][rng.below(5)] }
    }

    fn text(self, var: &str) -> String {
        let of = if self.rejoined { "(n / 4usize * 4usize + n % 4usize)" } else { "s" };
        let rows = match self.rows {
            0 => String::new(),
            1 => format!(" + {of}"),
            rows => format!(" + {rows}usize * {of}"),
        };
        let add = if self.add == 0 { String::new() } else { format!(" + {}usize", self.add) };
        format!("{var}{rows}{add}")
    }

    fn number(self, var: usize, Values { s, n, .. }: Values) -> usize {
        var.wrapping_add(self.rows.wrapping_mul(if self.rejoined { n } else { s })).wrapping_add(self.add)
    }
}

impl Phase {
    /// In ranges, `s` may change.
    fn random(rng: &mut Rng, in_ranges: bool) -> Self {
        let guard = match rng.below(8) {
            0 => Guard::None,
            1 => Guard::AtMost,
            2 => Guard::BelowMore,
            3 => Guard::Other,
            _ => Guard::Below,
        };
        let write = [Index::random(rng), Index::random(rng)];
        let add = write[0].add;
        let mut read = [Index::random(rng), Index::random(rng)];
        if rng.chance(70) {
            read[0].add = add;
        }
        if rng.chance(70) {
            read[1] = write[1];
        }
        let inside = !in_ranges && rng.chance(20);
        let mut end = [None, Some(LEN), Some(LEN / 2), Some(LEN / 2)][rng.below(4)];
        if inside {
            end = end.or(Some(LEN / 2));
        }
        let made = [Made::ByMethod, Made::ByAssignments, Made::Plain, Made::Plain, Made::Plain, Made::Plain];
        let made = (made[rng.below(6)], rng.chance(50));
        let (two, swapped, early) = (rng.chance(40), rng.chance(30), rng.chance(30));
        Self { two, end, stale: rng.chance(30), guard, write, read, swapped, early, inside, made }
    }

    fn made(&self, write: bool) -> Made {
        if self.made.1 == write { self.made.0 } else { Made::Plain }
    }

    fn text(&self, how: usize, rounds: &Rounds) -> String {
        let element = |index: &[Index; 2], write: bool| {
            let first = match self.made(write) {
                Made::Plain => index[0].text("t"),
                Made::ByMethod => format!("far.wrapping_add({})", index[0].text("t")),
                Made::ByAssignments => "k".to_owned(),
            };
            match (self.two, self.swapped) {
                (false, _) => format!("a[{first}]"),
                (true, false) => format!("b[{}][{first}]", index[1].text("u")),
                (true, true) => format!("b[{first}][{}]", index[1].text("u")),
            }
        };
        let (write, read) = (element(&self.write, true), element(&self.read, false));
        let (before, body) = match self.early {
            true => (format!("let v = {read};"), format!("{write} = v;")),
            false => (String::new(), format!("{write} = {read} + 1u32;")),
        };
        // Where each iteration makes the rounds, `continue` would leave them.
        let s = self.limit();
        let body = match (self.guard, if self.inside { how % 2 } else { how % 3 }) {
            (Guard::None, _) => body,
            (Guard::Below, 0) => format!("if t < {s} {{ {body} }}"),
            (Guard::Below, 1) => format!("if {s} > t {{ {body} }}"),
            (Guard::Below, _) => format!("if t >= {s} {{ continue; }} {body}"),
            (Guard::AtMost, _) if self.inside => format!("if {s} >= t {{ {body} }}"),
            (Guard::AtMost, 0) => format!("if t <= {s} {{ {body} }}"),
            (Guard::AtMost, _) => format!("if t > {s} {{ continue; }} {body}"),
            (Guard::BelowMore, _) => format!("if t < {s} + 1usize {{ {body} }}"),
            (Guard::Other, _) => format!("if t < r {{ {body} }}"),
        };
        let mut body = before + &body;
        if self.made.0 == Made::ByAssignments {
            let of = if self.made.1 { &self.write } else { &self.read };
            body = format!("let mut k = {}; k += far; k -= far; {body}", of[0].text("t"));
        }
        if self.inside {
            body = rounds.text(&body);
        }
        let end = self.end.map_or(s.to_owned(), |end| format!("{end}usize"));
        let phase = match self.two {
            false if rounds.in_ranges => {
                format!("for t in block.par({{ s /= 2usize; 0usize }}..{end}) {{ {body} }}")
            }
            true if rounds.in_ranges => {
                format!("for (t, u) in block.par((0usize..{end}, 0usize..{{ s /= 2usize; 4usize }})) {{ {body} }}")
            }
            false => format!("for t in block.par(0usize..{end}) {{ {body} }}"),
            true => format!("for (u, t) in block.par((0usize..4usize, 0usize..{end})) {{ {body} }}"),
        };
        if self.inside { phase } else { rounds.text(&phase) }
    }

    fn limit(&self) -> &'static str {
        if self.stale { "n" } else { "s" }
    }

    fn limit_of(&self, values: Values) -> usize {
        if self.stale { values.n } else { values.s }
    }

    /// The values with which two iterations meet.
    fn meet<'v>(&self, Rounds { values, in_ranges, .. }: &'v Rounds) -> Option<&'v [Values]> {
        let meet = |values| self.meet_in(values, *in_ranges);
        if self.inside {
            return meet(values).then_some(values);
        }
        // A phase with more iterations never ends.
        let ends = |value| self.end.is_some() || self.limit_of(value) < 1 << 40;
        values.chunks(1).find(|value| ends(value[0]) && meet(value))
    }

    /// Whether two iterations meet, each of which makes these rounds.
    fn meet_in(&self, values: &[Values], in_ranges: bool) -> bool {
        // By elements: the iterations, and whether they write.
        let mut touched: BTreeMap<[usize; 2], Vec<([usize; 2], bool)>> = BTreeMap::new();
        for (u, &values) in (0..if self.two { 4 } else { 1 }).flat_map(|u| values.iter().map(move |value| (u, value))) {
            let limit = self.limit_of(values);
            // The first of two ranges is made before the second one changes `s`.
            let end = if in_ranges && self.two { values.n } else { limit };
            for t in 0..self.end.unwrap_or(end.min(2 * LEN)) {
                let runs = match self.guard {
                    Guard::None => true,
                    Guard::Below => t < limit,
                    Guard::AtMost => t <= limit,
                    Guard::BelowMore => t < limit.wrapping_add(1),
                    Guard::Other => t < values.r,
                };
                for (index, write) in [(self.write, true), (self.read, false)] {
                    if !runs && (write || !self.early) {
                        continue;
                    }
                    let minor = if self.two { index[1].number(u, values) } else { 0 };
                    let major = if self.made(write) == Made::Plain { index[0].number(t, values) } else { 0 };
                    touched.entry([major, minor]).or_default().push(([u, t], write));
                }
            }
        }
        let in_bounds = touched.into_iter().filter(|([major, minor], _)| *major < LEN && *minor < LEN);
        in_bounds
            .into_iter()
            .any(|(_, by)| by.iter().any(|(one, write)| *write && by.iter().any(|(other, _)| one != other)))
    }
}

/// Rounds in which `s` changes, beside an `r` that does not, and `n`, which is what `s` was.
struct Rounds {
    /// Before what they do, and behind it.
    head: String,
    tail: String,
    /// What changes `s` stands in the ranges of the phase, of two in the second one.
    in_ranges: bool,
    values: Vec<Values>,
}

impl Rounds {
    /// `of` is the number that the kernel is launched with.
    fn random(rng: &mut Rng, of: usize) -> Self {
        let (mut s, r) = ([12, 12, 8, 16, 5, usize::MAX, usize::MAX / 2 + 2][rng.below(7)], 8);
        let keep = ["let n = s;", "let n = s;", "let (n, _) = (s, 0usize);", "let n; n = s;"][rng.below(4)];
        match rng.below(20) {
            0..4 => {
                // Each round has an `s` of its own.
                let head = format!(
                    "let r = {r}usize; for step in 0usize..{MOST_ROUNDS}usize {{ let s = {s}usize >> step; {keep}"
                );
                let values = (0..MOST_ROUNDS).map(|step| Values { s: s >> step, r, n: s >> step });
                return Self { head, tail: "}".to_owned(), in_ranges: false, values: values.collect() };
            }
            4 => {
                // A sum that may wrap, and half of it.
                let head = format!("let r = {r}usize; let mut s = of; s += 10usize; {keep} s /= 2usize; {{");
                let n = of.wrapping_add(10);
                return Self { head, tail: "}".to_owned(), in_ranges: false, values: vec![Values { s: n / 2, r, n }] };
            }
            5 => {
                let head = format!("let mut s = {s}usize; let r = {r}usize; {keep} {{");
                let values = vec![Values { s: s / 2, r, n: s }];
                return Self { head, tail: "}".to_owned(), in_ranges: true, values };
            }
            _ => {}
        }
        let head = match rng.below(4) {
            0 => format!("let (mut s, r) = ({s}usize, {r}usize);"),
            1 => format!("let mut s = {s}usize / 1usize; let r = {r}usize;"),
            _ => format!("let mut s = {s}usize; let r = {r}usize;"),
        };
        let change = rng.below(8);
        let next = match change {
            0 | 1 => "s /= 2usize;",
            2 => "s >>= 1usize;",
            3 => "s = s / 2usize;",
            4 => "s = s / 2usize - s / 4usize;",
            5 => "s -= 1usize;",
            6 => "s *= 18446744073709551615usize;",
            _ => "s = x[0usize] as usize;",
        };
        let first = rng.chance(30);
        let mut values = Vec::new();
        for round in 0..MOST_ROUNDS {
            if s == 0 {
                break;
            }
            let n = s;
            s = match change {
                0..=3 => s / 2,
                4 => s / 2 - s / 4,
                5 => s - 1,
                6 => s.wrapping_neg(),
                // Whatever the buffer holds.
                _ => [3, 0, usize::MAX][round.min(2)],
            };
            values.push(Values { s: if first { s } else { n }, r, n });
        }
        let (before, tail) = if first { (next, "}".to_owned()) } else { ("", format!("{next} }}")) };
        Self { head: format!("{head} while s > 0usize {{ {keep} {before}"), tail, in_ranges: false, values }
    }

    fn text(&self, body: &str) -> String {
        format!("{} {body} {}", self.head, self.tail)
    }
}

#[test]
fn random_rows() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000), setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let (mut accepted, mut meeting, mut in_vain) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let of = [LEN, 7, usize::MAX - 5][rng.below(3)];
        let rounds = Rounds::random(&mut rng, of);
        let phase = Phase::random(&mut rng, rounds.in_ranges);
        let source = format!(
            "fn k(x: &mut [u32], of: usize, far: Far) {{ for block in par_blocks(0usize..1usize).threads({LEN}) {{
                let mut a = block.shared([0u32; {LEN}]);
                let mut b = block.shared([[0u32; {LEN}]; {LEN}]);
                {}
                x[0usize] = a[0] + b[0][0];
            }} }}",
            phase.text(rng.below(3), &rounds)
        );
        let (kernel, loops) =
            judge::kernel_of(&source).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
        let axes = [decide::Axis { lo: 0, step: 1, trips: 1 }];
        let symbols = vec![Some(of as i128); loops[0].told.sources.len()];
        // Of a method and an assignment, rustc says that it is a user type's.
        let is_of_user = |slot: usize| matches!(kernel.loops[0].body.slots[slot], Slot::Method | Slot::Assign);
        let types =
            |slot| (phase.made.0 == Made::Plain || !is_of_user(slot)).then_some(IntType { bits: 64, signed: false });
        let numbers = decide::Numbers { blocks: &[], axes: &axes, symbols: &symbols, types: &types };
        let is_accepted = decide::decide_phases(&loops[0].told, &numbers).is_ok();
        let met = phase.meet(&rounds);
        accepted += u64::from(is_accepted);
        meeting += u64::from(met.is_some());
        in_vain += u64::from(!is_accepted && met.is_none());
        assert!(!is_accepted || met.is_none(), "seed {seed}: iterations meet with {met:?}\n{source}");
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!("{count} phases: {accepted} accepted, {meeting} whose iterations meet, {in_vain} refused in vain");
    assert!(accepted * 5 > count, "too few phases are accepted to show anything");
    assert!(meeting * 5 > count, "too few phases have iterations that meet to show anything");
}
