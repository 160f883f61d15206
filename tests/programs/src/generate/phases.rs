//! Phases: what the threads of a block run, each for itself.

use anabranch_core::ops::{BinOp, CompareOp};

use super::Generator;
use super::scope::{Frame, FrameKind};
use super::teams::{LAST, Place, bare, lens, range};
use super::values::LANES;
use crate::program::{Collective, Expr, Kind, Range, Stmt, VarId};
use crate::types::{Scalar, Ty};

/// What the iterations of a phase are.
struct Iterations {
    vars: Vec<VarId>,
    /// For each variable where it begins, and how many values it has at most.
    spans: Vec<(usize, usize)>,
    /// `None` for one iteration a thread.
    ranges: Option<Vec<Range>>,
}

/// An element that each iteration of a phase has of its own.
struct Owned {
    place: Expr,
    /// Only the generator knows that no other has it.
    promised: bool,
}

impl Iterations {
    fn count(&self) -> usize {
        self.spans.iter().map(|(_, count)| count).product()
    }
}

impl Generator<'_> {
    /// What runs in each thread of a block: its variables are there, and those of the block stay as
    /// they are.
    pub(super) fn by_each_thread<T>(
        &mut self,
        at: Place,
        frames: Vec<Frame>,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (frozen, banned) = (self.frozen.len(), self.banned.len());
        let visible = self.visible();
        self.frozen.extend(visible);
        let frames = std::mem::replace(&mut self.frames, frames);
        let each = self.team().each.clone();
        self.team.iter_mut().for_each(|team| team.at = at);
        let value = self.scoped(|this| {
            each.into_iter().for_each(|var| this.bind(var));
            inside(this)
        });
        self.team.iter_mut().for_each(|team| team.at = Place::Uniform);
        self.frames = frames;
        self.frozen.truncate(frozen);
        self.banned.truncate(banned);
        value
    }

    /// A phase with some writes.
    pub(super) fn phase(&mut self) -> Stmt {
        let iterations = self.iterations();
        let label = self.label();
        let frame = Frame { label: Some(label.clone()), kind: FrameKind::Par };
        let shared = self.team().shared.clone();
        let body = self.by_each_thread(Place::Phase, vec![frame], |this| {
            iterations.vars.iter().for_each(|var| this.bind(*var));
            let mut owned = Vec::new();
            for array in shared {
                if this.rng.chance(45)
                    && let Some(place) = this.element_of(array, &iterations)
                {
                    this.banned.push(array);
                    owned.push(place);
                }
            }
            if this.rng.chance(25) {
                owned.extend(this.lane_of(&iterations));
            }
            let mut stmts = Vec::new();
            for _ in 0..1 + this.rng.below(3) {
                stmts.extend(this.statements(1));
                if this.program.in_lanes && this.rng.chance(40) {
                    stmts.push(this.for_loop());
                }
                if !owned.is_empty() && this.rng.chance(50) {
                    let at = this.rng.below(owned.len());
                    stmts.push(this.written(&owned[at]));
                }
            }
            for place in &owned {
                if this.rng.chance(60) {
                    stmts.push(this.written(place));
                }
            }
            stmts
        });
        let Iterations { vars, ranges, .. } = iterations;
        Stmt::unit(Kind::Phase { label, vars, ranges, body: body.into() })
    }

    /// A value of each thread whose sums round: their order shows.
    pub(super) fn rounding(&mut self, stmts: &mut Vec<Stmt>) {
        let scalar = self.pick(&[Scalar::F32, Scalar::F64]);
        self.of_each(scalar.into(), true, Expr::new(scalar, Kind::Each(Box::new(Expr::zero(&scalar.into())))), stmts);
        let own = self.team().each[self.team().each.len() - 1];
        let vars: Vec<VarId> =
            self.team().shape.clone().iter().map(|_| self.named("lane", Scalar::Usize, false)).collect();
        let number = vars.iter().fold(self.var(super::values::I), |number, var| number * bare(7) + self.var(*var));
        // Near and far from zero, in no order.
        let number = Expr::bin(BinOp::Rem, number * bare(37), bare(101));
        let below = number.to(scalar) + Expr::float("0.3", scalar);
        let part = Expr::bin(BinOp::Div, Expr::float("1000.0", scalar), below);
        let body = vec![Stmt::assign(self.var(own), part)].into();
        stmts.push(Stmt::unit(Kind::Phase { label: "first".to_owned(), vars, ranges: None, body }));
        let own = || Box::new(self.program.var(own));
        let of_all = |op| Expr::new(scalar, Kind::Collective { op, own: own(), thread: None });
        let (sum, scan) = (of_all(Collective::Sum), of_all(Collective::InclusiveSum));
        let sum_of_all = self.named("sum", scalar, false);
        stmts.push(Stmt::bind(sum_of_all, sum));
        self.bind(sum_of_all);
        self.of_each(scalar.into(), false, scan, stmts);
    }

    /// A phase that writes all elements of an array, or nearly so, before anything reads them.
    pub(super) fn filling(&mut self, array: VarId) -> Stmt {
        let (mut lens, _) = lens(self.program.ty(array));
        if self.rng.chance(40) {
            let last = lens.len() - 1;
            lens[last] -= 1;
        }
        let vars: Vec<VarId> = lens.iter().map(|_| self.named("lane", Scalar::Usize, false)).collect();
        let place = vars.iter().fold(self.var(array), |place, var| Expr::element(place, self.var(*var)));
        let label = self.label();
        let frame = Frame { label: Some(label.clone()), kind: FrameKind::Par };
        let owned = Owned { place, promised: false };
        let body = self.by_each_thread(Place::Phase, vec![frame], |this| {
            vars.iter().for_each(|var| this.bind(*var));
            this.banned.push(array);
            let mut stmts = if this.rng.chance(25) { this.statements(1) } else { Vec::new() };
            let place = owned.place.clone();
            stmts.push(if this.rng.chance(75) {
                let value = this.expr(&place.ty.clone());
                Stmt::assign(place, value)
            } else {
                this.written(&owned)
            });
            stmts.extend(this.statements(1));
            stmts
        });
        let ranges = Some(lens.iter().map(|len| range(bare(0), bare(*len))).collect());
        Stmt::unit(Kind::Phase { label, vars, ranges, body: body.into() })
    }

    /// The iterations of a phase: those of the threads, or others, fewer or more.
    fn iterations(&mut self) -> Iterations {
        let (shape, threads) = (self.team().shape.clone(), self.team().threads());
        // Where no index says what type they have, they would be `i32`.
        let start = if self.program.in_lanes { Expr::usize } else { bare };
        let literal = move |(first, count): &(usize, usize)| range(start(*first), bare(first + count));
        let (spans, ranges): (Vec<(usize, usize)>, _) = match self.rng.which([55, 20, 10, 8, 7]) {
            0 => (shape.iter().map(|len| (0, *len)).collect(), None),
            1 => {
                let counts = [0, 1, threads - 1, threads, threads + 5, 2 * threads + 3, 40];
                let span = (self.pick(&[0, 0, 0, 3]), self.pick(&counts).min(130));
                (vec![span], Some(vec![literal(&span)]))
            }
            2 => {
                // What it reads, the phase may write.
                let end = Expr::bin(BinOp::Rem, self.expr(&Scalar::Usize.into()), bare(30));
                (vec![(0, 29)], Some(vec![range(bare(0), end)]))
            }
            3 => {
                let spans = vec![(0, 1 + self.rng.below(6)), (self.rng.below(3), self.rng.below(9))];
                (spans.clone(), Some(spans.iter().map(literal).collect()))
            }
            _ => {
                let spans = vec![(0, 2), (self.rng.below(2), 3), (0, 1 + self.rng.below(4))];
                (spans.clone(), Some(spans.iter().map(literal).collect()))
            }
        };
        let vars = spans.iter().map(|_| self.named("lane", Scalar::Usize, false)).collect();
        Iterations { vars, spans, ranges }
    }

    /// The number of an iteration.
    fn number_of(&self, iterations: &Iterations) -> Expr {
        let from_zero = |(var, (start, _)): (&VarId, &(usize, usize))| {
            if *start == 0 { self.var(*var) } else { self.var(*var) - bare(*start) }
        };
        let mut digits = iterations.vars.iter().zip(&iterations.spans).map(from_zero);
        let first = digits.next().expect("a phase has a variable");
        digits.zip(&iterations.spans[1..]).fold(first, |number, (digit, (_, count))| number * bare(*count) + digit)
    }

    /// An element of an array for each iteration, if it is long enough.
    fn element_of(&mut self, array: VarId, iterations: &Iterations) -> Option<Owned> {
        let (lens, _) = lens(self.program.ty(array));
        let (count, number) = (iterations.count(), self.number_of(iterations));
        let whole = self.var(array);
        if let [h, w] = lens[..] {
            if let ([y, x], [(y0, rows), (x0, columns)]) = (&iterations.vars[..], &iterations.spans[..])
                && y0 + rows <= h
                && x0 + columns <= w
            {
                let (y, x) = (self.var(*y), self.var(*x));
                let y = if self.rng.chance(30) { bare(h - 1) - y } else { y };
                return Some(Owned { place: Expr::element(Expr::element(whole, y), x), promised: false });
            }
            return match self.rng.below(2) {
                0 if count <= w => {
                    let row = Expr::element(whole, bare(self.rng.below(h)));
                    Some(Owned { place: Expr::element(row, number), promised: false })
                }
                1 if count <= h => {
                    let row = Expr::element(whole, number);
                    Some(Owned { place: Expr::element(row, bare(self.rng.below(w))), promised: false })
                }
                _ => None,
            };
        }
        let len = lens[0];
        if count > len {
            return None;
        }
        let mut promised = false;
        let index = match self.rng.below(8) {
            0 => number + bare(len - count),
            1 => bare(len - 1) - number,
            2 if 2 * count <= len => number * bare(2) + bare(1),
            3 | 4 if iterations.vars.len() == 1 && iterations.ranges.is_none() => {
                Expr::bin(BinOp::Rem, number + bare(1 + self.rng.below(5)), bare(len))
            }
            5 if len.is_multiple_of(2) && !self.program.in_lanes => {
                promised = true;
                Expr::bin(BinOp::Xor, number, bare(1))
            }
            _ => number,
        };
        Some(Owned { place: Expr::element(whole, index), promised })
    }

    /// An element of `lanes` for each iteration, if there is room.
    fn lane_of(&mut self, iterations: &Iterations) -> Option<Owned> {
        // Of an end that is computed nobody knows that it is below what the next block has.
        let known = iterations.ranges.iter().flatten().all(|range| range.end.literal().is_some());
        let team = self.team();
        let begin = 1 + team.threads();
        let place = team.first.clone() + bare(begin) + self.number_of(iterations);
        let fits = begin + iterations.count() + LAST <= team.room;
        (known && fits).then(|| Owned { place: Expr::element(self.var(LANES), place), promised: false })
    }

    /// A write of what the iteration owns.
    fn written(&mut self, owned: &Owned) -> Stmt {
        let mut place = owned.place.clone();
        if let Ty::Tuple(parts) | Ty::Struct(parts) = &place.ty
            && !parts.is_empty()
            && self.rng.chance(40)
        {
            let at = self.rng.below(parts.len());
            place = Expr::new(parts[at].clone(), Kind::Field(Box::new(place), at));
        }
        let ty = place.ty.clone();
        let mut value = self.expr(&ty);
        let number = ty.scalar().filter(|scalar| *scalar != Scalar::Bool);
        let op = self.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul]);
        if number.is_some() && self.rng.chance(30) {
            value = Expr::bin(op, value, place.clone());
        }
        let write = match number {
            Some(_) if self.rng.chance(30) => Stmt::assign_op(op, place, value),
            _ => Stmt::assign(place, value),
        };
        let write = if owned.promised { Stmt::unit(Kind::Unsafe(vec![write].into())) } else { write };
        if self.rng.chance(25) { Stmt::when(self.bool(), vec![write], Vec::new()) } else { write }
    }

    /// A reduction by halves.
    pub(super) fn halved(&mut self, stmts: &mut Vec<Stmt>) {
        let number = |ty: &Ty| matches!(ty, Ty::Array(element, len) if *len > 1 && element.scalar().is_some_and(|s| s != Scalar::Bool));
        let arrays: Vec<VarId> =
            self.team().shared.iter().copied().filter(|var| number(self.program.ty(*var))).collect();
        if arrays.is_empty() {
            return;
        }
        let array = self.pick(&arrays);
        let len = lens(self.program.ty(array)).0[0];
        let half = self.named("half", Scalar::Usize, true);
        stmts.push(Stmt::bind(half, Expr::usize(1 << (len.ilog2() - 1))));
        let cond = Box::new(Expr::compare(CompareOp::Gt, self.var(half), bare(0)));
        let lane = self.named("lane", Scalar::Usize, false);
        let low = Expr::element(self.var(array), self.var(lane));
        let high = Expr::element(self.var(array), self.var(lane) + self.var(half));
        let write = match low.scalar() {
            scalar if scalar.is_int() && self.rng.chance(40) => {
                Stmt::assign(low.clone(), Expr::method(self.pick(&["min", "max", "wrapping_mul"]), vec![low, high]))
            }
            _ => Stmt::assign_op(self.pick(&[BinOp::Add, BinOp::Sub]), low, high),
        };
        let label = self.label();
        let ranges = Some(vec![range(bare(0), self.var(half))]);
        let phase = Stmt::unit(Kind::Phase { label, vars: vec![lane], ranges, body: vec![write].into() });
        let less = Stmt::assign_op(BinOp::Div, self.var(half), bare(2));
        stmts.push(Stmt::unit(Kind::While { label: None, cond, body: vec![phase, less].into() }));
    }
}
