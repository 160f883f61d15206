//! Loops that do nothing but access elements, with the numbers of a launch: what the launch decides
//! on.

use anabranch_core::methods::{METHODS, Meaning};
use anabranch_core::ops::{BinOp, CompareOp, Operation};

pub use super::strides::random;

use crate::machine::{self, Axis, End, Numbers, Outcome};
use crate::program::{Adaptor, Around, Callee, Dim, Expr, Host, Kind, Loop, Part, Program, Range, Stmt, VarId};
use crate::types::{Scalar, Ty};

/// The most buffers. They are the first variables, so that each is known by its number.
const BUFFERS: usize = 2;

/// A loop with its numbers.
#[derive(Debug, Clone)]
pub struct Accesses {
    /// Of one loop, whose parameters are the host values.
    pub program: Program,
    pub axes: Vec<Axis>,
    /// By parameters: numbers, and the lengths of buffers.
    pub symbols: Vec<i128>,
}

/// What came of running it.
#[derive(Debug)]
pub struct Ran {
    pub outcome: Outcome,
    /// There was an access in bounds.
    pub touched: bool,
    /// It went on for too long, and was stopped.
    pub endless: bool,
}

impl Accesses {
    /// A loop over ranges: first value, step, trips.
    pub fn over(ranges: &[(i128, i128, u64)]) -> Self {
        let mut program = Program::default();
        for name in ["x", "y"] {
            program.declare(name, buffer_ty(), true);
        }
        let par_loop = Loop { number: 0, dims: Vec::new(), block: None, threads: None, body: Vec::new().into() };
        program.host = vec![Host::Loop(par_loop)];
        let mut accesses = Self { program, axes: Vec::new(), symbols: Vec::new() };
        ranges.iter().for_each(|&(lo, step, trips)| drop(accesses.axis(lo, step, trips, Scalar::Usize)));
        accesses
    }

    fn the_loop(&mut self) -> &mut Loop {
        match self.program.host.as_mut_slice() {
            [Host::Loop(par_loop)] => par_loop,
            _ => unreachable!("it is one loop"),
        }
    }

    pub fn body(&mut self) -> &mut Vec<Stmt> {
        &mut self.the_loop().body.stmts
    }

    /// Another variable of the loop.
    pub fn axis(&mut self, lo: i128, step: i128, trips: u64, ty: Scalar) -> Expr {
        let var = self.variable(ty);
        let end = Box::new(Expr::int(lo + step * i128::from(trips), ty));
        let adaptors = vec![Adaptor::StepBy(Expr::int(step, Scalar::Usize))];
        let range = Range { start: Box::new(Expr::int(lo, ty)), end, inclusive: false, adaptors };
        self.the_loop().dims.push(Dim { var, range });
        self.axes.push(Axis { lo, step, trips });
        self.program.var(var)
    }

    /// The same loop over these values of its variables.
    pub fn over_values(&self, axes: &[Axis]) -> Self {
        let mut accesses = self.clone();
        for (dim, Axis { lo, step, trips }) in accesses.the_loop().dims.iter_mut().zip(axes) {
            let ty = dim.range.start.scalar();
            let (start, end) = (Expr::int(*lo, ty), Expr::int(lo + step * i128::from(*trips), ty));
            let adaptors = vec![Adaptor::StepBy(Expr::int(*step, Scalar::Usize))];
            dim.range = Range { start: Box::new(start), end: Box::new(end), inclusive: false, adaptors };
        }
        accesses.axes = axes.to_vec();
        accesses
    }

    /// A variable of the loop.
    pub fn var(&self, at: usize) -> Expr {
        self.program.var(self.program.loops()[0].dims[at].var)
    }

    /// A host value.
    pub fn host(&mut self, value: i128, ty: Scalar) -> Expr {
        let var = self.variable(ty);
        self.program.params.push(var);
        self.symbols.push(value);
        self.program.var(var)
    }

    pub fn buffer(&mut self, len: i128) -> usize {
        let buffer = self.program.buffers().count();
        assert!(buffer < BUFFERS, "there are no more buffers");
        self.program.params.push(VarId(buffer));
        self.symbols.push(len);
        buffer
    }

    /// A grid, which has these extents after the first one, and as many elements as fit.
    pub fn grid(&mut self, len: i128, minor: &'static [usize]) -> usize {
        let row = minor.iter().product::<usize>() as i128;
        let buffer = self.buffer(len / row * row);
        self.program.vars[buffer].minor = minor;
        buffer
    }

    pub fn len(&self, buffer: usize) -> Expr {
        Expr::length(view(buffer))
    }

    /// A variable of the body.
    pub fn variable(&mut self, ty: Scalar) -> VarId {
        self.program.declare(format!("v{}", self.program.vars.len()), ty, false)
    }

    /// `let v = operation;`, and `v`.
    pub fn bind(&mut self, operation: Operation, operands: Vec<Expr>) -> (Stmt, Expr) {
        let ty = operands[0].scalar();
        self.value(result(operation, operands, ty))
    }

    /// `let v = value;`, and `v`.
    pub fn value(&mut self, value: Expr) -> (Stmt, Expr) {
        let var = self.variable(value.scalar());
        (Stmt::bind(var, value), self.program.var(var))
    }

    /// `for v in (start..end).step_by(step) { body }`
    pub fn inner(&mut self, start: Expr, end: Expr, step: Option<Expr>, body: impl FnOnce(Expr) -> Vec<Stmt>) -> Stmt {
        let var = self.variable(end.scalar());
        let body = body(self.program.var(var)).into();
        let adaptors = step.map(Adaptor::StepBy).into_iter().collect();
        let range = Range { start: Box::new(start), end: Box::new(end), inclusive: false, adaptors };
        Stmt::unit(Kind::For { label: None, var, range, body })
    }

    pub fn run(&self) -> Ran {
        self.watched(None)
    }

    /// The same, with what two iterations touch.
    pub fn watched(&self, iterations: Option<[usize; 2]>) -> Ran {
        let of = |slice: bool| {
            let params = self.program.params.iter().zip(&self.symbols);
            params.filter(move |(var, _)| matches!(self.program.ty(**var), Ty::Slice(_)) == slice).map(|(_, n)| *n)
        };
        let lens = of(true).map(|len| usize::try_from(len).expect("a length")).collect();
        let mut run = machine::run(&self.program, &Numbers { values: of(false).collect(), lens }, &mut |launch| {
            iterations.into_iter().for_each(|iterations| launch.watch(iterations));
            true
        });
        let (_, outcome) = run.loops.pop().unwrap_or_default();
        Ran { outcome, touched: run.most.iter().any(|most| *most > 0), endless: run.end == End::Endless }
    }
}

/// The result of an operation that the launch knows an interval of; for [`Operation::Any`], of a
/// type.
pub fn result(operation: Operation, operands: Vec<Expr>, ty: Scalar) -> Expr {
    let op = match operation {
        Operation::Any => return Expr::call(Callee::Around(Around::Any), Vec::new(), ty),
        // Of two forms the operator would be a form.
        Operation::Mul => return Expr::method("wrapping_mul", operands),
        Operation::Div => BinOp::Div,
        Operation::Rem => BinOp::Rem,
        Operation::And => BinOp::And,
        Operation::Or => BinOp::Or,
        Operation::Xor => BinOp::Xor,
        Operation::Shr => BinOp::Shr,
        _ => {
            let method = METHODS.iter().find(|method| method.meaning == Meaning::Operation(operation));
            return Expr::method(method.expect("the others are methods").name, operands);
        }
    };
    let mut operands = operands.into_iter();
    let mut next = || operands.next().expect("an operator has two operands");
    Expr::bin(op, next(), next())
}

fn buffer_ty() -> Ty {
    Ty::Slice(Box::new(Scalar::U32.into()))
}

fn view(buffer: usize) -> Expr {
    Expr::new(buffer_ty(), Kind::Var(VarId(buffer)))
}

/// A literal of type `usize`.
pub fn lit(value: i64) -> Expr {
    value.into()
}

/// A comparison by its symbol. A literal gets the type of the other side.
pub fn cond(lhs: Expr, symbol: &str, rhs: impl Into<Expr>) -> Expr {
    let op = CompareOp::ALL.iter().find(|op| op.symbol() == symbol);
    let rhs = rhs.into().as_type_of(&lhs);
    Expr::compare(*op.expect("a comparison"), lhs, rhs)
}

pub fn read(buffer: usize, index: Expr) -> Stmt {
    Stmt::Observe(Expr::element(view(buffer), index))
}

pub fn write(buffer: usize, index: Expr) -> Stmt {
    Stmt::assign(Expr::element(view(buffer), index), Expr::seen())
}

/// An index of a grid.
pub fn at(components: Vec<Expr>) -> Expr {
    Expr::new(Ty::Array(Box::new(Scalar::Usize.into()), components.len()), Kind::Array(components))
}

pub fn read_range(buffer: usize, start: Expr, end: Expr) -> Stmt {
    Stmt::sum(view(buffer), vec![Part { start: Some(start), end: Some(end), inclusive: false }])
}

pub fn write_range(buffer: usize, start: Expr, end: Expr) -> Stmt {
    Stmt::put(view(buffer), vec![Part { start: Some(start), end: Some(end), inclusive: false }])
}

pub fn when(conditions: Vec<Expr>, body: Vec<Stmt>) -> Stmt {
    let all = conditions.into_iter().reduce(Expr::and).expect("there is a condition");
    Stmt::when(all, body, Vec::new())
}
