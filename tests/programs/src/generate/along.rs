//! Inner loops over ranges that data decide, with elements along them. The CPU asks before such a loop whether all are in bounds, so most are, and some
//! are not: behind the end, in the middle because a number wraps, or where no iteration comes to them.

use anabranch_core::ops::BinOp;

use super::Generator;
use super::features::Feature;
use super::profile::ALONG;
use super::scope::FrameKind;
use super::values::{N, surrounded_as};
use crate::program::{Block, Expr, Kind, Pattern, Program, Range, Stmt, Style, VarId};
use crate::types::{Scalar, Ty};

/// What else fails in an iteration would hide what fails along a range.
const NEVER: [Feature; 5] =
    [Feature::Panics, Feature::Asserts, Feature::Effects, Feature::Spellings, Feature::LabelledBlocks];

/// The program of a seed: one loop over `0..n`.
pub fn along(seed: u64, number: usize, features: &[Feature]) -> Program {
    let features: Vec<Feature> = features.iter().copied().filter(|feature| !NEVER.contains(feature)).collect();
    let program = Program { number, seed, style: Style::Device, ..Program::default() };
    let mut generator = surrounded_as(program, &ALONG, &features);
    generator.par_body();
    generator.program
}

/// What indexes in such a loop are made of.
struct Bases {
    /// What grows with the loop.
    grow: Vec<VarId>,
    /// What the iterations may change.
    changed: Vec<VarId>,
}

impl Generator<'_> {
    pub(super) fn along(&mut self) -> Stmt {
        if !self.rng.chance(30) {
            return self.along_with(None);
        }
        let first = Expr::usize(self.rng.below(3));
        let stmts = self.scoped(|this| {
            let step = this.shown("step", Scalar::Usize, true);
            vec![Stmt::bind(step, first), this.along_with(Some(step))]
        });
        Stmt::unit(Kind::Block { label: None, block: Block { stmts, value: None } })
    }

    fn along_with(&mut self, step: Option<VarId>) -> Stmt {
        let scalar = match self.rng.which([45, 20, 10, 25]) {
            0 => Scalar::Usize,
            1 => Scalar::U8,
            2 => Scalar::I8,
            _ => self.int(),
        };
        let label = self.maybe_label();
        let range = self.decided_by_data(scalar);
        let mutable = self.rng.chance(20);
        let var = self.fresh(scalar, mutable);
        let body = self.framed(label.clone(), FrameKind::Loop, |this| {
            this.scoped(|this| {
                this.bind(var);
                let changed = step.into_iter().chain(mutable.then_some(var)).collect();
                let (mut stmts, mut bases) = (Vec::new(), Bases { grow: vec![var], changed });
                for _ in 0..2 + this.rng.below(3) {
                    this.elements(&mut bases, &mut stmts);
                }
                Block { stmts, value: None }
            })
        });
        Stmt::unit(Kind::For { label, var, range, body })
    }

    fn decided_by_data(&mut self, scalar: Scalar) -> Range {
        let data = |this: &mut Self, most: usize| {
            let by = Expr::int((1 + this.rng.below(most)) as i128, scalar);
            Expr::bin(BinOp::Rem, this.number(scalar, 1), by)
        };
        let last = Expr::int(scalar.greatest().min(i128::MAX as u128) as i128, scalar);
        let (start, end) = match self.rng.which([50, 20, 10, 20]) {
            0 => (self.small(scalar, 4), data(self, 9) + self.small(scalar, 8)),
            1 => (data(self, 9), self.var(N).to(scalar) + Expr::int(self.rng.below(2) as i128, scalar)),
            2 => (last.clone() - data(self, 5), last),
            // With what is added, the last index comes back to where the first one is.
            _ if scalar.bits() == 8 => (self.small(scalar, 4), last - data(self, 6)),
            _ => (data(self, 9), data(self, 30)),
        };
        Range { start: Box::new(start), end: Box::new(end), inclusive: self.rng.chance(5), adaptors: Vec::new() }
    }

    /// A statement with an element whose index grows with the loop, or one on the way to it.
    fn elements(&mut self, bases: &mut Bases, stmts: &mut Vec<Stmt>) {
        match self.rng.which([18, 50, 10, 7, 25, 8]) {
            0 => {
                let index = self.grows(bases);
                // It may hide another one.
                let mutable = self.rng.chance(15);
                let var = self.fresh(Scalar::Usize, mutable);
                stmts.push(Stmt::bind(var, index));
                self.bind(var);
                bases.grow.push(var);
                bases.changed.extend(mutable.then_some(var));
            }
            1 => stmts.extend(self.element_along(bases)),
            2 => {
                let cond = self.bool();
                let then = self.scoped(|this| this.element_along(bases));
                stmts.push(Stmt::when(cond, then, Vec::new()));
            }
            3 => stmts.push(Stmt::when(self.bool(), vec![Stmt::leave()], Vec::new())),
            // `let (a, b) = (2, k + a);`: what the first one hides, the second one may mean.
            5 => {
                let values = vec![self.small(Scalar::Usize, 4), self.grows(bases)];
                let vars = [self.fresh(Scalar::Usize, false), self.fresh(Scalar::Usize, false)];
                let ty = Ty::Tuple(vec![Scalar::Usize.into(), Scalar::Usize.into()]);
                if self.program.name(vars[0]) != self.program.name(vars[1]) {
                    let pattern = Pattern::Tuple(vars.map(Pattern::bind).into());
                    stmts.push(Stmt::destructure(pattern, Expr::new(ty, Kind::Tuple(values))));
                    vars.into_iter().for_each(|var| self.bind(var));
                    bases.grow.push(vars[1]);
                }
            }
            _ => {
                let (visible, changed) = (self.visible(), &bases.changed);
                let changed: Vec<VarId> = changed.iter().copied().filter(|var| visible.contains(var)).collect();
                if !changed.is_empty() {
                    let place = self.one_of(&changed);
                    let by = Expr::int(1 + self.rng.below(3) as i128, place.scalar());
                    stmts.push(Stmt::assign_op(BinOp::Add, place, by));
                }
            }
        }
    }

    /// `let seen = x[k];`, and it counts.
    fn element_along(&mut self, bases: &Bases) -> Vec<Stmt> {
        let slices = self.visible_as(|ty| matches!(ty, Ty::Slice(_)));
        let slices: Vec<VarId> =
            slices.into_iter().filter(|var| self.is_around(*var) && !self.program.vars[var.0].mutable).collect();
        if slices.is_empty() {
            return Vec::new();
        }
        let (slice, index) = (self.pick(&slices), self.grows(bases));
        let mut stmts = Vec::new();
        self.name(Expr::element(self.var(slice), index), &mut stmts);
        let seen = self.scopes.last().and_then(|scope| scope.last().copied());
        stmts.extend(seen.map(|seen| self.observed(seen)));
        stmts
    }

    /// `(k + 2) as usize - a`: an index that mostly grows by 1 in each iteration.
    fn grows(&mut self, bases: &Bases) -> Expr {
        let visible = self.visible();
        let visible = |all: &[VarId]| all.iter().copied().filter(|var| visible.contains(var)).collect::<Vec<VarId>>();
        let (bases, changed) = (visible(&bases.grow), visible(&bases.changed));
        let base = if bases.is_empty() { None } else { Some(self.pick(&bases)) };
        let mut index = base.map_or_else(|| self.this_row(), |base| self.var(base));
        let through = if self.rng.chance(10) { self.int() } else { index.scalar() };
        for ty in [index.scalar(), through, Scalar::Usize] {
            index = index.to(ty);
            if self.rng.chance(if ty.bits() == 8 { 50 } else { 20 }) {
                let op = *self.rng.pick(&[BinOp::Add, BinOp::Add, BinOp::Sub]);
                let by = if self.rng.chance(70) { self.small(ty, 9) } else { self.number(ty, 0) };
                index = Expr::bin(op, index, by);
            }
        }
        let changed: Vec<VarId> = changed.into_iter().filter(|var| Some(*var) != base).collect();
        if changed.is_empty() || self.rng.chance(30) {
            return index;
        }
        index + self.one_of(&changed).to(Scalar::Usize)
    }
}
