//! What the judges rely on.

use std::convert::Infallible;

use anabranch_core::ops::BinOp;

use crate::generate::{self, Feature, accesses};
use crate::program::{Expr, Kind, Program, Style};
use crate::shrink::{self, Judge};
use crate::visit::{self, Node};
use crate::{print, resolve};

#[test]
fn names_mean_what_the_tree_says() {
    for seed in 1..=300 {
        let mut programs =
            vec![generate::program(seed, 0, Feature::ALL), generate::kernel(seed), accesses::random(seed).0.program];
        if seed % 4 == 0 {
            programs.push(generate::blocks(seed, 0, Feature::ALL));
            programs.push(generate::reductions(seed, 0, Feature::ALL));
            programs.push(generate::lanes(seed, 0, Feature::ALL));
            programs.push(generate::along(seed, 0, Feature::ALL));
        }
        for (kind, program) in programs.iter().enumerate() {
            assert!(resolve::is_sound(program), "seed {seed} of kind {kind}");
        }
    }
}

#[test]
fn a_seed_is_a_program() {
    let text = |seed| {
        let program = generate::program(seed, 0, Feature::ALL);
        print::items(&program) + &print::body(&program, &program.loops()[0].body)
    };
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

/// A judge that calls programs wrong in which a remainder is taken.
struct Remainders;

impl Judge for Remainders {
    type Error = Infallible;

    const TOGETHER: usize = 8;

    fn fails(&mut self, programs: &[Program]) -> Result<Option<Vec<bool>>, Infallible> {
        Ok(Some(programs.iter().map(|program| nodes(program).1 > 0).collect()))
    }
}

/// The expressions of a program, and those of them that take a remainder.
fn nodes(program: &Program) -> (usize, usize) {
    let (mut all, mut remainders) = (0, 0);
    visit::look(program, &mut |node| {
        if let Node::Expr(Expr { kind, .. }) = node {
            all += 1;
            remainders += usize::from(matches!(kind, Kind::Binary(BinOp::Rem, ..)));
        }
    });
    (all, remainders)
}

#[test]
fn what_is_left_is_small() {
    let programs = (1..=5).flat_map(|seed| [generate::program(seed, 0, Feature::ALL), generate::kernel(seed)]);
    let programs = programs.chain((1..=2).map(|seed| generate::blocks(seed, 0, Feature::ALL)));
    let programs = programs.chain((1..=2).map(|seed| generate::reductions(seed, 0, Feature::ALL)));
    for program in programs.filter(|program| nodes(program).1 > 0) {
        let Ok(small) = shrink::smallest(program.clone(), &mut Remainders);
        assert!(
            small.style == Style::Kernel || small.loops().len() == program.loops().len(),
            "the loop of a device program stays"
        );
        let (all, remainders) = nodes(&small);
        assert!(remainders == 1 && all <= 20, "{all} of {}: {}", nodes(&program).0, print::items(&small));
    }
}
