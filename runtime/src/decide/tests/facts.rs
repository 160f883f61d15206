//! The facts that the macro would make of a loop.

use std::collections::BTreeMap;

use anabranch_core::methods::Meaning;
use anabranch_core::ops::{BinOp, CompareOp};
use anabranch_programs::generate::accesses::Accesses;
use anabranch_programs::program::{Adaptor, Block, Expr, Kind, Part, Pattern, Range, Stmt, VarId};
use anabranch_programs::types::{Scalar, Ty};

use super::super::{
    Access, Axis, Cast, Comparison, Condition, Facts, Form, IntType, Numbers, Operation, Refusal, Step, Term, Value,
    Verdict,
};

/// The slots of types: their numbers.
pub(super) fn slot(ty: Scalar) -> usize {
    ty as usize
}

/// What stands in a slot.
pub(super) fn ty(at: usize) -> Option<IntType> {
    use Scalar::{I3, I5, U3, U5};
    let ty = Scalar::ALL.into_iter().chain([U3, I3, U5, I5]).find(|ty| slot(*ty) == at)?;
    ty.is_int().then(|| IntType { bits: ty.bits(), signed: ty.is_signed() })
}

/// The facts of a loop.
pub(super) fn of(accesses: &Accesses) -> Facts {
    some(accesses, false)
}

/// The facts of a loop; `never_sure`: no access is known to be made by every iteration.
pub(super) fn some(accesses: &Accesses, never_sure: bool) -> Facts {
    let Accesses { program, symbols, .. } = accesses;
    let par_loop = program.loops()[0];
    let axes = par_loop.dims.iter().map(|dim| dim.var);
    let first: Vec<VarId> = axes.chain(program.params.iter().copied()).collect();
    let others = (0..program.vars.len()).map(VarId).filter(|var| !first.contains(var));
    let others = others.filter(|var| !matches!(program.ty(*var), Ty::Slice(_)));
    let variables: Vec<VarId> = first.iter().copied().chain(others).collect();
    let host = par_loop.dims.len()..par_loop.dims.len() + symbols.len();
    let (atoms, steps, found) = (variables.len(), Vec::new(), Vec::new());
    let mut maker = Maker { variables, host, atoms, steps, accesses: found, sometimes: never_sure };
    maker.block(&par_loop.body);
    let races = (0..program.buffers().count()).map(|buffer| {
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

pub(super) fn axes(accesses: &Accesses) -> Vec<Axis> {
    accesses.axes.iter().map(|axis| Axis { lo: axis.lo, step: axis.step, trips: axis.trips }).collect()
}

pub(super) fn decide(accesses: &Accesses, facts: &Facts) -> Result<Verdict, Refusal> {
    let symbols: Vec<Option<i128>> = accesses.symbols.iter().copied().map(Some).collect();
    facts.decide(&Numbers { axes: &axes(accesses), symbols: &symbols, types: &ty })
}

pub(super) fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// Does what the macro does.
struct Maker {
    /// By atoms.
    variables: Vec<VarId>,
    /// The atoms of host values.
    host: std::ops::Range<usize>,
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

impl Maker {
    fn atom(&self, var: VarId) -> usize {
        self.variables.iter().position(|other| *other == var).expect("it is a variable")
    }

    fn poly(&mut self, expr: &Expr) -> Poly {
        match &expr.kind {
            Kind::Int { value, .. } => Poly::single(vec![], i64::try_from(*value).expect("a literal of 64 bits")),
            Kind::Var(var) => Poly::single(vec![self.atom(*var)], 1),
            Kind::Len(view) => Poly::single(vec![self.atom(view.root().expect("a view"))], 1),
            Kind::Cast(value) => {
                let mut poly = self.poly(value);
                let operand = poly.form();
                let (from, to) = (slot(value.scalar()), slot(expr.scalar()));
                poly.casts.push(Cast { value: &leak(vec![operand])[0], from, to });
                poly
            }
            Kind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.poly(a), self.poly(b));
                let mut product = Poly { casts: [a.casts.clone(), b.casts.clone()].concat(), ..Poly::default() };
                for (of, x, y) in [(&mut product.terms, &a.terms, &b.terms), (&mut product.size, &a.size, &b.size)] {
                    for ((m, f), (n, g)) in x.iter().flat_map(|x| y.iter().map(move |y| (x, y))) {
                        let mut atoms = [m.clone(), n.clone()].concat();
                        atoms.sort_unstable();
                        insert(of, atoms, f * g);
                    }
                }
                let varying = |atoms: &Vec<usize>| atoms.iter().filter(|atom| !self.host.contains(atom)).count() > 1;
                if !product.terms.keys().chain(product.size.keys()).any(varying) {
                    return product;
                }
                let atom = self.fresh();
                let operands = leak(vec![a.form(), b.form()]);
                self.steps.push(Step::Let {
                    atom,
                    value: Value { operation: Operation::Mul, operands, ty: slot(expr.scalar()), narrow: &[] },
                });
                Poly::single(vec![atom], 1)
            }
            Kind::Binary(sign @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (mut a, b) = (self.poly(a), self.poly(b));
                for (atoms, factor) in b.terms {
                    insert(&mut a.terms, atoms, if *sign == BinOp::Sub { -factor } else { factor });
                }
                for (atoms, factor) in b.size {
                    insert(&mut a.size, atoms, factor);
                }
                a.casts.extend(b.casts);
                a
            }
            other => panic!("no form: {other:?}"),
        }
    }

    fn fresh(&mut self) -> usize {
        self.atoms += 1;
        self.atoms - 1
    }

    fn form(&mut self, expr: &Expr) -> Form {
        self.poly(expr).form()
    }

    /// What holds where a comparison does, or does not.
    fn condition(&mut self, cond: &Expr, holds: bool) -> Condition {
        let Kind::Compare(op, a, b) = &cond.kind else { panic!("no comparison: {cond:?}") };
        let (lhs, comparison, rhs) = match (op, holds) {
            (CompareOp::Lt, true) | (CompareOp::Ge, false) => (a, Comparison::Less, b),
            (CompareOp::Le, true) | (CompareOp::Gt, false) => (a, Comparison::LessOrEqual, b),
            (CompareOp::Gt, true) | (CompareOp::Le, false) => (b, Comparison::Less, a),
            (CompareOp::Ge, true) | (CompareOp::Lt, false) => (b, Comparison::LessOrEqual, a),
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => (a, Comparison::Equal, b),
            (CompareOp::Ne, true) | (CompareOp::Eq, false) => (a, Comparison::NotEqual, b),
        };
        Condition { lhs: self.form(lhs), comparison, rhs: self.form(rhs), ty: slot(lhs.scalar()) }
    }

    fn conditions(&mut self, cond: &Expr) -> Vec<Condition> {
        match &cond.kind {
            Kind::And(a, b) => [self.conditions(a), self.conditions(b)].concat(),
            _ => vec![self.condition(cond, true)],
        }
    }

    fn inside(&mut self, sometimes: bool, body: impl FnOnce(&mut Self)) -> &'static [Step] {
        let (steps, before) = (std::mem::take(&mut self.steps), self.sometimes);
        self.sometimes |= sometimes;
        body(self);
        self.sometimes = before;
        leak(std::mem::replace(&mut self.steps, steps))
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern: Pattern::Bind { var, .. }, init: Some(init), .. } => self.bind(*var, init),
                Stmt::Observe(value) => self.access(value, false),
                Stmt::Expr(Expr { kind: Kind::Assign(place, _), .. }) => self.access(place, true),
                Stmt::Expr(call @ Expr { kind: Kind::Call { .. }, .. }) => self.access(call, true),
                Stmt::Expr(Expr { kind: Kind::If { cond, then, otherwise: None }, .. }) => {
                    let conditions = leak(self.conditions(cond));
                    let body = self.inside(true, |this| this.block(then));
                    self.steps.push(Step::When { conditions, body });
                }
                Stmt::Expr(Expr { kind: Kind::For { var, range, body, .. }, .. }) => {
                    let Range { start, end, inclusive, adaptors } = range;
                    let ty = slot(end.scalar());
                    let (start, end) = (self.form(start), self.form(end));
                    let step = adaptors.iter().map(|adaptor| match adaptor {
                        Adaptor::StepBy(step) => self.form(step),
                        Adaptor::Rev => panic!("no loop of these goes down"),
                    });
                    let step = step.last();
                    let (atom, inclusive) = (self.atom(*var), *inclusive);
                    let body = self.inside(false, |this| this.block(body));
                    self.steps.push(Step::For { atom, start, end, inclusive, step, ty, narrow: true, body });
                }
                other => panic!("no fact: {other:?}"),
            }
        }
    }

    fn bind(&mut self, var: VarId, init: &Expr) {
        let atom = self.atom(var);
        let (operation, operands) = match &init.kind {
            Kind::If { cond, then, otherwise: Some(otherwise) } => {
                self.steps.push(Step::Declare { atom });
                for (holds, way) in [(true, then), (false, otherwise)] {
                    let conditions = vec![self.condition(cond, holds)];
                    let body = self.inside(true, |this| {
                        let value = this.form(way.value.as_deref().expect("it has a value"));
                        this.steps.push(Step::Join { atom, value, ty: slot(init.scalar()) });
                    });
                    self.steps.push(Step::When { conditions: leak(conditions), body });
                }
                return;
            }
            Kind::Call { .. } => (Operation::Any, Vec::new()),
            Kind::Method { method, args, .. } => match method.meaning {
                Meaning::Operation(operation) => (operation, args.iter().collect()),
                Meaning::Operator(BinOp::Mul) => (Operation::Mul, args.iter().collect()),
                other => panic!("no operation: {other:?}"),
            },
            Kind::Binary(op, a, b) => {
                let operation = match op {
                    BinOp::Div => Operation::Div,
                    BinOp::Rem => Operation::Rem,
                    BinOp::And => Operation::And,
                    BinOp::Shr => Operation::Shr,
                    other => panic!("no operation: {other:?}"),
                };
                (operation, vec![&**a, &**b])
            }
            other => panic!("no operation: {other:?}"),
        };
        let ty = slot(operands.first().map_or(init, |operand| operand).scalar());
        let operands = leak(operands.into_iter().map(|operand| self.form(operand)).collect());
        self.steps.push(Step::Let { atom, value: Value { operation, operands, ty, narrow: &[] } });
    }

    fn access(&mut self, what: &Expr, write: bool) {
        let (base, index, end) = match &what.kind {
            Kind::Index(base, index) => (base, &**index, None),
            Kind::Call { args, .. } => match &args[0].kind {
                Kind::Borrow { place, parts, .. } => match parts.as_slice() {
                    [Part { start: Some(start), end, inclusive: false }] => (place, start, end.as_ref()),
                    other => panic!("no range: {other:?}"),
                },
                other => panic!("no part: {other:?}"),
            },
            other => panic!("no access: {other:?}"),
        };
        // The buffers are the first variables.
        let VarId(view) = base.root().expect("a view");
        let (len, index, end) = (self.atom(VarId(view)), self.poly(index), end.map(|end| self.form(end)));
        self.steps.push(Step::Access(self.accesses.len()));
        self.accesses.push(Access {
            view,
            len,
            index: index.form(),
            end,
            write,
            always: !self.sometimes,
            decided: true,
            proved: false,
            size: form(&index.size, &[]),
            text: "",
            line: 1,
            column: 1,
        });
    }
}
