//! Random statements of device code.

use anabranch_core::ops::{BinOp, CompareOp};

use super::Gen;
use crate::program::{Adaptor, Arm, Around, Block, Callee, Expr, Kind, Part, Pattern, Range, Stmt, VarId};
use crate::types::{Scalar, Ty};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "n"];
/// Ways to make an inner loop: a few numbers from somewhere on, and through all of its type.
const WINDOW: usize = 3;
const HUGE: usize = 5;
const INNER: [&str; 3] = ["p", "q", "r"];

/// How an element is written.
#[derive(Clone, Copy)]
enum Writing {
    Set,
    Add,
    Call,
}

impl Gen {
    /// What an iteration does.
    pub(super) fn body(&mut self, size: usize) -> Vec<Stmt> {
        let count = 1 + self.rng.below(size + 1);
        let mut stmts = self.stmts(count, 2);
        if !writes(&stmts) {
            let write = self.access(true);
            stmts.push(write);
        }
        stmts
    }

    /// Some statements in a block of their own.
    fn block(&mut self, count: usize, depth: usize) -> Vec<Stmt> {
        let known = (self.scope.len(), self.owned.len());
        let stmts = self.stmts(count, depth);
        self.scope.truncate(known.0);
        // What was made in here may name variables of here.
        self.owned.truncate(known.1.max(1));
        stmts
    }

    fn stmts(&mut self, count: usize, depth: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..count {
            let inner = usize::from(depth > 0);
            match self.rng.which([46, 16, 14, 14 * inner, 12 * inner, 4, 3, 3]) {
                0 => {
                    let write = self.rng.chance(60);
                    let access = self.access(write);
                    stmts.push(access);
                }
                1 => self.bind(&mut stmts),
                2 => self.guarded(&mut stmts),
                3 => {
                    let par_loop = self.inner_loop(depth);
                    stmts.push(par_loop);
                }
                4 => {
                    let branch = self.branch(depth);
                    stmts.push(branch);
                }
                5 => self.counted(&mut stmts),
                6 => stmts.push(Stmt::assert(self.cond(1))),
                _ => self.wrapped(&mut stmts),
            }
        }
        stmts
    }

    /// New variables.
    fn bind(&mut self, stmts: &mut Vec<Stmt>) {
        let name = *self.rng.pick(&NAMES);
        let ty = if self.rng.chance(55) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
        match self.rng.which([40, 12, 12, 8, 8, 30]) {
            5 => {
                let at = self.rng.below(self.dims.len());
                let value = self.derived(at);
                let ty = value.scalar();
                let local = self.shown(name, ty, false);
                self.derived.push((local, at));
                stmts.push(Stmt::bind(local, value));
            }
            0 => {
                let expr = if ty == Scalar::Usize && self.rng.chance(50) { self.layout() } else { self.expr(ty, 2) };
                let local = self.shown(name, ty, false);
                stmts.push(Stmt::bind(local, expr));
            }
            1 => {
                let (a, b) = (self.expr(ty, 2), self.expr(Scalar::Usize, 1));
                let locals = [self.shown(name, ty, false), self.shown("g", Scalar::Usize, false)];
                let types = Ty::Tuple(vec![a.ty.clone(), b.ty.clone()]);
                let both = Expr::new(types, Kind::Tuple(vec![a, b]));
                stmts.push(Stmt::destructure(Pattern::Tuple(locals.map(Pattern::bind).into()), both));
            }
            2 => {
                let cond = self.cond(2);
                let local = self.shown("ok", Scalar::Bool, false);
                stmts.push(Stmt::bind(local, cond));
            }
            3 => {
                let values: Vec<Expr> = (0..1 + self.rng.below(3)).map(|_| self.expr(ty, 1)).collect();
                let ty = Ty::Array(Box::new(ty.into()), values.len());
                let local = self.shown("tab", ty.clone(), false);
                stmts.push(Stmt::bind(local, Expr::new(ty, Kind::Array(values))));
            }
            _ => {
                let expr = self.expr(ty, 1);
                let local = self.shown("m", ty, true);
                stmts.push(Stmt::bind(local, expr));
                if self.rng.chance(60) {
                    let expr = self.expr(ty, 1);
                    stmts.push(Stmt::assign(self.var(local), expr));
                }
            }
        }
    }

    /// An access behind a check of its index.
    fn guarded(&mut self, stmts: &mut Vec<Stmt>) {
        match self.rng.which([35, 25, 20, 20]) {
            // `let a = …; if a < x.len() { x[a] … }`
            0 => {
                let view = self.some_view(true);
                let index = self.index(view, true);
                let local = self.shown("at", Scalar::Usize, false);
                stmts.push(Stmt::bind(local, index));
                let len = if self.rng.chance(80) { self.len(view) } else { self.leaf(Scalar::Usize) };
                let cond = Expr::compare(CompareOp::Lt, self.var(local), len);
                let place = self.place(view, self.var(local));
                let access = if self.rng.chance(60) { write(place, Writing::Set) } else { Stmt::Observe(place) };
                stmts.push(Stmt::when(cond, vec![access], Vec::new()));
            }
            // `if i > 0 { x[i - 1] … }`
            1 => {
                let view = self.some_view(false);
                let index = self.layout();
                let cond = Expr::compare(CompareOp::Gt, index.clone(), Expr::usize(0));
                let place = self.place(view, index - 1);
                stmts.push(Stmt::when(cond, vec![Stmt::Observe(place)], Vec::new()));
            }
            // `if … { continue; }`
            2 => {
                let cond = self.cond(2);
                stmts.push(Stmt::when(cond, vec![Stmt::next()], Vec::new()));
            }
            _ => {
                let cond = self.cond(2);
                let access = self.access(true);
                stmts.push(Stmt::when(cond, vec![access], Vec::new()));
            }
        }
    }

    fn inner_loop(&mut self, depth: usize) -> Stmt {
        let way = self.rng.which([45, 25, 15, 15, 6, 6]);
        let ty = match way {
            // What such a loop counts from may wrap.
            WINDOW if self.rng.chance(40) => Scalar::U8,
            _ if self.rng.chance(70) => Scalar::Usize,
            _ => *self.rng.pick(&Scalar::WORDS),
        };
        let start = if self.rng.chance(70) { Expr::int(0, ty) } else { self.leaf(ty) };
        let (start, end) = match way {
            0 => (start, Expr::int(1 + self.rng.below(4) as i128, ty)),
            1 => (start, self.leaf(ty)),
            2 => (start, self.expr(ty, 1)),
            // The wrong way round: it never runs.
            4 => {
                let start = if self.rng.chance(50) {
                    3 + self.rng.below(5) as i128
                } else {
                    ty.max() - self.rng.below(3) as i128
                };
                (
                    Expr::int(start, ty),
                    if self.rng.chance(60) { Expr::int(self.rng.below(3) as i128, ty) } else { self.leaf(ty) },
                )
            }
            HUGE => (start, Expr::int(ty.max() - self.rng.below(4) as i128, ty)),
            _ => {
                let from = if self.rng.chance(50) { self.leaf(ty) } else { self.expr(ty, 1) };
                let [first, again] = [self.again(from.clone(), ty), self.again(from, ty)];
                (first, again + Expr::int(1 + self.rng.below(3) as i128, ty))
            }
        };
        let inclusive = self.rng.chance(15);
        let mut adaptors = Vec::new();
        if self.rng.chance(15) {
            adaptors.push(Adaptor::Rev);
        }
        if self.rng.chance(if adaptors.is_empty() { 18 } else { 45 }) {
            let step = match self.rng.which([70, 22, 8]) {
                0 if way == HUGE => Expr::int(1 << (ty.bits() - 2 - self.rng.below(2) as u32), Scalar::Usize),
                0 => Expr::usize(1 + self.rng.below(3)),
                1 => self.leaf(Scalar::Usize),
                _ => Expr::int(Scalar::Usize.max() >> self.rng.below(64), Scalar::Usize),
            };
            // `.step_by(k).rev()` is only for ranges that know their length.
            let counted = if inclusive { ty.bits() <= 16 } else { !matches!(ty, Scalar::U64 | Scalar::I64) };
            let at = if counted { self.rng.below(adaptors.len() + 1) } else { adaptors.len() };
            adaptors.insert(at, Adaptor::StepBy(step));
        }
        let var = self.declare(INNER[self.inner.len().min(2)], ty, false);
        self.inner.push((var, end.clone()));
        let known = (self.scope.len(), self.owned.len());
        self.scope.push(var);
        let leave = self.rng.chance(10).then(|| Stmt::when(self.cond(1), vec![Stmt::leave()], Vec::new()));
        let count = 1 + self.rng.below(2);
        let mut body = self.stmts(count, depth - 1);
        leave.into_iter().for_each(|leave| body.insert(0, leave));
        self.scope.truncate(known.0);
        self.owned.truncate(known.1);
        self.inner.pop();
        // It would take too long, but for a few steps or none.
        if way == HUGE && adaptors.iter().all(|adaptor| matches!(adaptor, Adaptor::Rev)) && self.rng.chance(60) {
            body.push(Stmt::leave());
        }
        let par_loop = counting(var, (start, end), inclusive, adaptors, body);
        if way == HUGE && self.rng.chance(50) { Stmt::when(self.cond(1), vec![par_loop], Vec::new()) } else { par_loop }
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let then = |this: &mut Self| {
            let count = 1 + this.rng.below(2);
            this.block(count, depth - 1)
        };
        match self.rng.which([60, 10, 10, 20]) {
            0 => {
                let cond = self.cond(2);
                let then = then(self);
                let otherwise = if self.rng.chance(40) { self.block(1, depth - 1) } else { Vec::new() };
                Stmt::when(cond, then, otherwise)
            }
            1 => {
                let scrutinee = Box::new(self.leaf(Scalar::Usize));
                let count = 2 + self.rng.below(2);
                let arm = |at: usize| {
                    let pattern = match at + 1 == count {
                        true => Pattern::Wild,
                        false => Pattern::Value(Box::new(Expr::bare(at as i128, Scalar::Usize))),
                    };
                    Arm::new(pattern, Expr::block(Ty::unit(), self.block(1, depth - 1).into()))
                };
                Stmt::unit(Kind::Match { scrutinee, arms: (0..count).map(arm).collect() })
            }
            2 => Stmt::Expr(Expr::block(Ty::unit(), then(self).into())),
            _ => Stmt::unit(Kind::Unsafe(vec![self.access(true)].into())),
        }
    }

    /// `let mut m = 0; while m < … { … m += 1; }`, up or down, and from where the type ends or anywhere.
    fn counted(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = if self.rng.chance(50) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
        let by = if self.rng.chance(70) { 1 } else { *self.rng.pick(&[2, 3, -1, -2]) };
        let way = by * (1 + self.rng.below(3) as i128);
        let (start, end) = match self.rng.which([45, 30, 25]) {
            0 => (Expr::int(0, ty), Expr::int(ty.wrap(way), ty)),
            1 => {
                let start =
                    if by > 0 { ty.max() - self.rng.below(3) as i128 } else { ty.min() + self.rng.below(3) as i128 };
                (Expr::int(start, ty), Expr::int(ty.wrap(start + way), ty))
            }
            _ => {
                let start = self.leaf(ty);
                let end = Expr::method("wrapping_add", vec![start.clone(), Expr::int(ty.wrap(way), ty)]);
                (start, end)
            }
        };
        let local = self.shown("m", ty, true);
        stmts.push(Stmt::bind(local, start));
        let write = self.rng.chance(50);
        let access = self.access(write);
        let op = if self.rng.chance(50) { CompareOp::Ne } else { if by > 0 { CompareOp::Lt } else { CompareOp::Gt } };
        let cond = Box::new(Expr::compare(op, self.var(local), end));
        let way = if by < 0 { BinOp::Sub } else { BinOp::Add };
        let step = Stmt::assign_op(way, self.var(local), Expr::int(by.abs(), ty));
        stmts.push(Stmt::unit(Kind::While { label: None, cond, body: vec![access, step].into() }));
    }

    /// `for p in n as u8..n as u8 + 2 { x[64 * i + p] … } x[64 * i + n] …`: one counts from `n`, unless that has wrapped.
    fn wrapped(&mut self, stmts: &mut Vec<Stmt>) {
        let view = self.some_view(true);
        let ty = *self.rng.pick(&[Scalar::U8, Scalar::U8, Scalar::I8]);
        let from = match self.visible_values().as_slice() {
            [] => Expr::usize(253 + self.rng.below(6)),
            values => {
                let value = *self.rng.pick(values);
                self.var(value).to(Scalar::Usize)
            }
        };
        let row = self.layout() * Expr::usize(16 << self.rng.below(5));
        let [inside, beside] = [(); 2].map(|()| if self.rng.chance(70) { Writing::Set } else { Writing::Add });
        let start = from.clone().to(ty);
        let end = start.clone() + Expr::int(1 + self.rng.below(3) as i128, ty);
        let var = self.declare(INNER[self.inner.len().min(2)], ty, false);
        let at = |index: Expr| row.clone() + index;
        let place = self.place(view, at(self.var(var).to(Scalar::Usize)));
        let adaptors = if self.rng.chance(20) { vec![Adaptor::Rev] } else { Vec::new() };
        stmts.push(counting(var, (start, end), false, adaptors, vec![write(place, inside)]));
        let access = write(self.place(view, at(from)), beside);
        stmts.push(if self.rng.chance(60) { Stmt::when(self.cond(1), vec![access], Vec::new()) } else { access });
    }

    /// About as many numbers as a launch reckons with, and rows of which only numbers tell whether they overlap.
    pub(super) fn numbers(&mut self) -> Vec<Stmt> {
        let count = 52 + self.rng.below(10);
        let number = |_| {
            let ty = if self.rng.chance(70) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
            let (a, b) = (self.leaf(ty), Expr::int(1 + self.rng.below(3) as i128, ty));
            let value = Expr::bin([BinOp::Xor, BinOp::Or, BinOp::Rem][self.rng.below(3)], a, b);
            let local = self.shown("v", ty, false);
            Stmt::bind(local, value)
        };
        let mut stmts: Vec<Stmt> = (0..count).map(number).collect();
        if let (Some(width), true) = (self.visible_values().first(), self.rng.chance(70)) {
            let width = self.var(*width).to(Scalar::Usize);
            let start = self.as_index(0) * width;
            let end = start.clone() + Expr::usize(1 + self.rng.below(4));
            let view = self.some_view(true);
            stmts.push(Stmt::put(self.var(view), vec![Part { start: Some(start), end: Some(end), inclusive: false }]));
        }
        stmts
    }

    fn some_view(&mut self, write: bool) -> VarId {
        let views: Vec<VarId> =
            self.views.iter().copied().filter(|view| !write || !self.read_only.contains(view)).collect();
        *self.rng.pick(&views)
    }

    /// An access of an element, or of a part of a buffer.
    fn access(&mut self, write: bool) -> Stmt {
        let view = self.some_view(write);
        if self.rng.chance(8) {
            let parts = self.parts();
            return if write { Stmt::put(self.var(view), parts) } else { Stmt::sum(self.var(view), parts) };
        }
        let free = self.read_only.contains(&view);
        let index = if free { self.free_index(view) } else { self.index(view, write) };
        let place = self.place(view, index);
        if write {
            let writing = [Writing::Set, Writing::Add, Writing::Call][self.rng.which([6, 3, 1])];
            self::write(place, writing)
        } else {
            Stmt::Observe(if self.rng.chance(6) { around(Around::Get, false, place, None) } else { place })
        }
    }

    /// `[a..b]`, and parts of that.
    fn parts(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        if !self.rng.chance(8) {
            parts.push(self.row());
            while self.rng.chance(30) {
                parts.push(self.within());
            }
        }
        parts
    }

    /// A few of a part.
    fn within(&mut self) -> Part {
        let start = if self.rng.chance(75) { Expr::usize(self.rng.below(3)) } else { self.leaf(Scalar::Usize) };
        let width = if self.rng.chance(75) { Expr::usize(self.rng.below(3)) } else { self.leaf(Scalar::Usize) };
        let end = start.clone() + width;
        let (open, close) = (self.rng.chance(30), self.rng.chance(30));
        Part { start: (!open).then_some(start), end: (!close).then_some(end), inclusive: self.rng.chance(15) }
    }

    /// `a..b`: a row of an iteration's own, mostly.
    fn row(&mut self) -> Part {
        let width = if self.rng.chance(60) { Expr::usize(1 + self.rng.below(4)) } else { self.leaf(Scalar::Usize) };
        let row = self.layout();
        let start = row * width.clone();
        let [start, again] =
            [start.clone(), start].map(|end| if self.rng.chance(20) { self.again(end, Scalar::Usize) } else { end });
        let end = if self.rng.chance(80) { again + width } else { self.expr(Scalar::Usize, 1) };
        let (open, close) = (self.rng.chance(5), self.rng.chance(5));
        Part { start: (!open).then_some(start), end: (!close).then_some(end), inclusive: self.rng.chance(15) }
    }
}

/// Whether there is a write that is no part of an expression.
fn writes(stmts: &[Stmt]) -> bool {
    let block = |block: &Block| writes(&block.stmts);
    stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(expr) => match &expr.kind {
            Kind::Assign(place, _) | Kind::AssignOp(_, place, _) => matches!(place.kind, Kind::Index(..)),
            Kind::Call { .. } => true,
            Kind::If { then, otherwise, .. } => block(then) || otherwise.as_ref().is_some_and(block),
            Kind::For { body, .. } | Kind::While { body, .. } | Kind::Unsafe(body) => block(body),
            Kind::Block { block: body, .. } => block(body),
            Kind::Match { arms, .. } => {
                arms.iter().any(|arm| matches!(&arm.body.kind, Kind::Block { block: body, .. } if block(body)))
            }
            _ => false,
        },
        Stmt::Let { .. } | Stmt::Const(..) | Stmt::Observe(_) => false,
    })
}

fn counting(var: VarId, (start, end): (Expr, Expr), inclusive: bool, adaptors: Vec<Adaptor>, body: Vec<Stmt>) -> Stmt {
    let range = Range { start: Box::new(start), end: Box::new(end), inclusive, adaptors };
    Stmt::unit(Kind::For { label: None, var, range, body: body.into() })
}

/// `place = acc`, `place += acc`, `set(&mut place, acc)`.
fn write(place: Expr, writing: Writing) -> Stmt {
    match writing {
        Writing::Set => Stmt::assign(place, Expr::seen()),
        Writing::Add => Stmt::assign_op(BinOp::Add, place, Expr::seen()),
        Writing::Call => Stmt::Expr(around(Around::Set, true, place, Some(Expr::seen()))),
    }
}

/// A call for one element.
fn around(callee: Around, mutable: bool, place: Expr, value: Option<Expr>) -> Expr {
    let output = if mutable { Ty::unit() } else { Scalar::U32.into() };
    let args = [Expr::borrow(mutable, place, Vec::new())].into_iter().chain(value).collect();
    Expr::call(Callee::Around(callee), args, output)
}
