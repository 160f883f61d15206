//! Accesses of buffers, and the statements around them that decide whether they are in bounds.

use anabranch_core::ops::{BinOp, CompareOp};

use super::Generator;
use crate::program::{Adaptor, Around, Block, Callee, Expr, Kind, Part, Pattern, Range, Stmt, VarId};
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

/// How an element is written.
#[derive(Clone, Copy)]
enum Writing {
    Set,
    Add,
    Call,
}

impl Generator<'_> {
    /// What an iteration does.
    pub(super) fn body(&mut self, size: usize) -> Vec<Stmt> {
        let count = 1 + self.rng.below(size + 1);
        let mut stmts = self.statements(count);
        if !writes(&stmts) {
            let write = self.access(true);
            stmts.push(write);
        }
        stmts
    }

    pub(super) fn derive(&mut self, stmts: &mut Vec<Stmt>) {
        if self.rng.chance(30) {
            let layout = self.layout();
            return self.name(layout, stmts);
        }
        let at = self.rng.below(self.host.dims.len());
        let value = self.derived(at);
        self.name(value, stmts);
        self.host.derived.extend(self.scopes.last().and_then(|scope| scope.last()).map(|var| (*var, at)));
    }

    pub(super) fn pair(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = self.int();
        let (a, b) = (self.number(ty, 2), self.number(Scalar::Usize, 1));
        let locals = [self.fresh(ty, false), self.program.declare("g", Scalar::Usize, false)];
        let both = Expr::new(Ty::Tuple(vec![a.ty.clone(), b.ty.clone()]), Kind::Tuple(vec![a, b]));
        stmts.push(Stmt::destructure(Pattern::Tuple(locals.map(Pattern::bind).into()), both));
        locals.into_iter().for_each(|local| self.bind(local));
    }

    /// An access behind a check of its index.
    pub(super) fn guarded(&mut self, stmts: &mut Vec<Stmt>) {
        if self.host.dims.len() > 1 && self.rng.chance(25) {
            return self.tied(stmts);
        }
        match self.rng.which([58, 42]) {
            // `let a = …; if a < x.len() { x[a] … }`
            0 => {
                let view = self.some_view(true);
                let index = self.index(view, true);
                let local = self.shown("at", Scalar::Usize, false);
                stmts.push(Stmt::bind(local, index));
                let len = if self.rng.chance(80) { self.len(view) } else { self.number(Scalar::Usize, 0) };
                let cond = Expr::compare(CompareOp::Lt, self.var(local), len);
                let place = Expr::element(self.var(view), self.var(local));
                let access = if self.rng.chance(60) { write(place, Writing::Set) } else { Stmt::Observe(place) };
                stmts.push(Stmt::when(cond, vec![access], Vec::new()));
            }
            // `if i > 0 { x[i - 1] … }`
            _ => {
                let view = self.some_view(false);
                let index = self.layout();
                let cond = Expr::compare(CompareOp::Gt, index.clone(), Expr::usize(0));
                let place = Expr::element(self.var(view), index - 1);
                stmts.push(Stmt::when(cond, vec![Stmt::Observe(place)], Vec::new()));
            }
        }
    }

    /// `let at = j.min(n); if i == j { x[at * s - i * t] … }`: what was made before the condition
    /// mentions both.
    fn tied(&mut self, stmts: &mut Vec<Stmt>) {
        let [i, j] = [0, 1].map(|at| self.as_index(at));
        let before = match self.rng.which([40, 30, 30]) {
            0 => Expr::method("min", vec![j.clone(), Expr::usize(3 + self.rng.below(9))]),
            1 => Expr::bin(BinOp::Rem, j.clone(), Expr::usize(4 + self.rng.below(9))),
            _ => Expr::bin(BinOp::Rem, i.clone(), Expr::usize(2 + self.rng.below(4))),
        };
        let local = self.shown("at", Scalar::Usize, false);
        stmts.push(Stmt::bind(local, before));
        let compared = if self.rng.chance(30) { self.var(local) } else { i.clone() };
        let cond = Expr::compare(CompareOp::Eq, compared, j.clone());
        let view = self.some_view(true);
        let [s, t] = [(); 2].map(|()| if self.rng.chance(60) { self.size(1) } else { Expr::usize(1) });
        let other = if self.rng.chance(70) { i } else { j };
        let index = self.var(local) * s + Expr::usize(8) - other * t;
        let place = Expr::element(self.var(view), index);
        stmts.push(Stmt::when(cond, vec![write(place, Writing::Set)], Vec::new()));
    }

    /// `let mut m = i; while m < n { x[m] … m += threads; }`
    fn grid_stride(&mut self, stmts: &mut Vec<Stmt>) {
        if self.rng.chance(25) {
            return self.past_the_end(stmts);
        }
        let ty = *self.rng.pick(&[Scalar::Usize, Scalar::Usize, Scalar::Usize, Scalar::U8, Scalar::I8, Scalar::U16]);
        let first = if self.rng.chance(70) { self.layout().to(ty) } else { self.number(ty, 1) };
        let local = self.shown("m", ty, true);
        stmts.push(Stmt::bind(local, first));
        let end = match self.rng.which([45, 35, 20]) {
            0 => self.size(1).to(ty),
            1 => Expr::int(ty.max().min(250) - self.rng.below(9) as i128, ty),
            _ => self.number(ty, 0),
        };
        let step = match self.rng.which([50, 30, 20]) {
            0 => self.size(1).to(ty),
            1 => Expr::int(1 + self.rng.below(6) as i128, ty),
            _ => self.number(ty, 0),
        };
        let op = *self.rng.pick(&[CompareOp::Lt, CompareOp::Lt, CompareOp::Lt, CompareOp::Le, CompareOp::Ne]);
        let cond = Box::new(Expr::compare(op, self.var(local), end));
        let (before, way) = (self.rng.chance(75), *self.rng.pick(&[BinOp::Add, BinOp::Add, BinOp::Add, BinOp::Sub]));
        let access = self.at_running(local);
        let mut step = vec![Stmt::assign_op(way, self.var(local), step)];
        if self.rng.chance(10) {
            step = vec![Stmt::when(self.bool(), step, vec![Stmt::unit(Kind::Break { label: None, value: None })])];
        }
        let body = if before { [vec![access], step].concat() } else { [step, vec![access]].concat() };
        stmts.push(Stmt::unit(Kind::While { label: None, cond, body: body.into() }));
    }

    /// `let mut m = 250u8; while m < 254 { x[m as usize - 250] … m += 3; }`, where one step more
    /// wraps.
    fn past_the_end(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = *self.rng.pick(&[Scalar::U8, Scalar::U8, Scalar::I8]);
        let first = ty.max() - 3 - self.rng.below(6) as i128;
        let end = Expr::int(ty.max() - self.rng.below(3) as i128, ty);
        let local = self.shown("m", ty, true);
        stmts.push(Stmt::bind(local, Expr::int(first, ty)));
        let view = self.some_view(true);
        let index = self.var(local).to(Scalar::Usize) - first as i64;
        let index = if self.rng.chance(30) { self.layout() * Expr::usize(4) + index } else { index };
        let place = Expr::element(self.var(view), index);
        let access = if self.rng.chance(40) { write(place, Writing::Set) } else { Stmt::Observe(place) };
        let step = Stmt::assign_op(BinOp::Add, self.var(local), Expr::int(1 + self.rng.below(5) as i128, ty));
        let op = if self.rng.chance(80) { CompareOp::Lt } else { CompareOp::Le };
        let cond = Box::new(Expr::compare(op, self.var(local), end));
        stmts.push(Stmt::unit(Kind::While { label: None, cond, body: vec![access, step].into() }));
    }

    /// `let mut m = 0; while m < … { … m += 1; }`, up or down, and from where the type ends or
    /// anywhere.
    pub(super) fn counted(&mut self, stmts: &mut Vec<Stmt>) {
        if self.rng.chance(50) {
            return self.grid_stride(stmts);
        }
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
                let start = self.number(ty, 0);
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

    /// `let mut m = 4 * i; for p in 0..4 { x[m] … m += 1; }`: in each round it is another number,
    /// and behind the loop as well.
    pub(super) fn running(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = if self.rng.chance(65) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
        let first = if self.rng.chance(60) { self.layout().to(ty) } else { self.number(ty, 1) };
        let local = self.shown("m", ty, true);
        stmts.push(Stmt::bind(local, first));
        let step = |this: &mut Self| {
            let by =
                if this.rng.chance(70) { Expr::int(1 + this.rng.below(4) as i128, ty) } else { this.number(ty, 0) };
            let op = *this.rng.pick(&[BinOp::Add, BinOp::Add, BinOp::Add, BinOp::Sub, BinOp::Mul]);
            Stmt::assign_op(op, this.var(local), by)
        };
        // Where nothing repeats, it is one number after the other.
        if self.rng.chance(25) {
            let (before, step) = (self.at_running(local), step(self));
            stmts.push(before);
            stmts.push(if self.rng.chance(30) { Stmt::when(self.bool(), vec![step], Vec::new()) } else { step });
            let behind = self.at_running(local);
            return stmts.push(behind);
        }
        let counted = if self.rng.chance(70) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
        let start = if self.rng.chance(60) { Expr::int(0, counted) } else { self.number(counted, 0) };
        let end = Expr::method("wrapping_add", vec![start.clone(), Expr::int(1 + self.rng.below(3) as i128, counted)]);
        let var = self.counter_of(counted, false);
        let adaptors = if self.rng.chance(15) { vec![Adaptor::Rev] } else { Vec::new() };
        let range = Range { start: Box::new(start), end: Box::new(end), inclusive: self.rng.chance(15), adaptors };
        let access = self.at_running(local);
        let step = match self.rng.which([70, 10, 10, 10]) {
            0 => vec![step(self)],
            1 => vec![Stmt::when(self.bool(), vec![step(self)], Vec::new())],
            2 => vec![step(self), step(self)],
            _ => vec![Stmt::when(self.bool(), vec![Stmt::unit(Kind::Continue(None))], Vec::new()), step(self)],
        };
        let first = self.rng.chance(75);
        let body = if first { [vec![access], step].concat() } else { [step, vec![access]].concat() };
        stmts.push(Stmt::unit(Kind::For { label: None, var, range, body: body.into() }));
        if self.rng.chance(30) {
            let behind = self.at_running(local);
            stmts.push(behind);
        }
    }

    /// An access whose index is a variable, and maybe something beside it.
    fn at_running(&mut self, local: VarId) -> Stmt {
        let view = self.some_view(true);
        let index = self.var(local).to(Scalar::Usize);
        let index = match self.rng.which([65, 23, 12]) {
            0 => index,
            1 => index + self.number(Scalar::Usize, 0),
            // Less what has been counted meanwhile, mostly: it is negative where a round has not
            // stepped on.
            _ => index - self.number(Scalar::Usize, 0),
        };
        let place = Expr::element(self.var(view), index);
        if self.rng.chance(60) { write(place, Writing::Set) } else { Stmt::Observe(place) }
    }

    /// `for p in n as u8..n as u8 + 2 { x[64 * i + p] … } x[64 * i + n] …`: one counts from `n`,
    /// unless that has wrapped.
    pub(super) fn wrapped(&mut self, stmts: &mut Vec<Stmt>) {
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
        let var = self.counter_of(ty, false);
        let at = |index: Expr| row.clone() + index;
        let place = Expr::element(self.var(view), at(self.var(var).to(Scalar::Usize)));
        let adaptors = if self.rng.chance(20) { vec![Adaptor::Rev] } else { Vec::new() };
        let range = Range { start: Box::new(start), end: Box::new(end), inclusive: false, adaptors };
        let body = vec![write(place, inside)].into();
        stmts.push(Stmt::unit(Kind::For { label: None, var, range, body }));
        let access = write(Expr::element(self.var(view), at(from)), beside);
        stmts.push(if self.rng.chance(60) { Stmt::when(self.bool(), vec![access], Vec::new()) } else { access });
    }

    /// About as many numbers as a launch reckons with, and rows of which only numbers tell whether
    /// they overlap.
    pub(super) fn rows(&mut self) -> Vec<Stmt> {
        let count = 52 + self.rng.below(10);
        let number = |_| {
            let ty = if self.rng.chance(70) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
            let (a, b) = (self.number(ty, 0), Expr::int(1 + self.rng.below(3) as i128, ty));
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

    pub(super) fn some_view(&mut self, write: bool) -> VarId {
        let views: Vec<VarId> =
            self.host.views.iter().copied().filter(|view| !write || !self.host.read_only.contains(view)).collect();
        *self.rng.pick(&views)
    }

    /// An access of an element, or of a part of a buffer.
    pub(super) fn access(&mut self, write: bool) -> Stmt {
        let view = self.some_view(write);
        let writing = [Writing::Set, Writing::Add, Writing::Call][self.rng.which([6, 3, 1])];
        let part = self.rng.chance(8);
        // What is borrowed by `&mut`, the index must leave alone.
        let banned = self.banned.len();
        self.banned.extend((write && (part || matches!(writing, Writing::Call))).then_some(view));
        let access = self.access_of(view, write.then_some(writing), part);
        self.banned.truncate(banned);
        access
    }

    fn access_of(&mut self, view: VarId, write: Option<Writing>, part: bool) -> Stmt {
        if part {
            let parts = self.parts();
            return if write.is_some() { Stmt::put(self.var(view), parts) } else { Stmt::sum(self.var(view), parts) };
        }
        let free = self.host.read_only.contains(&view);
        let index = if free { self.free_index(view) } else { self.index(view, write.is_some()) };
        let place = Expr::element(self.var(view), index);
        match write {
            Some(writing) => self::write(place, writing),
            None if self.rng.chance(6) => Stmt::Observe(around(Around::Get, false, place, None)),
            None => Stmt::Observe(place),
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
        let start = if self.rng.chance(75) { Expr::usize(self.rng.below(3)) } else { self.number(Scalar::Usize, 0) };
        let width = if self.rng.chance(75) { Expr::usize(self.rng.below(3)) } else { self.number(Scalar::Usize, 0) };
        let end = start.clone() + width;
        let (open, close) = (self.rng.chance(30), self.rng.chance(30));
        Part { start: (!open).then_some(start), end: (!close).then_some(end), inclusive: self.rng.chance(15) }
    }

    /// `a..b`: a row of an iteration's own, mostly.
    fn row(&mut self) -> Part {
        let width =
            if self.rng.chance(60) { Expr::usize(1 + self.rng.below(4)) } else { self.number(Scalar::Usize, 0) };
        let row = self.layout();
        let start = row * width.clone();
        let [start, again] =
            [start.clone(), start].map(|end| if self.rng.chance(20) { self.again(end, Scalar::Usize) } else { end });
        let end = if self.rng.chance(80) { again + width } else { self.number(Scalar::Usize, 1) };
        let (open, close) = (self.rng.chance(5), self.rng.chance(5));
        Part { start: (!open).then_some(start), end: (!close).then_some(end), inclusive: self.rng.chance(15) }
    }
}

/// Whether there is a write that is no part of an expression.
fn writes(stmts: &[Stmt]) -> bool {
    let write = |stmt: &Stmt| match stmt {
        Stmt::Expr(Expr { kind: Kind::Assign(place, _) | Kind::AssignOp(_, place, _), .. }) => {
            matches!(&place.kind, Kind::Index(base, _) if matches!(base.ty, Ty::Slice(_)))
        }
        Stmt::Expr(Expr { kind: Kind::Call { .. }, .. }) => true,
        Stmt::Expr(_) | Stmt::Let { .. } | Stmt::Const(..) | Stmt::Observe(_) => false,
    };
    let mut found = false;
    visit::deep(Node::Block(&mut stmts.to_vec().into()), &mut |node| {
        found |= matches!(node, Node::Block(Block { stmts, .. }) if stmts.iter().any(write));
    });
    found
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
