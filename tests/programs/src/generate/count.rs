//! Inner loops that count.

use super::Generator;
use super::features::Feature;
use super::profile::Span;
use super::scope::FrameKind;
use crate::program::{Adaptor, Expr, Kind, Range, Stmt, VarId};
use crate::types::{Scalar, Ty};

impl Generator<'_> {
    pub(super) fn for_loop(&mut self) -> Stmt {
        if self.program.in_lanes {
            return self.counted_in_lanes();
        }
        let (span, scalar) = (self.rng.weighted(self.profile.spans), self.int());
        // What such a loop counts from may wrap.
        let narrow = span == Span::Window && self.profile.all.contains(&Scalar::U8) && self.rng.chance(40);
        let scalar = if narrow { Scalar::U8 } else { scalar };
        let label = self.maybe_label();
        let range = self.range(scalar, span);
        let mutable = self.rng.chance(self.profile.mutable / 6);
        let var = self.counter_of(scalar, mutable);
        self.host.inner.push((var, (*range.end).clone()));
        let body = self.framed(label.clone(), FrameKind::Loop, |this| {
            this.scoped(|this| {
                this.bind(var);
                let mut body = this.unit_block();
                // Which values, and in which order.
                if this.output.is_none() && this.rng.chance(this.profile.observed) {
                    body.stmts.insert(0, this.observed(var));
                }
                let steps = range.adaptors.iter().any(|adaptor| matches!(adaptor, Adaptor::StepBy(_)));
                // It would take too long, but for a few steps or none.
                if span == Span::Huge && !steps && this.rng.chance(60) {
                    body.stmts.push(Stmt::leave());
                }
                body
            })
        });
        self.host.inner.pop();
        let stmt = Stmt::unit(Kind::For { label, var, range, body });
        if span == Span::Huge && self.rng.chance(50) { Stmt::when(self.bool(), vec![stmt], Vec::new()) } else { stmt }
    }

    /// The variable of an inner loop, which is not in scope yet.
    pub(super) fn counter_of(&mut self, ty: Scalar, mutable: bool) -> VarId {
        match self.profile.inner {
            [] => self.fresh(ty, mutable),
            names => self.program.declare(names[self.host.inner.len().min(names.len() - 1)], ty, mutable),
        }
    }

    fn range(&mut self, scalar: Scalar, span: Span) -> Range {
        let ty: Ty = scalar.into();
        let inclusive = self.rng.chance(self.profile.inclusive);
        let more = |this: &mut Self| Expr::int(1 + this.rng.below(3) as i128, scalar);
        let (start, end) = match span {
            Span::Small => (self.start(scalar), self.small(scalar, 6)),
            // Up to the greatest value.
            Span::Last => {
                let max = scalar.greatest();
                let start = max - self.rng.below(4) as u128;
                (Expr::int(start as i128, scalar), Expr::int(max as i128, scalar))
            }
            Span::Any if self.is_device() => (self.expr(&ty), self.pinned(&ty)),
            Span::Any => (self.start(scalar), self.number(scalar, 1)),
            Span::Variable => (self.start(scalar), self.number(scalar, 0)),
            Span::Window => {
                let depth = self.rng.below(2);
                let from = self.number(scalar, depth);
                let [first, again] = [self.again(from.clone(), scalar), self.again(from, scalar)];
                (first, again + more(self))
            }
            Span::Backwards => {
                // A launch knows numbers of 64 bits.
                let last = scalar.max().min(i64::MAX.into());
                let far =
                    if self.rng.chance(50) { last - self.rng.below(3) as i128 } else { 3 + self.rng.below(5) as i128 };
                let end = if self.rng.chance(60) { self.rng.below(3) as i128 } else { -1 };
                let end = if end < 0 { self.number(scalar, 0) } else { Expr::int(end, scalar) };
                (Expr::int(far.min(scalar.max()), scalar), end)
            }
            Span::Huge => (self.start(scalar), Expr::int(scalar.max() - self.rng.below(4) as i128, scalar)),
            Span::Chunk => {
                let (var, chunk) = (self.number(scalar, 0), 2 + self.rng.below(2));
                let size = Expr::int(1 + self.rng.below(chunk) as i128, scalar);
                let start = var * Expr::int(chunk as i128, scalar);
                (start.clone(), start + size)
            }
        };
        let adaptors = self.adaptors(scalar, span, inclusive);
        Range { start: Box::new(start), end: Box::new(end), inclusive, adaptors }
    }

    /// Mostly 0.
    fn start(&mut self, scalar: Scalar) -> Expr {
        match self.rng.which([50, 30, 20]) {
            0 => Expr::int(0, scalar),
            1 => self.small(scalar, 4),
            _ => self.number(scalar, 0),
        }
    }

    fn adaptors(&mut self, scalar: Scalar, span: Span, inclusive: bool) -> Vec<Adaptor> {
        let mut adaptors = Vec::new();
        if !self.on(Feature::Steps) {
            return adaptors;
        }
        if self.rng.chance(self.profile.rev) {
            adaptors.push(Adaptor::Rev);
        }
        if self.rng.chance(self.profile.step_by) {
            let step = self.step(scalar, span);
            // `.step_by(k).rev()` is only for ranges that know their length.
            let counted = if inclusive { scalar.bits() <= 16 } else { scalar.bits() <= 32 || scalar == Scalar::Usize };
            let last = adaptors.len();
            let at = if counted && !self.is_device() { self.rng.below(last + 1) } else { last };
            adaptors.insert(at, Adaptor::StepBy(step));
        }
        adaptors
    }

    fn step(&mut self, scalar: Scalar, span: Span) -> Expr {
        if self.is_device() {
            let zero = usize::from(!(self.on(Feature::Panics) && self.rng.chance(10)));
            return Expr::bare((zero + self.rng.below(4)) as i128, Scalar::Usize);
        }
        match self.rng.which([70, 22, 8]) {
            0 if span == Span::Huge => Expr::int(1 << (scalar.bits() - 2 - self.rng.below(2) as u32), Scalar::Usize),
            1 => self.number(Scalar::Usize, 0),
            2 if self.on(Feature::Panics) => Expr::int(Scalar::Usize.max() >> self.rng.below(64), Scalar::Usize),
            _ => Expr::usize(1 + self.rng.below(3)),
        }
    }
}
