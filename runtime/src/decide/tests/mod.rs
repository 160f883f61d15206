//! The launch's decisions: cases with names ([`bounds`], [`sharing`]), and random programs that are run on a machine
//! ([`random`]).

mod bounds;
mod machine;
mod program;
mod random;
mod sharing;
mod speed;

use super::{Operation, Refusal, Verdict};
use program::{Expr, Program, Stmt};

const PROVED: Result<Verdict, Refusal> = Ok(Verdict::Proved { narrow: true });
const WIDE: Result<Verdict, Refusal> = Ok(Verdict::Proved { narrow: false });
const CHECKED: Result<Verdict, Refusal> = Ok(Verdict::Checked);

/// An access that is refused, with its index.
fn outside(access: usize, index: i128, len: i128) -> Result<Verdict, Refusal> {
    Err(Refusal::OutOfBounds { access, index, len })
}

/// Two accesses that are refused.
fn overlap(first: usize, second: usize) -> Result<Verdict, Refusal> {
    Err(Refusal::Overlap { first, second })
}

/// The decision on a program must be this one. Small ones are run, too.
#[track_caller]
fn check(program: &Program, expected: Result<Verdict, Refusal>) {
    let facts = program.facts();
    let decision = program.decide(&facts);
    assert_eq!(decision, expected, "{facts:#?}");
    if program.axes.iter().all(|axis| axis.trips < 100) {
        let outcome = machine::run(program);
        assert!(decision.is_err() || !outcome.conflict, "two iterations meet");
        assert!(!matches!(decision, Ok(Verdict::Proved { .. })) || !outcome.outside, "something is out of bounds");
    }
}

/// `let atom = operation;`
fn bind(program: &mut Program, operation: Operation, operands: Vec<Expr>) -> (Stmt, Expr) {
    let ty = operands[0].ty();
    let (var, atom) = program.variable(ty);
    (Stmt::Let { var, operation, operands, ty }, atom)
}

/// `for atom in (start..end).step_by(step) { body }`
fn inner(
    program: &mut Program,
    start: Expr,
    end: Expr,
    step: Option<Expr>,
    body: impl FnOnce(Expr) -> Vec<Stmt>,
) -> Stmt {
    let ty = end.ty();
    let (var, atom) = program.variable(ty);
    Stmt::For { var, start, end, inclusive: false, step, ty, body: body(atom) }
}
