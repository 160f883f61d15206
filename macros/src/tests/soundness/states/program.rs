//! Random programs of blocks.

use anabranch_programs::rng::Rng;

/// Elements of the arrays `p` and `q` that threads share.
pub(super) const SHAPES: [&[u64]; 2] = [&[32], &[2, 16]];

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Ty {
    Usize,
    U32,
    U8,
}

impl Ty {
    pub(super) fn bits(self) -> u32 {
        match self {
            Ty::Usize => 64,
            Ty::U32 => 32,
            Ty::U8 => 8,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Ty::Usize => "usize",
            Ty::U32 => "u32",
            Ty::U8 => "u8",
        }
    }
}

/// An expression of a type.
#[derive(Clone)]
pub(super) struct E {
    pub(super) ty: Ty,
    pub(super) kind: Kind,
}

#[derive(Clone)]
pub(super) enum Kind {
    Lit(u64),
    Var(usize),
    /// `m`, which only the launch knows.
    Launch,
    Op(&'static str, Box<E>, Box<E>),
    Cast(Box<E>),
    /// `{ v = e; f }`.
    Set(usize, Box<E>, Box<E>),
    If(Box<C>, Box<E>, Box<E>),
    /// An element of an array of numbers: `[a, b][i % 2]`.
    Pick(Box<E>, Box<E>, Box<E>),
}

#[derive(Clone)]
pub(super) enum C {
    Compare(&'static str, E, E),
    /// `y[t] > 3`, in phases.
    Data,
    Logic(bool, Box<C>, Box<C>),
    Not(Box<C>),
    /// `{ v = e; c }`.
    Set(usize, Box<E>, Box<C>),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Touch {
    Read,
    Write,
    Update,
}

pub(super) enum S {
    Let(usize, E),
    Assign(usize, Option<&'static str>, E, Way),
    If(C, Vec<S>, Vec<S>, bool),
    For {
        var: usize,
        start: E,
        end: E,
        inclusive: bool,
        rev: bool,
        step: Option<u64>,
        body: Vec<S>,
    },
    While(C, Vec<S>),
    /// `'l: { … }`.
    Labelled(Vec<S>),
    /// Out of so many loops and labelled blocks, or on with the next round.
    Jump(usize, bool),
    Assert(C, bool),
    Access {
        array: usize,
        touch: Touch,
        index: Vec<E>,
        way: Way,
    },
    Phase {
        number: usize,
        start: E,
        end: E,
        body: Vec<S>,
    },
}

/// How something is spelled.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    Plain,
    /// Through a reference or a closure.
    Aside,
    /// In `unsafe`: nobody judges it.
    Unsafe,
}

pub(super) struct Var {
    pub(super) name: &'static str,
    pub(super) ty: Ty,
    pub(super) mutable: bool,
}

#[derive(Default)]
pub(super) struct Program {
    pub(super) body: Vec<S>,
    pub(super) vars: Vec<Var>,
    pub(super) phases: usize,
    /// The variables of the phases.
    pub(super) ts: Vec<usize>,
}

/// Shadowed often.
const NAMES: [&str; 6] = ["a", "d", "e", "f", "g", "h"];
const OPS: [&str; 14] = ["+", "+", "+", "*", "*", "-", "/", "%", "%", "&", "|", "^", "<<", ">>"];
const COMPARE: [&str; 6] = ["<", "<", "==", "!=", ">=", "<="];

struct Generator {
    rng: Rng,
    program: Program,
    /// Visible, innermost last; whether it is of the phase.
    scope: Vec<(usize, bool)>,
    /// Whether what is around is a loop.
    around: Vec<bool>,
    t: Option<usize>,
    /// Launches decide, now and then.
    free: bool,
    room: usize,
}

pub(super) fn random(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x57a7e);
    let free = rng.chance(50);
    let mut of =
        Generator { rng, program: Program::default(), scope: Vec::new(), around: Vec::new(), t: None, free, room: 14 };
    let (_, body) = of.declare(None, false);
    let mut all = vec![body];
    all.extend((0..1 + of.rng.below(5)).map(|_| of.statement()).collect::<Vec<_>>());
    all.push(of.phase());
    Program { body: all, ..of.program }
}

impl Generator {
    fn bind(&mut self, name: &'static str, ty: Ty, mutable: bool) -> usize {
        self.program.vars.push(Var { name, ty, mutable });
        let var = self.program.vars.len() - 1;
        let of_phase = self.t.is_some();
        self.scope.push((var, of_phase));
        var
    }

    fn declare(&mut self, ty: Option<Ty>, launch: bool) -> (usize, S) {
        let ty = ty.unwrap_or([Ty::Usize, Ty::Usize, Ty::Usize, Ty::Usize, Ty::U32, Ty::U8][self.rng.below(6)]);
        let init = if launch { E { ty: Ty::Usize, kind: Kind::Launch } } else { self.number(ty, 2) };
        let name = *self.rng.pick(&NAMES);
        let var = self.bind(name, ty, true);
        (var, S::Let(var, init))
    }

    /// Variables of a type that no other one hides.
    fn visible(&self, ty: Ty, to_change: bool) -> Vec<usize> {
        let vars = &self.program.vars;
        let hidden = |at: usize| self.scope[at + 1..].iter().any(|(v, _)| vars[*v].name == vars[self.scope[at].0].name);
        let is_it = |at: &usize| {
            let (var, of_phase) = self.scope[*at];
            let may_change = vars[var].mutable && of_phase == self.t.is_some();
            vars[var].ty == ty && !hidden(*at) && (!to_change || may_change)
        };
        (0..self.scope.len()).filter(is_it).map(|at| self.scope[at].0).collect()
    }

    fn literal(&mut self, ty: Ty) -> E {
        let most = [3, 3, 5, 9, 33, 300][self.rng.below(if ty == Ty::U8 { 5 } else { 6 })];
        E { ty, kind: Kind::Lit(if ty == Ty::U8 && self.rng.chance(10) { 200 } else { self.rng.below(most) as u64 }) }
    }

    fn number(&mut self, ty: Ty, depth: usize) -> E {
        let own = |kind| E { ty, kind };
        let vars = self.visible(ty, false);
        if depth == 0 || self.rng.chance(25) {
            return match self.t.filter(|_| ty == Ty::Usize && self.rng.chance(50)) {
                Some(t) if vars.contains(&t) => own(Kind::Var(t)),
                _ if !vars.is_empty() && self.rng.chance(70) => own(Kind::Var(*self.rng.pick(&vars))),
                _ if self.free && ty == Ty::Usize && self.rng.chance(8) => own(Kind::Launch),
                _ => self.literal(ty),
            };
        }
        match self.rng.below(30) {
            0 | 1 => {
                let from = [Ty::Usize, Ty::U32, Ty::U8][self.rng.below(3)];
                own(Kind::Cast(Box::new(self.number(from, depth - 1))))
            }
            2 => {
                let changed = self.visible(ty, true);
                if changed.is_empty() {
                    return self.literal(ty);
                }
                let var = *self.rng.pick(&changed);
                own(Kind::Set(var, Box::new(self.number(ty, depth - 1)), Box::new(self.number(ty, depth - 1))))
            }
            3 => {
                let cond = Box::new(self.condition(1));
                own(Kind::If(cond, Box::new(self.number(ty, depth - 1)), Box::new(self.number(ty, depth - 1))))
            }
            4 => {
                let by = Box::new(self.number(Ty::Usize, 1));
                own(Kind::Pick(Box::new(self.literal(ty)), Box::new(self.literal(ty)), by))
            }
            _ => {
                let op = *self.rng.pick(&OPS);
                let lhs = self.number(ty, depth - 1);
                let rhs = if matches!(op, "/" | "%" | "<<" | ">>") && self.rng.chance(60) {
                    E { ty, kind: Kind::Lit(1 + self.rng.below(7) as u64) }
                } else {
                    self.number(ty, depth - 1)
                };
                own(Kind::Op(op, Box::new(lhs), Box::new(rhs)))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> C {
        match self.rng.below(12) {
            0 if self.t.is_some() && self.free => C::Data,
            1 | 2 if depth > 0 => {
                C::Logic(self.rng.chance(50), Box::new(self.condition(depth - 1)), Box::new(self.condition(depth - 1)))
            }
            3 if depth > 0 => C::Not(Box::new(self.condition(depth - 1))),
            4 if depth > 0 && !self.visible(Ty::Usize, true).is_empty() => {
                let changed = self.visible(Ty::Usize, true);
                let var = *self.rng.pick(&changed);
                C::Set(var, Box::new(self.number(Ty::Usize, 1)), Box::new(self.condition(depth - 1)))
            }
            _ => {
                let op = COMPARE[self.rng.below(COMPARE.len())];
                C::Compare(op, self.number(Ty::Usize, 1), self.number(Ty::Usize, 1))
            }
        }
    }

    fn block(&mut self, most: usize) -> Vec<S> {
        let known = self.scope.len();
        let count = 1 + self.rng.below(most);
        let body = (0..count).map(|_| self.statement()).collect();
        self.scope.truncate(known);
        body
    }

    fn inside(&mut self, is_loop: bool, most: usize) -> Vec<S> {
        self.around.push(is_loop);
        let body = self.block(most);
        self.around.pop();
        body
    }

    fn statement(&mut self) -> S {
        self.room = self.room.saturating_sub(1);
        let in_phase = self.t.is_some();
        if in_phase && self.rng.chance(50) {
            return self.access();
        }
        match self.rng.below(if self.room == 0 { 9 } else { 20 }) {
            0..=2 => {
                let launch = self.free && self.rng.chance(15);
                self.declare(launch.then_some(Ty::Usize), launch).1
            }
            3..=8 => {
                let ty = [Ty::Usize, Ty::Usize, Ty::U32, Ty::U8][self.rng.below(4)];
                let vars = self.visible(ty, true);
                if vars.is_empty() {
                    return self.declare(None, false).1;
                }
                let op = self.rng.chance(60).then(|| *self.rng.pick(&OPS));
                let way = if op.is_none() && !in_phase && self.rng.chance(6) { Way::Aside } else { Way::Plain };
                S::Assign(*self.rng.pick(&vars), op, self.number(ty, 2), way)
            }
            9..=11 => {
                let cond = self.condition(1);
                let (then, otherwise) = (self.block(2), if self.rng.chance(50) { self.block(2) } else { Vec::new() });
                S::If(cond, then, otherwise, self.rng.chance(20))
            }
            12..=13 => self.counted(),
            14 => {
                let vars = self.visible(Ty::Usize, true);
                if vars.is_empty() {
                    return self.counted();
                }
                let (var, most) = (*self.rng.pick(&vars), 2 + self.rng.below(40) as u64);
                let number = |kind| E { ty: Ty::Usize, kind };
                let cond = C::Compare("<", number(Kind::Var(var)), number(Kind::Lit(most)));
                let mut body = self.inside(true, 2);
                let (op, by) = if self.rng.chance(50) { ("*", 2) } else { ("+", 1 + self.rng.below(9) as u64) };
                // In front, where no variable of the body hides this one.
                body.insert(0, S::Assign(var, Some(op), number(Kind::Lit(by)), Way::Plain));
                S::While(cond, body)
            }
            15 => S::Labelled(self.inside(false, 3)),
            16 if !self.around.is_empty() => {
                let cond = self.condition(1);
                let depth = self.rng.below(self.around.len());
                let is_loop = self.around[self.around.len() - 1 - depth];
                S::If(cond, vec![S::Jump(depth, is_loop && self.rng.chance(50))], Vec::new(), false)
            }
            17 if in_phase || self.free => S::Assert(self.condition(1), self.rng.chance(50)),
            _ if in_phase => self.access(),
            _ => self.phase(),
        }
    }

    fn counted(&mut self) -> S {
        let (start, end) = (self.number(Ty::Usize, 1), self.number(Ty::Usize, 1));
        let (start, end) = match self.rng.below(3) {
            0 => (start, end),
            1 => (E { ty: Ty::Usize, kind: Kind::Lit(self.rng.below(3) as u64) }, end),
            _ => (start, E { ty: Ty::Usize, kind: Kind::Lit(self.rng.below(6) as u64) }),
        };
        let known = self.scope.len();
        let name = *self.rng.pick(&NAMES);
        // The body may change what it counts with.
        let mutable = self.rng.chance(30);
        let var = self.bind(name, Ty::Usize, mutable);
        let step = self.rng.chance(20).then(|| 1 + self.rng.below(3) as u64);
        let (inclusive, rev) = (self.rng.chance(15), self.rng.chance(20));
        let body = self.inside(true, 3);
        self.scope.truncate(known);
        S::For { var, start, end, inclusive, rev, step, body }
    }

    fn phase(&mut self) -> S {
        let number = |kind| E { ty: Ty::Usize, kind };
        let start = if self.rng.chance(80) { number(Kind::Lit(0)) } else { self.number(Ty::Usize, 1) };
        let end = if self.rng.chance(70) {
            number(Kind::Lit([2, 4, 8, 16][self.rng.below(4)]))
        } else {
            self.number(Ty::Usize, 1)
        };
        let (known, around) = (self.scope.len(), std::mem::take(&mut self.around));
        let t = self.program.vars.len();
        self.program.vars.push(Var { name: "t", ty: Ty::Usize, mutable: false });
        self.scope.push((t, true));
        self.t = Some(t);
        let mut body: Vec<S> = (0..1 + self.rng.below(3)).map(|_| self.statement()).collect();
        body.push(self.access());
        self.t = None;
        (self.around, _) = (around, self.scope.truncate(known));
        self.program.phases += 1;
        self.program.ts.push(t);
        S::Phase { number: self.program.phases - 1, start, end, body }
    }

    fn access(&mut self) -> S {
        let array = self.rng.below(SHAPES.len());
        let touch = [Touch::Read, Touch::Write, Touch::Write, Touch::Update][self.rng.below(4)];
        let way = match self.rng.below(25) {
            0 => Way::Aside,
            1 => Way::Unsafe,
            _ => Way::Plain,
        };
        let index = SHAPES[array].iter().map(|len| self.index(*len)).collect();
        S::Access { array, touch, index, way }
    }

    /// An index that is often in bounds, and often of an iteration of its own.
    fn index(&mut self, len: u64) -> E {
        let own = |kind| E { ty: Ty::Usize, kind };
        let op = |op, lhs, rhs| own(Kind::Op(op, Box::new(lhs), Box::new(rhs)));
        let Some(t) = self.t.filter(|t| self.visible(Ty::Usize, false).contains(t)) else {
            return self.number(Ty::Usize, 2);
        };
        let t = || own(Kind::Var(t));
        let s = self.number(Ty::Usize, 0);
        match self.rng.below(8) {
            0 | 1 => t(),
            2 => op("+", op("*", t(), s), self.number(Ty::Usize, 0)),
            3 => op("%", op("+", t(), s), own(Kind::Lit(len))),
            4 => op("+", op("*", op("*", op("/", t(), s.clone()), own(Kind::Lit(2))), s.clone()), op("%", t(), s)),
            5 => op("%", s, own(Kind::Lit(2))),
            6 => op("^", t(), s),
            _ => op("%", self.number(Ty::Usize, 2), own(Kind::Lit(len))),
        }
    }
}
