//! The facts that the macro would make of a loop.

use anabranch_core::facts::{Access, Component, Condition, Facts, Form, Step, Value};
use anabranch_core::methods::Meaning;
use anabranch_core::ops::{BinOp, CompareOp, Comparison, Operation};
use anabranch_programs::generate::accesses::Accesses;
use anabranch_programs::program::{self, Adaptor, Block, Expr, Kind, Part, Pattern, Range, Stmt, VarId};
use anabranch_programs::types::{Scalar, Ty};

use anabranch_core::decide::{self, Axis, Example, Numbers, Refusal, Verdict};
use anabranch_core::scalar::IntType;

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
    let Accesses { program, .. } = accesses;
    let par_loop = program.loops()[0];
    let axes = par_loop.dims.iter().map(|dim| dim.var);
    let first: Vec<VarId> = axes.chain(program.params.iter().copied()).collect();
    let others = (0..program.vars.len()).map(VarId).filter(|var| !first.contains(var));
    let others = others.filter(|var| !matches!(program.ty(*var), Ty::Slice(_)));
    let extents = extents(accesses);
    let unnamed = (0..extents.len()).map(|at| VarId(usize::MAX - at));
    let variables: Vec<VarId> = first.iter().copied().chain(unnamed).chain(others).collect();
    let host = par_loop.dims.len()..first.len() + extents.len();
    let extents = extents.iter().zip(first.len()..).map(|((buffer, _), atom)| (*buffer, atom)).collect();
    let (atoms, steps, found) = (variables.len(), Vec::new(), Vec::new());
    let mut maker = Maker { variables, extents, host, atoms, steps, accesses: found, sometimes: never_sure };
    maker.block(&par_loop.body);
    let Maker { atoms, steps, accesses, .. } = maker;
    let races = (0..program.buffers().count()).map(|buffer| {
        let members = accesses.iter().enumerate().filter(|(_, access)| access.view == buffer);
        members.map(|(at, _)| at).collect()
    });
    let races = races.filter(|group: &Vec<usize>| group.iter().any(|at| accesses[*at].write)).collect();
    Facts { atoms, sources: Vec::new(), steps, accesses, races, phases: Vec::new() }
}

pub(super) fn axes(accesses: &Accesses) -> Vec<Axis> {
    accesses.axes.iter().map(|axis| Axis { lo: axis.lo, step: axis.step, trips: axis.trips }).collect()
}

pub(super) fn decide(accesses: &Accesses, facts: &Facts) -> Result<Verdict, Refusal> {
    decide_by(accesses, |numbers| decide::decide(facts, numbers))
}

/// Two iterations that a refusal of [`decide`] is about.
pub(super) fn example(accesses: &Accesses, facts: &Facts) -> Option<Example> {
    decide_by(accesses, |numbers| decide::example(facts, numbers, Refusal::Overlap { first: 0, second: 0 }))
}

/// What is decided with the numbers of a loop.
pub(super) fn decide_by<R>(accesses: &Accesses, decide: impl FnOnce(&Numbers<'_>) -> R) -> R {
    let extents = extents(accesses);
    let extents = extents.iter().map(|(_, extent)| extent);
    let symbols: Vec<Option<i128>> = accesses.symbols.iter().chain(extents).copied().map(Some).collect();
    decide(&Numbers { blocks: &[], axes: &axes(accesses), symbols: &symbols, types: &ty })
}

/// The extents of grids, and the strides of all dimensions but the last, by buffers: the symbols
/// after those that the program has.
fn extents(accesses: &Accesses) -> Vec<(usize, i128)> {
    let params = accesses.program.params.iter().zip(&accesses.symbols);
    let grids = params.filter(|(var, _)| !accesses.program.vars[var.0].minor.is_empty());
    let extents = |(var, len): (&VarId, &i128)| {
        let shape = program::shape(usize::try_from(*len).expect("a length"), accesses.program.vars[var.0].minor);
        let strides = (1..shape.len()).map(|dim| shape[dim..].iter().product::<usize>());
        shape.iter().copied().chain(strides).map(|number| (var.0, number as i128)).collect::<Vec<_>>()
    };
    grids.flat_map(extents).collect()
}

/// Does what the macro does.
struct Maker {
    /// By atoms.
    variables: Vec<VarId>,
    /// The atoms of extents and strides, by buffers.
    extents: Vec<(usize, usize)>,
    /// The atoms of host values.
    host: std::ops::Range<usize>,
    atoms: usize,
    steps: Vec<Step>,
    accesses: Vec<Access>,
    sometimes: bool,
}

impl Maker {
    fn atom(&self, var: VarId) -> usize {
        self.variables.iter().position(|other| *other == var).expect("it is a variable")
    }

    fn form(&mut self, expr: &Expr) -> Form {
        let form = match &expr.kind {
            Kind::Int { value, .. } => Some(Form::constant(i64::try_from(*value).expect("a literal of 64 bits"))),
            Kind::Var(var) => Some(Form::atom(self.atom(*var))),
            Kind::Len(view) => Some(Form::atom(self.atom(view.root().expect("a view")))),
            Kind::Cast(value) => Some(self.form(value).cast(slot(value.scalar()), slot(expr.scalar()))),
            Kind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.form(a), self.form(b));
                let varying = |atoms: &[usize]| atoms.iter().filter(|atom| !self.host.contains(atom)).count() > 1;
                let product = a.mul(&b).expect("it is small");
                if product.value.terms.iter().chain(&product.size.terms).any(|term| varying(&term.atoms)) {
                    let (operation, ty, atom) = (Operation::Mul, slot(expr.scalar()), self.fresh());
                    let value = Value { operation, operands: vec![a, b], ty, narrow: false };
                    self.steps.push(Step::Let { atom, value });
                    return Form::atom(atom);
                }
                Some(product)
            }
            Kind::Binary(BinOp::Add, a, b) => self.form(a).add(&self.form(b)),
            Kind::Binary(BinOp::Sub, a, b) => self.form(a).sub(&self.form(b)),
            other => panic!("no form: {other:?}"),
        };
        form.expect("it is small")
    }

    fn fresh(&mut self) -> usize {
        self.atoms += 1;
        self.atoms - 1
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

    fn inside(&mut self, sometimes: bool, body: impl FnOnce(&mut Self)) -> Vec<Step> {
        let (steps, before) = (std::mem::take(&mut self.steps), self.sometimes);
        self.sometimes |= sometimes;
        body(self);
        self.sometimes = before;
        std::mem::replace(&mut self.steps, steps)
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern: Pattern::Bind { var, .. }, init: Some(init), .. } => self.bind(*var, init),
                Stmt::Observe(value) => self.access(value, false),
                Stmt::Expr(Expr { kind: Kind::Assign(place, _), .. }) => self.access(place, true),
                Stmt::Expr(call @ Expr { kind: Kind::Call { .. }, .. }) => self.access(call, true),
                Stmt::Expr(Expr { kind: Kind::If { cond, then, otherwise: None }, .. }) => {
                    let conditions = self.conditions(cond);
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
                    self.steps.push(Step::For {
                        atom,
                        start,
                        end,
                        inclusive,
                        step,
                        ty,
                        narrow: true,
                        wraps: false,
                        body,
                    });
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
                    self.steps.push(Step::When { conditions, body });
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
                    BinOp::Mul => Operation::Mul,
                    BinOp::Div => Operation::Div,
                    BinOp::Rem => Operation::Rem,
                    BinOp::And => Operation::And,
                    BinOp::Or => Operation::Or,
                    BinOp::Xor => Operation::Xor,
                    BinOp::Shr => Operation::Shr,
                    other => panic!("no operation: {other:?}"),
                };
                (operation, vec![&**a, &**b])
            }
            other => panic!("no operation: {other:?}"),
        };
        let ty = slot(operands.first().map_or(init, |operand| operand).scalar());
        let operands = operands.into_iter().map(|operand| self.form(operand)).collect();
        self.steps.push(Step::Let { atom, value: Value { operation, operands, ty, narrow: false } });
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
        let lens: Vec<usize> = self.extents.iter().filter(|(of, _)| *of == view).map(|(_, atom)| *atom).collect();
        let mut strides = Vec::new();
        let mut components: Vec<Component> = match &index.kind {
            Kind::Array(components) => {
                strides.extend(&lens[components.len()..]);
                let component = |(index, len)| Component { len, index: Some(self.form(index)) };
                components.iter().zip(lens).map(component).collect()
            }
            _ => vec![Component { len: self.atom(VarId(view)), index: Some(self.form(index)) }],
        };
        let Component { len, index } = components.remove(0);
        let end = end.map(|end| Some(self.form(end)));
        self.steps.push(Step::Access(self.accesses.len()));
        self.accesses.push(Access {
            view,
            len,
            index,
            more: components,
            strides,
            end,
            write,
            always: !self.sometimes,
            known: true,
            decided: true,
            proved: false,
            text: String::new(),
            line: 1,
            column: 1,
        });
    }
}
