//! Random statements of device code.

use super::super::program::{Adaptor, Cond, Ends, Expr, Method, Op, Part, Stmt, Ty, Writing};
use super::{Gen, Kind};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "n"];
/// Ways to make an inner loop: a few numbers from somewhere on, and through all of its type.
const WINDOW: usize = 3;
const HUGE: usize = 5;
const INNER: [&str; 3] = ["p", "q", "r"];

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
            match self.rng.weighted([46, 16, 14, 14 * inner, 12 * inner, 4, 3, 3]) {
                0 => {
                    let write = self.rng.chance(60);
                    let access = self.access(write);
                    stmts.push(access);
                }
                1 => self.bind(&mut stmts),
                2 => self.guarded(&mut stmts),
                3 => {
                    let looped = self.inner_loop(depth);
                    stmts.push(looped);
                }
                4 => {
                    let branch = self.branch(depth);
                    stmts.push(branch);
                }
                5 => self.counted(&mut stmts),
                6 => stmts.push(Stmt::Assert(self.cond(1))),
                _ => self.wrapped(&mut stmts),
            }
        }
        stmts
    }

    /// New variables.
    fn bind(&mut self, stmts: &mut Vec<Stmt>) {
        let name = *self.rng.pick(&NAMES);
        let ty = if self.rng.chance(55) { Ty::Usize } else { *self.rng.pick(&Ty::ALL) };
        match self.rng.weighted([40, 12, 12, 8, 8, 30]) {
            5 => {
                let at = self.rng.below(self.dims.len());
                let value = self.derived(at);
                let ty = value.ty(&self.program);
                let local = self.local(name, ty, false);
                self.scope.push((local, Kind::Number));
                self.derived.push((local, at));
                stmts.push(Stmt::Let(local, value));
            }
            0 => {
                let expr = if ty == Ty::Usize && self.rng.chance(50) { self.layout() } else { self.expr(ty, 2) };
                let local = self.local(name, ty, false);
                self.scope.push((local, Kind::Number));
                stmts.push(Stmt::Let(local, expr));
            }
            1 => {
                let (a, b) = (self.expr(ty, 2), self.expr(Ty::Usize, 1));
                let locals = [self.local(name, ty, false), self.local("g", Ty::Usize, false)];
                self.scope.extend(locals.map(|local| (local, Kind::Number)));
                stmts.push(Stmt::Tuple(vec![(locals[0], a), (locals[1], b)]));
            }
            2 => {
                let cond = self.cond(2);
                let local = self.local("ok", Ty::U8, false);
                self.scope.push((local, Kind::Truth));
                stmts.push(Stmt::Bool(local, cond));
            }
            3 => {
                let values = (0..1 + self.rng.below(3)).map(|_| self.expr(ty, 1)).collect();
                let local = self.local("tab", ty, false);
                self.scope.push((local, Kind::Array));
                stmts.push(Stmt::Array(local, values));
            }
            _ => {
                let expr = self.expr(ty, 1);
                let local = self.local("m", ty, true);
                self.scope.push((local, Kind::Number));
                stmts.push(Stmt::Let(local, expr));
                if self.rng.chance(60) {
                    let expr = self.expr(ty, 1);
                    stmts.push(Stmt::Assign(local, expr));
                }
            }
        }
    }

    /// An access behind a check of its index.
    fn guarded(&mut self, stmts: &mut Vec<Stmt>) {
        match self.rng.weighted([35, 25, 20, 20]) {
            // `let a = …; if a < x.len() { x[a] … }`
            0 => {
                let view = self.some_view(true);
                let index = self.index(view, true);
                let local = self.local("at", Ty::Usize, false);
                stmts.push(Stmt::Let(local, index));
                self.scope.push((local, Kind::Number));
                let len = if self.rng.chance(80) { Expr::Len(view) } else { self.leaf(Ty::Usize) };
                let cond = Cond::Compare("<", Box::new(Expr::Var(local)), Box::new(len));
                let place = self.place(view, Expr::Var(local));
                let access =
                    if self.rng.chance(60) { Stmt::Write(place, Writing::Set) } else { Stmt::Read(place, false) };
                stmts.push(Stmt::If(cond, vec![access], Vec::new()));
            }
            // `if i > 0 { x[i - 1] … }`
            1 => {
                let view = self.some_view(false);
                let index = self.layout();
                let cond = Cond::Compare(">", Box::new(index.clone()), Box::new(Expr::usize(0)));
                let place = self.place(view, Expr::bin(Op::Sub, Ty::Usize, index, Expr::usize(1)));
                stmts.push(Stmt::If(cond, vec![Stmt::Read(place, false)], Vec::new()));
            }
            // `if … { continue; }`
            2 => {
                let cond = self.cond(2);
                stmts.push(Stmt::If(cond, vec![Stmt::Continue], Vec::new()));
            }
            _ => {
                let cond = self.cond(2);
                let access = self.access(true);
                stmts.push(Stmt::If(cond, vec![access], Vec::new()));
            }
        }
    }

    fn inner_loop(&mut self, depth: usize) -> Stmt {
        let way = self.rng.weighted([45, 25, 15, 15, 6, 6]);
        let ty = match way {
            // What such a loop counts from may wrap.
            WINDOW if self.rng.chance(40) => Ty::U8,
            _ if self.rng.chance(70) => Ty::Usize,
            _ => *self.rng.pick(&Ty::ALL),
        };
        let start = if self.rng.chance(70) { Expr::Lit(0, ty) } else { self.leaf(ty) };
        let (start, end) = match way {
            0 => (start, Expr::Lit(1 + self.rng.below(4) as i128, ty)),
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
                    Expr::Lit(start, ty),
                    if self.rng.chance(60) { Expr::Lit(self.rng.below(3) as i128, ty) } else { self.leaf(ty) },
                )
            }
            HUGE => (start, Expr::Lit(ty.max() - self.rng.below(4) as i128, ty)),
            _ => {
                let from = if self.rng.chance(50) { self.leaf(ty) } else { self.expr(ty, 1) };
                let [first, again] = [self.again(from.clone(), ty), self.again(from, ty)];
                (first, Expr::bin(Op::Add, ty, again, Expr::Lit(1 + self.rng.below(3) as i128, ty)))
            }
        };
        let inclusive = self.rng.chance(15);
        let mut adaptors = Vec::new();
        if self.rng.chance(15) {
            adaptors.push(Adaptor::Rev);
        }
        if self.rng.chance(if adaptors.is_empty() { 18 } else { 45 }) {
            let step = match self.rng.weighted([70, 22, 8]) {
                0 if way == HUGE => Expr::Lit(1 << (ty.bits() - 2 - self.rng.below(2) as u32), Ty::Usize),
                0 => Expr::usize(1 + self.rng.below(3)),
                1 => self.leaf(Ty::Usize),
                _ => Expr::Lit(Ty::Usize.max() >> self.rng.below(64), Ty::Usize),
            };
            // `.step_by(k).rev()` is only for ranges that know their length.
            let counted = if inclusive { ty.bits() <= 16 } else { !matches!(ty, Ty::U64 | Ty::I64) };
            let at = if counted { self.rng.below(adaptors.len() + 1) } else { adaptors.len() };
            adaptors.insert(at, Adaptor::StepBy(step));
        }
        let var = self.local(INNER[self.inner.len().min(2)], ty, false);
        self.inner.push((var, end.clone()));
        let known = (self.scope.len(), self.owned.len());
        self.scope.push((var, Kind::Number));
        let leave = self.rng.chance(10).then(|| Stmt::If(self.cond(1), vec![Stmt::Break], Vec::new()));
        let count = 1 + self.rng.below(2);
        let mut body = self.stmts(count, depth - 1);
        leave.into_iter().for_each(|leave| body.insert(0, leave));
        self.scope.truncate(known.0);
        self.owned.truncate(known.1);
        self.inner.pop();
        // It would take too long, but for a few steps or none.
        if way == HUGE && adaptors.iter().all(|adaptor| matches!(adaptor, Adaptor::Rev)) && self.rng.chance(60) {
            body.push(Stmt::Break);
        }
        let looped = Stmt::For { var, start, end, inclusive, adaptors, body };
        if way == HUGE && self.rng.chance(50) { Stmt::If(self.cond(1), vec![looped], Vec::new()) } else { looped }
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let then = |this: &mut Self| {
            let count = 1 + this.rng.below(2);
            this.block(count, depth - 1)
        };
        match self.rng.weighted([60, 10, 10, 20]) {
            0 => {
                let cond = self.cond(2);
                let then = then(self);
                let otherwise = if self.rng.chance(40) { self.block(1, depth - 1) } else { Vec::new() };
                Stmt::If(cond, then, otherwise)
            }
            1 => {
                let value = self.leaf(Ty::Usize);
                Stmt::Match(value, (0..2 + self.rng.below(2)).map(|_| self.block(1, depth - 1)).collect())
            }
            2 => Stmt::Block(then(self)),
            _ => Stmt::Unsafe(vec![self.access(true)]),
        }
    }

    /// `let mut m = 0; while m < … { … m += 1; }`, up or down, and from where the type ends or anywhere.
    fn counted(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = if self.rng.chance(50) { Ty::Usize } else { *self.rng.pick(&Ty::ALL) };
        let by = if self.rng.chance(70) { 1 } else { *self.rng.pick(&[2, 3, -1, -2]) };
        let way = by * (1 + self.rng.below(3) as i128);
        let (start, end) = match self.rng.weighted([45, 30, 25]) {
            0 => (Expr::Lit(0, ty), Expr::Lit(ty.wrap(way), ty)),
            1 => {
                let start =
                    if by > 0 { ty.max() - self.rng.below(3) as i128 } else { ty.min() + self.rng.below(3) as i128 };
                (Expr::Lit(start, ty), Expr::Lit(ty.wrap(start + way), ty))
            }
            _ => {
                let start = self.leaf(ty);
                let end = Expr::Call(Method::WrappingAdd, ty, vec![start.clone(), Expr::Lit(ty.wrap(way), ty)]);
                (start, end)
            }
        };
        let local = self.local("m", ty, true);
        stmts.push(Stmt::Let(local, start));
        self.scope.push((local, Kind::Number));
        let write = self.rng.chance(50);
        let access = self.access(write);
        let op = if self.rng.chance(50) { "!=" } else { if by > 0 { "<" } else { ">" } };
        let cond = Cond::Compare(op, Box::new(Expr::Var(local)), Box::new(end));
        stmts.push(Stmt::While { cond, var: local, by, body: vec![access] });
    }

    /// `for p in n as u8..n as u8 + 2 { x[64 * i + p] … } x[64 * i + n] …`: one counts from `n`, unless that has wrapped.
    fn wrapped(&mut self, stmts: &mut Vec<Stmt>) {
        let view = self.some_view(true);
        let ty = *self.rng.pick(&[Ty::U8, Ty::U8, Ty::I8]);
        let from = match self.visible_values().as_slice() {
            [] => Expr::usize(253 + self.rng.below(6)),
            values => Expr::Value(*self.rng.pick(values)).cast(&self.program, Ty::Usize),
        };
        let row = Expr::bin(Op::Mul, Ty::Usize, self.layout(), Expr::usize(16 << self.rng.below(5)));
        let [inside, beside] = [(); 2].map(|()| if self.rng.chance(70) { Writing::Set } else { Writing::Add });
        let start = Expr::Cast(Box::new(from.clone()), ty);
        let end = Expr::bin(Op::Add, ty, start.clone(), Expr::Lit(1 + self.rng.below(3) as i128, ty));
        let var = self.local(INNER[self.inner.len().min(2)], ty, false);
        let at = |index: Expr| Expr::bin(Op::Add, Ty::Usize, row.clone(), index);
        let place = self.place(view, at(Expr::Var(var).cast(&self.program, Ty::Usize)));
        let adaptors = if self.rng.chance(20) { vec![Adaptor::Rev] } else { Vec::new() };
        let body = vec![Stmt::Write(place, inside)];
        stmts.push(Stmt::For { var, start, end, inclusive: false, adaptors, body });
        let access = Stmt::Write(self.place(view, at(from)), beside);
        stmts.push(if self.rng.chance(60) { Stmt::If(self.cond(1), vec![access], Vec::new()) } else { access });
    }

    /// About as many numbers as a launch reckons with, and rows of which only numbers tell whether they overlap.
    pub(super) fn numbers(&mut self) -> Vec<Stmt> {
        let count = 52 + self.rng.below(10);
        let number = |_| {
            let ty = if self.rng.chance(70) { Ty::Usize } else { *self.rng.pick(&Ty::ALL) };
            let (a, b) = (self.leaf(ty), Expr::Lit(1 + self.rng.below(3) as i128, ty));
            let value = Expr::bin([Op::Xor, Op::Or, Op::Rem][self.rng.below(3)], ty, a, b);
            let local = self.local("v", ty, false);
            self.scope.push((local, Kind::Number));
            Stmt::Let(local, value)
        };
        let mut stmts: Vec<Stmt> = (0..count).map(number).collect();
        if let (Some(width), true) = (self.visible_values().first(), self.rng.chance(70)) {
            let width = Expr::Value(*width).cast(&self.program, Ty::Usize);
            let start = Expr::bin(Op::Mul, Ty::Usize, self.as_index(0), width);
            let end = Expr::bin(Op::Add, Ty::Usize, start.clone(), Expr::usize(1 + self.rng.below(4)));
            let (view, ends) =
                (self.some_view(true), vec![Ends { start: Some(start), end: Some(end), inclusive: false }]);
            self.places += 1;
            stmts.push(Stmt::Put(Part { id: self.places, view, ends }));
        }
        stmts
    }

    fn some_view(&mut self, write: bool) -> usize {
        let views: Vec<usize> =
            self.views.iter().copied().filter(|view| !write || !self.read_only.contains(view)).collect();
        *self.rng.pick(&views)
    }

    /// An access of an element, or of a part of a buffer.
    fn access(&mut self, write: bool) -> Stmt {
        let view = self.some_view(write);
        if self.rng.chance(8) {
            let part = self.part(view);
            return if write { Stmt::Put(part) } else { Stmt::Sum(part) };
        }
        let free = self.read_only.contains(&view);
        let index = if free { self.free_index(view) } else { self.index(view, write) };
        let place = self.place(view, index);
        if write {
            let writing = [Writing::Set, Writing::Add, Writing::Call][self.rng.weighted([6, 3, 1])];
            Stmt::Write(place, writing)
        } else {
            Stmt::Read(place, self.rng.chance(6))
        }
    }

    /// `x[a..b]`, and parts of that.
    fn part(&mut self, view: usize) -> Part {
        self.places += 1;
        let (id, mut ends) = (self.places, Vec::new());
        if !self.rng.chance(8) {
            ends.push(self.row());
            while self.rng.chance(30) {
                ends.push(self.within());
            }
        }
        Part { id, view, ends }
    }

    /// A few of a part.
    fn within(&mut self) -> Ends {
        let start = if self.rng.chance(75) { Expr::usize(self.rng.below(3)) } else { self.leaf(Ty::Usize) };
        let width = if self.rng.chance(75) { Expr::usize(self.rng.below(3)) } else { self.leaf(Ty::Usize) };
        let end = Expr::bin(Op::Add, Ty::Usize, start.clone(), width);
        let (open, close) = (self.rng.chance(30), self.rng.chance(30));
        Ends { start: (!open).then_some(start), end: (!close).then_some(end), inclusive: self.rng.chance(15) }
    }

    /// `a..b`: a row of an iteration's own, mostly.
    fn row(&mut self) -> Ends {
        let width = if self.rng.chance(60) { Expr::usize(1 + self.rng.below(4)) } else { self.leaf(Ty::Usize) };
        let row = self.layout();
        let start = Expr::bin(Op::Mul, Ty::Usize, row, width.clone());
        let [start, again] =
            [start.clone(), start].map(|end| if self.rng.chance(20) { self.again(end, Ty::Usize) } else { end });
        let end =
            if self.rng.chance(80) { Expr::bin(Op::Add, Ty::Usize, again, width) } else { self.expr(Ty::Usize, 1) };
        let (open, close) = (self.rng.chance(5), self.rng.chance(5));
        Ends { start: (!open).then_some(start), end: (!close).then_some(end), inclusive: self.rng.chance(15) }
    }
}

fn writes(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Write(..) | Stmt::Put(_) => true,
        Stmt::If(_, then, otherwise) => writes(then) || writes(otherwise),
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Unsafe(body) | Stmt::Block(body) => writes(body),
        Stmt::Match(_, arms) => arms.iter().any(|arm| writes(arm)),
        _ => false,
    })
}
