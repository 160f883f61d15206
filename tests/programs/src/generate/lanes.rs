//! Loops that the CPU runs in lanes: with loops in them that lanes leave at different times, and in
//! which nothing can fail. Inner loops read what all lanes share and what lies side by side, and
//! write no elements.

use anabranch_core::ops::{BinOp, CompareOp};

use super::Generator;
use super::features::Feature;
use super::profile::LANES;
use super::scope::FrameKind;
use super::values::{LANES as ROOMS, N, OWN, ROWS, surrounded_as};
use crate::program::{Adaptor, Expr, Kind, Program, Range, Stmt, Style, VarId};
use crate::types::{Scalar, Ty};

/// What keeps a loop out of lanes: it can fail or prints.
const NEVER: [Feature; 12] = {
    use Feature::*;
    [
        Panics,
        Asserts,
        Prints,
        Effects,
        LetElse,
        LateInit,
        LabelledBlocks,
        References,
        Spellings,
        Indexing,
        Chains,
        Atomics,
    ]
};

/// The program of a seed: one loop over `0..n`.
pub fn lanes(seed: u64, number: usize, features: &[Feature]) -> Program {
    in_lanes(seed, number, features, |generator| generator.par_body())
}

/// The same as a loop over blocks, with loops in its phases.
pub fn blocks_in_lanes(seed: u64, number: usize, features: &[Feature]) -> Program {
    in_lanes(seed, number, features, |generator| generator.over_blocks())
}

fn in_lanes(seed: u64, number: usize, features: &[Feature], body: fn(&mut Generator<'_>)) -> Program {
    // Some functions have branches, and no inner loop takes anything apart.
    let kept = |feature: &Feature| match feature {
        Feature::Calls => seed.is_multiple_of(3),
        Feature::Patterns => seed.is_multiple_of(5),
        Feature::Enums => seed % 4 == 1,
        other => !NEVER.contains(other),
    };
    let features: Vec<Feature> = features.iter().copied().filter(kept).collect();
    let program = Program { number, seed, style: Style::Device, in_lanes: true, ..Program::default() };
    let mut generator = surrounded_as(program, &LANES, &features);
    generator.scalars.push(Scalar::Usize);
    body(&mut generator);
    generator.program
}

impl Generator<'_> {
    /// Whether this place is in an inner loop that runs in lanes, or in a function.
    pub(super) fn only_computes(&self) -> bool {
        let in_loop = |kind: &FrameKind| matches!(kind, FrameKind::Loop | FrameKind::Valued(_) | FrameKind::Head);
        self.program.in_lanes && self.frames.iter().any(|frame| in_loop(&frame.kind))
    }

    /// Whether some lanes may have left a loop around, or ask whether they do.
    fn may_be_left(&self) -> bool {
        let loops = self.frames.iter().filter(|frame| frame.kind == FrameKind::Loop).count();
        loops > self.host.inner.len() || self.frames.iter().any(|frame| frame.kind == FrameKind::Head)
    }

    /// Whether something around the loop may be touched here.
    pub(super) fn reaches(&self, var: VarId) -> bool {
        !(self.only_computes() && [OWN, ROWS, ROOMS].contains(&var))
    }

    /// Of a slice with `n` elements.
    pub(super) fn lane_index(&mut self, var: VarId) -> Expr {
        self.freezing(var, |this| {
            let row = this.this_row();
            let last = Expr::bin(BinOp::Sub, this.var(N), Expr::usize(1));
            let weights = match (this.only_computes(), this.may_be_left()) {
                (false, _) => [35, 20, 14, 14, 8, 2],
                (true, false) => [8, 80, 5, 5, 2, 0],
                // What they share.
                (true, true) => [1, 99, 0, 0, 0, 0],
            };
            match this.rng.which(weights) {
                0 => row,
                1 => this.small(Scalar::Usize, 6),
                2 => {
                    let far = this.far();
                    let sum = if this.rng.chance(50) {
                        Expr::bin(BinOp::Add, row, far)
                    } else {
                        Expr::bin(BinOp::Add, far, row)
                    };
                    Expr::method("min", vec![sum, last])
                }
                3 => {
                    let far = this.far();
                    Expr::method("saturating_sub", vec![row, far])
                }
                4 => {
                    let (sum, near) = (Expr::bin(BinOp::Sub, row, this.far()), this.small(Scalar::Usize, 4));
                    Expr::method("clamp", vec![sum, near, last])
                }
                _ => {
                    let index = this.expr(&Scalar::Usize.into());
                    Expr::bin(BinOp::Rem, index, this.var(N))
                }
            }
        })
    }

    /// How far away an element is: mostly near, and the same in all lanes.
    fn far(&mut self) -> Expr {
        let counters: Vec<VarId> = self.host.inner.iter().map(|(var, _)| *var).collect();
        let visible = self.visible();
        let counters: Vec<VarId> = counters
            .into_iter()
            .filter(|var| visible.contains(var) && self.program.ty(*var).scalar() == Some(Scalar::Usize))
            .collect();
        match self.rng.which([50, 40, 10]) {
            0 if !counters.is_empty() => self.one_of(&counters),
            0 | 1 => self.small(Scalar::Usize, 8),
            _ => self.number(Scalar::Usize, 1),
        }
    }

    /// `if i + 2 < n { x[i + 2] } else { 0 }`: only some lanes have such an element.
    pub(super) fn guarded_read(&mut self, ty: &Ty) -> Option<Expr> {
        let has = |of: &Ty| matches!(of, Ty::Slice(element) if **element == *ty);
        let views: Vec<VarId> =
            self.visible_as(has).into_iter().filter(|var| self.is_around(*var) && self.reaches(*var)).collect();
        let views: Vec<VarId> = views.into_iter().filter(|var| ![OWN, ROOMS].contains(var)).collect();
        let view = *views.first()?;
        let (row, far) = (self.this_row(), self.small(Scalar::Usize, 5));
        let (cond, index) = match self.rng.chance(50) {
            true => {
                let sum = Expr::bin(BinOp::Add, row, far);
                (Expr::compare(CompareOp::Lt, sum.clone(), self.var(N)), sum)
            }
            false => {
                let difference = Expr::bin(BinOp::Sub, row.clone(), far.clone());
                (Expr::compare(CompareOp::Ge, row, far), difference)
            }
        };
        let otherwise = self.expr(ty);
        Some(Expr::choose(cond, Expr::element(self.var(view), index), otherwise))
    }

    /// Calls that surely happen.
    pub(super) fn results(&mut self) -> Vec<Stmt> {
        let outputs: Vec<Ty> = self.program.functions.iter().map(|function| function.output.clone()).collect();
        let call = |output: Ty| {
            let call = if matches!(output, Ty::Param(_)) { None } else { self.call(&output) };
            call.map(|call| Stmt::bind(self.shown("result", output, false), call))
        };
        outputs.into_iter().filter_map(call).collect()
    }

    /// A loop that all lanes run alike, mostly.
    pub(super) fn counted_in_lanes(&mut self) -> Stmt {
        let scalar = if self.rng.chance(50) { Scalar::Usize } else { self.int() };
        let label = self.maybe_label();
        // Of 24 iterations; what is literal and short is left to the compiler.
        let end = match self.rng.which([60, 30, 10]) {
            part if self.output.is_some() => match part {
                0 => Expr::bin(BinOp::Rem, self.expr(&Ty::Scalar(scalar)), Expr::int(7, scalar)),
                _ => self.small(scalar, 7),
            },
            0 => Expr::bin(BinOp::Sub, self.var(N), Expr::usize(18 + self.rng.below(7))).to(scalar),
            1 => self.small(scalar, 7),
            _ => Expr::bin(BinOp::Rem, self.this_row(), Expr::usize(5)).to(scalar),
        };
        let start = if self.rng.chance(70) { Expr::int(0, scalar) } else { self.small(scalar, 4) };
        let mut adaptors = Vec::new();
        if self.on(Feature::Steps) && self.rng.chance(self.profile.rev) {
            adaptors.push(Adaptor::Rev);
        }
        if self.on(Feature::Steps) && self.rng.chance(self.profile.step_by) {
            adaptors.push(Adaptor::StepBy(Expr::bare(1 + self.rng.below(4) as i128, Scalar::Usize)));
        }
        let inclusive = self.rng.chance(self.profile.inclusive);
        let range = Range { start: Box::new(start), end: Box::new(end), inclusive, adaptors };
        let mutable = self.rng.chance(self.profile.mutable / 25);
        let var = self.fresh(scalar, mutable);
        self.host.inner.push((var, (*range.end).clone()));
        let body = self.framed(label.clone(), FrameKind::Loop, |this| {
            this.scoped(|this| {
                this.bind(var);
                this.unit_block()
            })
        });
        self.host.inner.pop();
        Stmt::unit(Kind::For { label, var, range, body })
    }
}
