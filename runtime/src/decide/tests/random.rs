//! Random programs: what is decided must hold on a machine.
//!
//! Types are small, so that much wraps, and so are ranges, so that much collides. Indexes are mostly what people write: strides,
//! neighbours, grids, guards.

use super::super::{Axis, Operation, Refusal, Verdict};
use super::machine;
use super::program::{Cond, Expr, I3, I5, ISIZE, Program, Stmt, U3, U5, USIZE, cond, lit, ty};

/// Programs of a test. A longer run: `ANABRANCH_PROGRAMS=1000000 cargo test --release -p anabranch --lib facts`.
const PROGRAMS: u64 = 10_000;
/// A larger program is not run.
const MOST_ATOMS: usize = 40;

#[derive(Debug, Default)]
struct Counts {
    proved: u64,
    /// Of these, something was touched.
    proved_something: u64,
    checked: u64,
    /// Of these, nothing was out of bounds.
    checked_in_vain: u64,
    outside: u64,
    overlap: u64,
    /// Of these, no iterations met.
    refused_in_vain: u64,
    conflicts: u64,
}

#[test]
fn decisions_hold() {
    let programs = std::env::var("ANABRANCH_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let first = std::env::var("ANABRANCH_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut counts = Counts::default();
    for seed in first..first + programs {
        let program = Writer::new(seed).program();
        let facts = program.facts();
        let decision = program.decide(&facts);
        let outcome = machine::run(&program);
        let told = || format!("seed {seed}\n{program:#?}\n{facts:#?}\n{decision:?} {outcome:?}");
        match decision {
            Ok(verdict) => {
                assert!(!outcome.conflict, "iterations meet: {}", told());
                assert!(verdict == Verdict::Checked || !outcome.outside, "out of bounds: {}", told());
                counts.proved += u64::from(verdict != Verdict::Checked);
                counts.proved_something += u64::from(verdict != Verdict::Checked && outcome.touched);
                counts.checked += u64::from(verdict == Verdict::Checked);
                counts.checked_in_vain +=
                    u64::from(verdict == Verdict::Checked && !outcome.panicked && !outcome.endless);
            }
            Err(Refusal::OutOfBounds { .. }) => {
                assert!(outcome.panicked || outcome.endless, "refused, and in bounds: {}", told());
                counts.outside += 1;
            }
            Err(Refusal::Overlap { .. }) => {
                counts.overlap += 1;
                counts.refused_in_vain += u64::from(!outcome.conflict && !outcome.endless);
            }
        }
        counts.conflicts += u64::from(outcome.conflict);
    }
    println!("{programs} programs: {counts:?}");
    // A generator that makes nothing but one kind tests nothing.
    let enough = |count: u64, percent: u64| assert!(count * 100 >= programs * percent, "{counts:?}");
    enough(counts.proved_something, 15);
    enough(counts.checked, 5);
    enough(counts.outside, 3);
    enough(counts.overlap, 10);
    enough(counts.conflicts, 10);
}

/// Writes programs.
struct Writer {
    state: u64,
    program: Program,
    /// Variables that may be used.
    scope: Vec<Expr>,
    /// Of these, host values that are no lengths.
    hosts: Vec<Expr>,
    /// What the body may still hold.
    room: usize,
}

impl Writer {
    fn new(seed: u64) -> Writer {
        let program = Program::default();
        Writer { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), program, scope: vec![], hosts: vec![], room: 7 }
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn number(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    fn program(mut self) -> Program {
        let dims = self.pick(&[1, 1, 1, 2, 2, 3]);
        for axis in 0..dims {
            let slot = self.pick(&[USIZE, USIZE, USIZE, USIZE, ISIZE, U5, I5]);
            let lo =
                if self.percent(75) { 0 } else { self.number(if slot == USIZE || slot == U5 { 0 } else { -4 }, 4) };
            let step = self.pick(&[1, 1, 1, 1, 2, 3]);
            let least = i64::from(!self.percent(2));
            let trips = self.number(least, if dims == 3 { 3 } else { 5 });
            self.program.axes.push(Axis { lo: lo.into(), step: step.into(), trips: trips as u64 });
            self.scope.push(Expr::Var(axis, slot));
        }
        self.program.atoms = dims;
        self.program.never_sure = self.percent(70);
        for _ in 0..self.below(4) {
            let value = if self.percent(95) { self.number(0, 7) } else { self.pick(&[25, 1 << 31, 1 << 62, i64::MAX]) };
            let slot = if value > 7 { USIZE } else { self.pick(&[USIZE, USIZE, USIZE, ISIZE, U5]) };
            let Expr::Var(atom, _) = self.program.host(value.into()) else { unreachable!() };
            self.hosts.push(Expr::Var(atom, slot));
        }
        for _ in 0..self.pick(&[1, 1, 2]) {
            let len = if self.percent(15) { self.number(0, 20) } else { self.number(40, 2000) };
            let buffer = self.program.buffer(len.into());
            self.scope.push(self.program.len(buffer));
        }
        self.scope.extend(self.hosts.clone());
        self.program.body = self.block(0);
        self.room += 1;
        let last = self.stmt(3);
        self.program.body.extend(last);
        self.program
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let before = self.scope.len();
        let stmts = (0..self.pick(&[1, 1, 2, 2, 3])).filter_map(|_| self.stmt(depth)).collect();
        self.scope.truncate(before);
        stmts
    }

    fn stmt(&mut self, depth: usize) -> Option<Stmt> {
        self.room = self.room.checked_sub(1)?;
        if self.program.atoms > MOST_ATOMS {
            return None;
        }
        Some(match self.below(if depth < 3 { 100 } else { 40 }) {
            0..40 => self.access(),
            40..60 => self.bind(),
            60..65 => self.choose(),
            65..80 => self.inner_loop(depth),
            _ => {
                let conditions = (0..self.pick(&[1, 1, 2, 2])).map(|_| self.condition()).collect();
                Stmt::When { conditions, body: self.block(depth + 1) }
            }
        })
    }

    fn access(&mut self) -> Stmt {
        let buffer = self.below(self.program.buffers.len());
        let index = self.index();
        let end =
            self.percent(10).then(|| if self.percent(70) { index.clone() + self.number(0, 4) } else { self.index() });
        Stmt::Access { buffer, index, end, write: self.percent(50) }
    }

    /// A sum of variables with strides, or anything.
    fn index(&mut self) -> Expr {
        if self.percent(15) {
            return self.expr(USIZE, 3);
        }
        let mut sum = self.element();
        if self.percent(60) {
            let stride = self.stride();
            sum = sum * stride;
        }
        for _ in 0..self.pick(&[0, 0, 1, 1, 2]) {
            let (mut more, stride) = (self.element(), self.stride());
            if self.percent(60) {
                more = more * stride;
            }
            sum = if self.percent(97) { sum + more } else { more - sum };
        }
        match self.below(20) {
            0..4 => sum + self.number(1, 4),
            4..6 => sum + self.stride(),
            6 if self.percent(30) => sum - self.number(1, 3),
            _ => sum,
        }
    }

    fn stride(&mut self) -> Expr {
        if !self.hosts.is_empty() && self.percent(40) {
            let host = self.pick(&self.hosts.clone());
            return self.to(host, USIZE);
        }
        lit(self.pick(&[1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 25]))
    }

    /// A variable, mostly one of the loop.
    fn element(&mut self) -> Expr {
        let axes = self.program.axes.len();
        let near = self.percent(65);
        let own = self.scope[..axes].to_vec();
        let all = self.scope.clone();
        let var = self.pick(if near { &own } else { &all });
        self.to(var, USIZE)
    }

    /// A cast, now and then through another type.
    fn to(&mut self, expr: Expr, slot: usize) -> Expr {
        let through = self.percent(5).then(|| self.pick(&[U3, I3, U5, I5, ISIZE]));
        let expr = through.map_or(expr.clone(), |through| expr.to(through));
        if expr.ty() == slot { expr } else { expr.to(slot) }
    }

    fn expr(&mut self, slot: usize, depth: usize) -> Expr {
        if depth == 0 || self.percent(25) {
            if self.percent(30) {
                let most = (1i64 << (ty(slot).map_or(3, |ty| ty.bits.min(4) - 1))) - 1;
                return Expr::Lit(self.number(0, most), slot);
            }
            let var = self.pick(&self.scope.clone());
            return if var.ty() == slot { var } else { var.to(slot) };
        }
        if self.percent(20) {
            let from = self.pick(&[U3, I3, U5, I5, USIZE, ISIZE]);
            return self.expr(from, depth - 1).to(slot);
        }
        let (a, b) = (self.expr(slot, depth - 1), self.expr(slot, depth - 1));
        match self.below(5) {
            0..2 => a + b,
            2..4 => a - b,
            _ => a * b,
        }
    }

    fn slot(&mut self) -> usize {
        self.pick(&[USIZE, USIZE, USIZE, ISIZE, U3, I3, U5, I5])
    }

    fn condition(&mut self) -> Cond {
        let comparison = self.pick(&["<", "<", "<=", ">", ">=", "==", "!="]);
        let slot = self.slot();
        if self.percent(25) {
            let (a, b) = (self.expr(slot, 2), self.expr(slot, 1));
            return cond(a, comparison, b);
        }
        // A guard.
        let var = self.pick(&self.scope.clone());
        let (slot, offset) = (var.ty(), self.number(1, 3));
        let side = match self.below(4) {
            0 => var + Expr::Lit(offset, slot),
            1 => var - Expr::Lit(offset, slot),
            _ => var,
        };
        let limit =
            if self.percent(60) { self.pick(&self.scope.clone()).to(slot) } else { Expr::Lit(self.number(0, 3), slot) };
        cond(side, comparison, limit)
    }

    fn bind(&mut self) -> Stmt {
        use Operation::*;
        let slot = self.slot();
        let operation = self.pick(&[
            Any,
            Mul,
            Div,
            Div,
            Rem,
            Rem,
            And,
            Shr,
            Min,
            Max,
            Clamp,
            SaturatingSub,
            SaturatingAdd,
            AbsDiff,
            RemEuclid,
        ]);
        let count = match operation {
            Any => 0,
            Clamp => 3,
            _ => 2,
        };
        let mut operands: Vec<Expr> = Vec::new();
        for at in 0..count {
            let plain = self.percent(60);
            operands.push(match (plain, at) {
                (true, 0) => self.pick(&self.scope.clone()).to(slot),
                (true, _) if self.percent(50) => Expr::Lit(self.number(0, 3), slot),
                _ => self.expr(slot, 2),
            });
        }
        let result = match ty(slot) {
            // `abs_diff` has no sign.
            Some(of) if operation == AbsDiff && of.signed => {
                [USIZE, U3, U5][[64, 3, 5].iter().position(|b| *b == of.bits).unwrap_or(0)]
            }
            _ => slot,
        };
        let (var, atom) = self.program.variable(result);
        self.scope.push(atom);
        Stmt::Let { var, operation, operands, ty: slot }
    }

    fn choose(&mut self) -> Stmt {
        let ty = self.slot();
        let condition = self.condition();
        let (then, other) = (self.expr(ty, 2), self.expr(ty, 1));
        let (var, atom) = self.program.variable(ty);
        self.scope.push(atom);
        Stmt::Choose { var, condition, then, other, ty }
    }

    fn inner_loop(&mut self, depth: usize) -> Stmt {
        let ty = self.slot();
        let small = |this: &mut Self, hi: i64| Expr::Lit(this.number(0, hi), ty);
        let var = self.pick(&self.scope.clone()).to(ty);
        let (start, end) = match self.below(6) {
            0 => (small(self, 2), var),
            1 => (var.clone(), var + Expr::Lit(self.number(1, 3), ty)),
            2 => (var, small(self, 3)),
            3 => {
                let chunk = self.number(2, 3);
                (var.clone() * chunk, var * chunk + self.number(1, chunk))
            }
            _ => (small(self, 2), small(self, 3)),
        };
        let step = self.percent(25).then(|| if self.percent(80) { lit(self.number(1, 4)) } else { self.stride() });
        let (var, atom) = self.program.variable(ty);
        let inclusive = self.percent(15);
        let before = self.scope.len();
        self.scope.push(atom);
        let body = self.block(depth + 1);
        self.scope.truncate(before);
        Stmt::For { var, start, end, inclusive, step, ty, body }
    }
}
