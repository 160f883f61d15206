//! Loop bodies as they are written, and the facts that the macro would make of them.

use std::collections::BTreeMap;
use std::ops::{Add, Mul, Sub};

use super::super::{
    Access, Axis, Cast, Comparison, Condition, Facts, Form, IntType, Numbers, Operation, Refusal, Step, Term, Value,
    Verdict,
};

/// Slots of types.
pub(super) const USIZE: usize = 0;
pub(super) const ISIZE: usize = 1;
pub(super) const U32: usize = 2;
pub(super) const I32: usize = 3;
pub(super) const U8: usize = 4;
pub(super) const U3: usize = 5;
pub(super) const I3: usize = 6;
pub(super) const U5: usize = 7;
pub(super) const I5: usize = 8;
pub(super) const U128: usize = 9;
pub(super) const I128: usize = 10;
/// No type of integers.
pub(super) const OTHER: usize = 11;

pub(super) fn ty(slot: usize) -> Option<IntType> {
    let bits = *[64, 64, 32, 32, 8, 3, 3, 5, 5, 128, 128].get(slot)?;
    let signed = matches!(slot, ISIZE | I32 | I3 | I5 | I128);
    Some(IntType { bits, signed })
}

/// Arithmetic as it is written.
#[derive(Debug, Clone)]
pub(super) enum Expr {
    Lit(i64, usize),
    Var(usize, usize),
    Bin(char, Box<Expr>, Box<Expr>),
    As(Box<Expr>, usize),
}

impl Expr {
    pub(super) fn ty(&self) -> usize {
        match self {
            Expr::Lit(_, ty) | Expr::Var(_, ty) | Expr::As(_, ty) => *ty,
            Expr::Bin(_, a, _) => a.ty(),
        }
    }

    pub(super) fn to(self, ty: usize) -> Expr {
        Expr::As(Box::new(self), ty)
    }
}

/// A literal of type `usize`.
pub(super) fn lit(value: i64) -> Expr {
    Expr::Lit(value, USIZE)
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        lit(value)
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $sign:literal)*) => { $(
        impl<E: Into<Expr>> $trait<E> for Expr {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                let other = match other.into() {
                    Expr::Lit(value, _) => Expr::Lit(value, self.ty()),
                    other => other,
                };
                Expr::Bin($sign, Box::new(self), Box::new(other))
            }
        }
    )* };
}
operator!(Add add '+' Sub sub '-' Mul mul '*');

/// A condition.
#[derive(Debug, Clone)]
pub(super) struct Cond(pub(super) Expr, pub(super) Comparison, pub(super) Expr);

pub(super) fn cond(lhs: Expr, comparison: &str, rhs: impl Into<Expr>) -> Cond {
    let rhs = match rhs.into() {
        Expr::Lit(value, _) => Expr::Lit(value, lhs.ty()),
        rhs => rhs,
    };
    match comparison {
        "<" => Cond(lhs, Comparison::Less, rhs),
        "<=" => Cond(lhs, Comparison::LessOrEqual, rhs),
        ">" => Cond(rhs, Comparison::Less, lhs),
        ">=" => Cond(rhs, Comparison::LessOrEqual, lhs),
        "==" => Cond(lhs, Comparison::Equal, rhs),
        _ => Cond(lhs, Comparison::NotEqual, rhs),
    }
}

/// A part of a body.
#[derive(Debug, Clone)]
pub(super) enum Stmt {
    Let {
        var: usize,
        operation: Operation,
        operands: Vec<Expr>,
        ty: usize,
    },
    /// `let var = if condition { a } else { b };`
    Choose {
        var: usize,
        condition: Cond,
        then: Expr,
        other: Expr,
        ty: usize,
    },
    For {
        var: usize,
        start: Expr,
        end: Expr,
        inclusive: bool,
        step: Option<Expr>,
        ty: usize,
        body: Vec<Stmt>,
    },
    When {
        conditions: Vec<Cond>,
        body: Vec<Stmt>,
    },
    Access {
        buffer: usize,
        index: Expr,
        end: Option<Expr>,
        write: bool,
    },
}

pub(super) fn read(buffer: usize, index: Expr) -> Stmt {
    Stmt::Access { buffer, index, end: None, write: false }
}

pub(super) fn write(buffer: usize, index: Expr) -> Stmt {
    Stmt::Access { buffer, index, end: None, write: true }
}

pub(super) fn write_range(buffer: usize, index: Expr, end: Expr) -> Stmt {
    Stmt::Access { buffer, index, end: Some(end), write: true }
}

pub(super) fn when(conditions: Vec<Cond>, body: Vec<Stmt>) -> Stmt {
    Stmt::When { conditions, body }
}

/// A loop with its numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    pub(super) axes: Vec<Axis>,
    pub(super) symbols: Vec<i128>,
    pub(super) atoms: usize,
    /// The atoms of the lengths of the buffers.
    pub(super) buffers: Vec<usize>,
    pub(super) body: Vec<Stmt>,
    /// No access is known to be made by every iteration.
    pub(super) never_sure: bool,
}

impl Program {
    /// A loop over ranges: first value, step, trips.
    pub(super) fn over(axes: &[(i128, i128, u64)]) -> Program {
        let axes: Vec<Axis> = axes.iter().map(|&(lo, step, trips)| Axis { lo, step, trips }).collect();
        Program { atoms: axes.len(), axes, ..Program::default() }
    }

    /// A variable of the loop.
    pub(super) fn var(&self, at: usize) -> Expr {
        Expr::Var(at, USIZE)
    }

    /// A host value. All of these come before the other atoms.
    pub(super) fn host(&mut self, value: i128) -> Expr {
        self.symbols.push(value);
        self.variable(USIZE).1
    }

    pub(super) fn buffer(&mut self, len: i128) -> usize {
        self.symbols.push(len);
        self.buffers.push(self.atoms);
        self.atoms += 1;
        self.buffers.len() - 1
    }

    pub(super) fn len(&self, buffer: usize) -> Expr {
        Expr::Var(self.buffers[buffer], USIZE)
    }

    /// A variable of the body: its atom, twice.
    pub(super) fn variable(&mut self, ty: usize) -> (usize, Expr) {
        self.atoms += 1;
        (self.atoms - 1, Expr::Var(self.atoms - 1, ty))
    }

    pub(super) fn facts(&self) -> Facts {
        let mut maker =
            Maker { program: self, atoms: self.atoms, steps: Vec::new(), accesses: Vec::new(), sometimes: false };
        maker.stmts(&self.body);
        let races = (0..self.buffers.len()).map(|buffer| {
            let members = maker.accesses.iter().enumerate().filter(|(_, access)| access.view == buffer);
            leak(members.map(|(at, _)| at).collect())
        });
        let races: Vec<&'static [usize]> =
            races.filter(|group: &&[usize]| group.iter().any(|at| maker.accesses[*at].write)).collect();
        Facts {
            atoms: maker.atoms,
            symbols: &[],
            races: leak(races),
            steps: leak(maker.steps),
            accesses: leak(maker.accesses),
        }
    }

    pub(super) fn decide(&self, facts: &Facts) -> Result<Verdict, Refusal> {
        let symbols: Vec<Option<i128>> = self.symbols.iter().copied().map(Some).collect();
        facts.decide(&Numbers { axes: &self.axes, symbols: &symbols, types: &ty })
    }
}

pub(super) fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// Does what the macro does.
struct Maker<'a> {
    program: &'a Program,
    atoms: usize,
    steps: Vec<Step>,
    accesses: Vec<Access>,
    sometimes: bool,
}

type Terms = BTreeMap<Vec<usize>, i64>;

#[derive(Clone, Default)]
struct Poly {
    terms: Terms,
    size: Terms,
    casts: Vec<Cast>,
}

impl Poly {
    fn single(atoms: Vec<usize>, factor: i64) -> Poly {
        let mut poly = Poly::default();
        if factor != 0 {
            poly.terms.insert(atoms.clone(), factor);
            poly.size.insert(atoms, factor.abs());
        }
        poly
    }

    fn form(&self) -> Form {
        form(&self.terms, &self.casts)
    }
}

fn form(terms: &Terms, casts: &[Cast]) -> Form {
    let own = |(atoms, factor): (&Vec<usize>, &i64)| Term { factor: *factor, atoms: leak(atoms.clone()) };
    Form {
        constant: terms.get(&vec![]).copied().unwrap_or(0),
        terms: leak(terms.iter().filter(|(atoms, _)| !atoms.is_empty()).map(own).collect()),
        casts: leak(casts.to_vec()),
    }
}

fn insert(terms: &mut Terms, atoms: Vec<usize>, factor: i64) {
    let sum = terms.entry(atoms.clone()).or_insert(0);
    *sum += factor;
    if *sum == 0 {
        terms.remove(&atoms);
    }
}

impl Maker<'_> {
    fn poly(&mut self, expr: &Expr) -> Poly {
        match expr {
            Expr::Lit(value, _) => Poly::single(vec![], *value),
            Expr::Var(atom, _) => Poly::single(vec![*atom], 1),
            Expr::As(value, to) => {
                let mut poly = self.poly(value);
                let operand = poly.form();
                poly.casts.push(Cast { value: &leak(vec![operand])[0], from: value.ty(), to: *to });
                poly
            }
            Expr::Bin('*', a, b) => {
                let (a, b) = (self.poly(a), self.poly(b));
                let mut product = Poly { casts: [a.casts.clone(), b.casts.clone()].concat(), ..Poly::default() };
                for (of, x, y) in [(&mut product.terms, &a.terms, &b.terms), (&mut product.size, &a.size, &b.size)] {
                    for ((m, f), (n, g)) in x.iter().flat_map(|x| y.iter().map(move |y| (x, y))) {
                        let mut atoms = [m.clone(), n.clone()].concat();
                        atoms.sort_unstable();
                        insert(of, atoms, f * g);
                    }
                }
                let host = self.program.axes.len()..self.program.axes.len() + self.program.symbols.len();
                let varying = |atoms: &Vec<usize>| atoms.iter().filter(|atom| !host.contains(atom)).count() > 1;
                if !product.terms.keys().chain(product.size.keys()).any(varying) {
                    return product;
                }
                let atom = self.fresh();
                let operands = leak(vec![a.form(), b.form()]);
                self.steps.push(Step::Let {
                    atom,
                    value: Value { operation: Operation::Mul, operands, ty: expr.ty(), narrow: &[] },
                });
                Poly::single(vec![atom], 1)
            }
            Expr::Bin(sign, a, b) => {
                let (mut a, b) = (self.poly(a), self.poly(b));
                for (atoms, factor) in b.terms {
                    insert(&mut a.terms, atoms, if *sign == '-' { -factor } else { factor });
                }
                for (atoms, factor) in b.size {
                    insert(&mut a.size, atoms, factor);
                }
                a.casts.extend(b.casts);
                a
            }
        }
    }

    fn fresh(&mut self) -> usize {
        self.atoms += 1;
        self.atoms - 1
    }

    fn form(&mut self, expr: &Expr) -> Form {
        self.poly(expr).form()
    }

    fn condition(&mut self, Cond(lhs, comparison, rhs): &Cond) -> Condition {
        Condition { lhs: self.form(lhs), comparison: *comparison, rhs: self.form(rhs), ty: lhs.ty() }
    }

    fn inside(&mut self, sometimes: bool, body: impl FnOnce(&mut Self)) -> &'static [Step] {
        let (steps, before) = (std::mem::take(&mut self.steps), self.sometimes);
        self.sometimes |= sometimes;
        body(self);
        self.sometimes = before;
        leak(std::mem::replace(&mut self.steps, steps))
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let { var, operation, operands, ty } => {
                    let operands = leak(operands.iter().map(|operand| self.form(operand)).collect());
                    let value = Value { operation: *operation, operands, ty: *ty, narrow: &[] };
                    self.steps.push(Step::Let { atom: *var, value });
                }
                Stmt::Choose { var, condition, then, other, ty } => {
                    self.steps.push(Step::Declare { atom: *var });
                    let holds = self.condition(condition);
                    for (conditions, value) in [(vec![holds], then), (not(holds), other)] {
                        let body = self.inside(true, |this| {
                            let value = this.form(value);
                            this.steps.push(Step::Join { atom: *var, value, ty: *ty });
                        });
                        self.steps.push(Step::When { conditions: leak(conditions), body });
                    }
                }
                Stmt::For { var, start, end, inclusive, step, ty, body } => {
                    let (start, end) = (self.form(start), self.form(end));
                    let step = step.as_ref().map(|step| self.form(step));
                    let body = self.inside(false, |this| this.stmts(body));
                    let (atom, inclusive, ty) = (*var, *inclusive, *ty);
                    self.steps.push(Step::For { atom, start, end, inclusive, step, ty, narrow: true, body });
                }
                Stmt::When { conditions, body } => {
                    let conditions = leak(conditions.iter().map(|c| self.condition(c)).collect());
                    let body = self.inside(true, |this| this.stmts(body));
                    self.steps.push(Step::When { conditions, body });
                }
                Stmt::Access { buffer, index, end, write } => {
                    let index = self.poly(index);
                    let end = end.as_ref().map(|end| self.form(end));
                    self.steps.push(Step::Access(self.accesses.len()));
                    self.accesses.push(Access {
                        view: *buffer,
                        len: self.program.buffers[*buffer],
                        index: index.form(),
                        end,
                        write: *write,
                        always: !self.sometimes && !self.program.never_sure,
                        decided: true,
                        proved: false,
                        size: form(&index.size, &[]),
                        text: "",
                        line: 1,
                        column: 1,
                    });
                }
            }
        }
    }
}

fn not(condition: Condition) -> Vec<Condition> {
    let Condition { lhs, comparison, rhs, .. } = condition;
    let (lhs, comparison, rhs) = match comparison {
        Comparison::Less => (rhs, Comparison::LessOrEqual, lhs),
        Comparison::LessOrEqual => (rhs, Comparison::Less, lhs),
        Comparison::Equal => (lhs, Comparison::NotEqual, rhs),
        Comparison::NotEqual => (lhs, Comparison::Equal, rhs),
    };
    vec![Condition { lhs, comparison, rhs, ..condition }]
}
