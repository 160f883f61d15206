//! Random loops that are cut in two: if the launch runs the halves as one loop, they do what they
//! do one after the other.

use anabranch_core::decide::Verdict;
use anabranch_programs::generate;
use anabranch_programs::machine::{self, End, Numbers};
use anabranch_programs::program::{Block, Host, Kind, Loop, Program, Stmt};
use anabranch_programs::resolve;
use anabranch_programs::rng::Rng;
use anabranch_programs::visit::{self, Node};

use super::{judge, setting};

#[derive(Default, Debug)]
struct Totals {
    /// Loops that can be cut.
    cut: usize,
    /// Halves that the macro makes one loop of.
    fused: usize,
    /// Launches that run them as one.
    launched: usize,
    /// Those that the launch refuses to.
    refused: usize,
}

/// A program with one loop, and the same with its body in two.
fn halves(seed: u64, rng: &mut Rng) -> Option<(Program, Program)> {
    let mut whole = generate::kernel(seed);
    let at = whole.host.iter().position(|host| matches!(host, Host::Loop(_)))?;
    whole.host.truncate(at + 1);
    let Some(Host::Loop(of)) = whole.host.last().cloned() else { return None };
    let count = of.body.stmts.len();
    let mut cuts: Vec<usize> = (1..count).collect();
    while !cuts.is_empty() {
        let cut = cuts.swap_remove(rng.below(cuts.len()));
        let (first, second) = of.body.stmts.split_at(cut);
        if does_more(first) {
            continue;
        }
        let half = |stmts: &[Stmt], value| {
            let body = Block { stmts: stmts.to_vec(), value };
            Host::Loop(Loop { body, ..of.clone() })
        };
        let mut apart = whole.clone();
        apart.host.pop();
        apart.host.extend([half(first, None), half(second, of.body.value.clone())]);
        apart.renumber();
        if resolve::is_sound(&apart) {
            whole.renumber();
            return Some((whole, apart));
        }
    }
    None
}

/// Whether the first half does what would end the whole iteration, or observes something, which
/// goes into a variable of the iteration.
fn does_more(stmts: &[Stmt]) -> bool {
    let mut found = false;
    visit::deep(Node::Block(&mut Block { stmts: stmts.to_vec(), value: None }), &mut |node| {
        found |= match node {
            Node::Block(block) => block.stmts.iter().any(|stmt| matches!(stmt, Stmt::Observe(_))),
            Node::Expr(expr) => matches!(expr.kind, Kind::Continue(_) | Kind::Return(_)),
            _ => false,
        };
    });
    found
}

/// Launches both; what is wrong with that.
fn launch(
    whole: &Program,
    apart: &Program,
    of: &judge::Described,
    numbers: &Numbers,
    totals: &mut Totals,
) -> Option<String> {
    let one_by_one = machine::run(apart, numbers, &mut |_| true);
    let (mut verdict, loops) = (None, whole.loops().len());
    let as_one = machine::run(whole, numbers, &mut |launch| {
        if launch.par_loop.number + 1 < loops {
            return true;
        }
        let said = of.decide(launch);
        verdict = Some(said);
        said == Ok(Verdict::Proved { narrow: true })
    });
    if [&one_by_one, &as_one].iter().any(|run| run.end == End::Endless) {
        return None;
    }
    if verdict != Some(Ok(Verdict::Proved { narrow: true })) {
        totals.refused += usize::from(verdict.is_some_and(|said| said.is_err()));
        return None;
    }
    totals.launched += 1;
    let (_, outcome) = as_one.loops.last()?;
    if let Some(met) = outcome.conflict.filter(|_| !whole.is_aliased()) {
        return Some(format!("iterations of the one loop meet: {met:?}"));
    }
    if outcome.has_failed() {
        return Some("the one loop fails".to_owned());
    }
    (one_by_one.memory != as_one.memory).then(|| "the buffers differ".to_owned())
}

/// `ANABRANCH_FUSION=100000` tries so many loops.
#[test]
fn random_halves() {
    let (mut totals, mut wrong) = (Totals::default(), Vec::new());
    for seed in 1..=setting("ANABRANCH_FUSION", 3_000) {
        let mut rng = Rng::new(seed);
        let Some((whole, apart)) = halves(seed, &mut rng) else { continue };
        totals.cut += 1;
        let Ok(Some(fused)) = judge::fused(&apart) else { continue };
        totals.fused += 1;
        for _ in 0..4 {
            let numbers = generate::numbers(&whole, &mut rng);
            if let Some(why) = launch(&whole, &apart, &fused, &numbers, &mut totals) {
                wrong.push(format!("{seed}: {why}\n{}", judge::source(&apart)));
            }
        }
    }
    eprintln!("{totals:?}");
    assert!(wrong.is_empty(), "{} wrong, such as {}", wrong.len(), wrong[0]);
    let Totals { cut, fused, launched, refused } = totals;
    assert!(10 * fused > cut && 3 * launched > fused && refused > 0, "too few to show anything");
}
