//! Inner loops over ranges that data decide, with elements along them. The CPU asks before such a
//! loop whether all are in bounds, so most are, and some are not: past the end, in the middle
//! because a number wraps, or where no iteration comes to them.

use anabranch_core::ops::BinOp;

use super::Generator;
use super::features::Feature;
use super::profile::ALONG;
use super::scope::FrameKind;
use super::values::{N, OWN, surrounded_as};
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

/// What leads an index away from where it seems to go.
#[derive(Clone, Copy)]
enum Trap {
    Nothing,
    /// A variable around the loop, which each iteration changes.
    Step(VarId),
    /// The variable of the loop, which each iteration changes.
    Own,
    /// The numbers of a small type, which end between the first iteration and the last one.
    Wrap,
    /// A variable around the loop, whose name another one takes: `let (far, at) = (1, k + far);`.
    Hidden(VarId),
}

impl Generator<'_> {
    pub(super) fn along(&mut self) -> Stmt {
        let block = self.scoped(|this| {
            let (name, first) = match this.rng.which([35, 15, 15, 20, 15]) {
                0 => return this.along_with(Trap::Nothing, Vec::new()),
                1 => return this.along_with(Trap::Own, Vec::new()),
                2 => return this.along_with(Trap::Wrap, Vec::new()),
                3 => ("step", Expr::usize(this.rng.below(3))),
                _ => ("far", Expr::bin(BinOp::Rem, this.number(Scalar::Usize, 1), Expr::usize(40))),
            };
            let var = this.shown(name, Scalar::Usize, name == "step");
            let trap = if name == "step" { Trap::Step(var) } else { Trap::Hidden(var) };
            this.along_with(trap, vec![Stmt::bind(var, first)])
        });
        Stmt::unit(Kind::Block { label: None, block })
    }

    fn along_with(&mut self, trap: Trap, mut before: Vec<Stmt>) -> Block {
        let scalar = match (trap, self.rng.which([50, 15, 10, 25])) {
            (Trap::Wrap, _) => Scalar::U8,
            (_, 0) => Scalar::Usize,
            (_, 1) => Scalar::U8,
            (_, 2) => Scalar::I8,
            _ => self.int(),
        };
        let label = self.maybe_label();
        let range = self.decided_by_data(scalar, trap, &mut before);
        let mutable = matches!(trap, Trap::Own) || self.rng.chance(5);
        let var = self.fresh(scalar, mutable);
        let body = self.framed(label.clone(), FrameKind::Loop, |this| {
            this.scoped(|this| {
                this.bind(var);
                let (mut stmts, mut bases) = (Vec::new(), vec![var]);
                // One element that is not in bounds hides what is asked of the others.
                let alone = !matches!(trap, Trap::Nothing) && this.rng.chance(70);
                for _ in 0..if alone { 0 } else { this.rng.below(3) } {
                    this.elements(&mut bases, &mut stmts);
                }
                if this.visible().contains(&var) {
                    this.trapped(trap, var, &mut stmts);
                }
                Block { stmts, value: None }
            })
        });
        before.push(Stmt::unit(Kind::For { label, var, range, body }));
        Block { stmts: before, value: None }
    }

    /// A range that ends at what a slice holds: so the launch knows nothing of it.
    fn decided_by_data(&mut self, scalar: Scalar, trap: Trap, before: &mut Vec<Stmt>) -> Range {
        let data = |this: &mut Self, most: usize| {
            let by = Expr::int((1 + this.rng.below(most)) as i128, scalar);
            Expr::bin(BinOp::Rem, this.number(scalar, 1), by)
        };
        let last = Expr::int(scalar.greatest().min(i64::MAX as u128) as i128, scalar);
        let (start, end) = match (trap, self.rng.which([80, 8, 4, 8])) {
            // With what is added, the last index comes back to where the first one is.
            (Trap::Wrap, _) => (self.small(scalar, 4), last - data(self, 6)),
            (_, 0) => (self.small(scalar, 4), data(self, 9) + self.small(scalar, 8)),
            (_, 1) => (data(self, 9), self.var(N).to(scalar) + Expr::int(self.rng.below(2) as i128, scalar)),
            (_, 2) => (last.clone() - data(self, 5), last),
            _ => (data(self, 9), data(self, 30)),
        };
        let kept = Expr::bin(BinOp::Add, Expr::bin(BinOp::Mul, self.this_row(), Expr::usize(4)), Expr::usize(3));
        let kept = Expr::element(self.var(OWN), kept);
        before.push(Stmt::assign(kept.clone(), end.to(Scalar::I64)));
        let end = kept.to(scalar);
        Range { start: Box::new(start), end: Box::new(end), inclusive: self.rng.chance(5), adaptors: Vec::new() }
    }

    fn trapped(&mut self, trap: Trap, var: VarId, stmts: &mut Vec<Stmt>) {
        let index = self.var(var).to(Scalar::Usize);
        let by = |this: &mut Self, ty: Scalar| Expr::int(1 + this.rng.below(3) as i128, ty);
        match trap {
            Trap::Nothing => stmts.extend(self.element_at(index)),
            Trap::Step(step) => {
                let by = by(self, Scalar::Usize);
                stmts.push(Stmt::assign_op(BinOp::Add, self.var(step), by));
                stmts.extend(self.element_at(index + self.var(step)));
            }
            Trap::Own => {
                let by = by(self, self.program.ty(var).scalar().unwrap_or(Scalar::Usize));
                stmts.push(Stmt::assign_op(BinOp::Add, self.var(var), by));
                stmts.extend(self.element_at(index));
            }
            Trap::Wrap => {
                let from = self.small(Scalar::U8, 20);
                stmts.extend(self.element_at((self.var(var) + from).to(Scalar::Usize)));
            }
            Trap::Hidden(far) => {
                let values = vec![self.small(Scalar::Usize, 3), index + self.var(far)];
                let vars = ["far", "at"].map(|name| self.program.declare(name, Scalar::Usize, false));
                let ty = Ty::Tuple(vec![Scalar::Usize.into(), Scalar::Usize.into()]);
                let pattern = Pattern::Tuple(vars.map(Pattern::bind).into());
                stmts.push(Stmt::destructure(pattern, Expr::new(ty, Kind::Tuple(values))));
                vars.into_iter().for_each(|var| self.bind(var));
                stmts.extend(self.element_at(self.var(vars[0]) + self.var(vars[1])));
            }
        }
    }

    /// A statement with an element whose index grows with the loop, or one on the way to it.
    fn elements(&mut self, bases: &mut Vec<VarId>, stmts: &mut Vec<Stmt>) {
        match self.rng.which([30, 50, 12, 8]) {
            0 => {
                let index = self.grows(bases);
                // It may hide another one.
                let mutable = self.rng.chance(15);
                let var = self.fresh(Scalar::Usize, mutable);
                stmts.push(Stmt::bind(var, index));
                self.bind(var);
                bases.push(var);
            }
            1 => {
                let index = self.grows(bases);
                stmts.extend(self.element_at(index));
            }
            2 => {
                let cond = self.bool();
                let then = self.scoped(|this| {
                    let index = this.grows(bases);
                    this.element_at(index)
                });
                stmts.push(Stmt::when(cond, then, Vec::new()));
            }
            _ => stmts.push(Stmt::when(self.bool(), vec![Stmt::leave()], Vec::new())),
        }
    }

    /// `let seen = x[k];`, and it counts.
    fn element_at(&mut self, index: Expr) -> Vec<Stmt> {
        let slices = self.visible_as(|ty| matches!(ty, Ty::Slice(_)));
        let slices: Vec<VarId> =
            slices.into_iter().filter(|var| self.is_around(*var) && !self.program.vars[var.0].mutable).collect();
        if slices.is_empty() {
            return Vec::new();
        }
        let slice = self.pick(&slices);
        let mut stmts = Vec::new();
        self.name(Expr::element(self.var(slice), index), &mut stmts);
        let seen = self.scopes.last().and_then(|scope| scope.last().copied());
        stmts.extend(seen.map(|seen| self.observed(seen)));
        stmts
    }

    /// `(k + 2) as usize - a`: an index that mostly grows by 1 in each iteration.
    fn grows(&mut self, bases: &[VarId]) -> Expr {
        let visible = self.visible();
        let bases: Vec<VarId> = bases.iter().copied().filter(|var| visible.contains(var)).collect();
        let mut index = if bases.is_empty() { self.this_row() } else { self.one_of(&bases) };
        let through = if self.rng.chance(10) { self.int() } else { index.scalar() };
        for ty in [index.scalar(), through, Scalar::Usize] {
            index = index.to(ty);
            if self.rng.chance(10) {
                let op = *self.rng.pick(&[BinOp::Add, BinOp::Add, BinOp::Sub]);
                let by = if self.rng.chance(70) { self.small(ty, 4) } else { self.number(ty, 0) };
                index = Expr::bin(op, index, by);
            }
        }
        index
    }
}
