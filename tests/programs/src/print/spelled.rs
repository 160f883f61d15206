//! Other spellings of what a program does: closures, methods of `Option`, `?`, operators of
//! structs, and traits.
//!
//! They mean what the plain ones mean, so the tree knows nothing of them, and everybody who judges
//! a program judges them, too. The functions that they call are among the helpers of the fuzzer.
//! Which spelling an expression has follows from its place in the text.

use std::fmt::Write as _;

use anabranch_core::ops::{BinOp, CompareOp};

use super::{Printer, is_closure, is_passed};
use crate::program::{Block, Callee, Expr, Kind, Pattern, Program, Stmt, VarId};
use crate::types::{ORDERING, Scalar, Ty};
use crate::visit::{self, Node};

impl Printer<'_> {
    /// Prints an expression in another way, if there is one here.
    pub(super) fn spelled(&mut self, expr: &Expr) -> bool {
        if !self.program.spelled || self.constant || expr.ty == Ty::Never || expr.ty == Ty::unit() {
            return false;
        }
        let way = self.text.len();
        match &expr.kind {
            Kind::Binary(op, lhs, rhs) if way.is_multiple_of(7) && !self.in_index => {
                self.operation(*op, lhs, rhs, &expr.ty, way / 7 % 4)
            }
            Kind::If { cond, then, otherwise: Some(otherwise) }
                if !cond.has_let() && self.is_closed(&[then, otherwise]) =>
            {
                self.chosen(cond, then, otherwise, &expr.ty, way % 4);
                way % 4 < 3
            }
            Kind::If { cond, then, otherwise: Some(otherwise) }
                if let Kind::Let(Pattern::Variant(of @ 0..=1, 0, Some(field)), scrutinee) = &cond.kind
                    && is_irrefutable(field)
                    && self.is_closed(&[then, otherwise]) =>
            {
                self.found((*of, field), scrutinee, [then, otherwise], &expr.ty, way % 5);
                way % 5 < 4
            }
            Kind::Compare(op, order, other)
                if let Kind::Variant(at, _) = other.kind
                    && other.ty == ORDERING =>
            {
                let name = match (op, at) {
                    (CompareOp::Eq, _) => ["is_lt", "is_eq", "is_gt"][at],
                    (CompareOp::Ne, _) => ["is_ge", "is_ne", "is_le"][at],
                    _ => return false,
                };
                self.inlined(|this| {
                    this.push("(");
                    this.expr(order, 0);
                    let _ = write!(this.text, ").{name}()");
                });
                true
            }
            Kind::Block { label: None, block } if way.is_multiple_of(2) && self.is_closed(&[block]) => {
                let _ = write!(self.text, "({{ let mut run_ = || -> {} ", expr.ty);
                self.inlined(|this| this.block(block));
                self.push("; run_() })");
                true
            }
            Kind::Call { callee: Callee::Own(at), args } if way.is_multiple_of(3) => {
                self.through_a_closure(*at, args, &expr.ty)
            }
            _ => false,
        }
    }

    /// `lhs + rhs` of numbers.
    fn operation(&mut self, op: BinOp, lhs: &Expr, rhs: &Expr, ty: &Ty, way: usize) -> bool {
        let (name, symbol) = match op {
            BinOp::Add => ("Plus", "+"),
            BinOp::Sub => ("Minus", "-"),
            BinOp::Mul => ("Times", "*"),
            _ => return false,
        };
        if !matches!(ty, Ty::Param(_) | Ty::Scalar(_)) || *ty == Scalar::Bool.into() {
            return false;
        }
        self.inlined(|this| {
            let close = match way {
                // An operator of a struct.
                0 => {
                    this.push("(One::<");
                    let _ = write!(this.text, "{ty}>(");
                    this.expr(lhs, 0);
                    let _ = write!(this.text, ") {symbol} One(");
                    this.expr(rhs, 0);
                    return this.push(")).0");
                }
                // A trait with several impls.
                1 => {
                    let _ = write!(this.text, "applied({name}, ");
                    ")"
                }
                2 => {
                    let _ = write!(this.text, "with(|a_: {ty}, b_: {ty}| a_ {symbol} b_, ");
                    ")"
                }
                _ => {
                    let _ = write!(this.text, "({{ let of_ = |a_: {ty}, b_| -> {ty} {{ a_ {symbol} b_ }}; of_(");
                    ") })"
                }
            };
            this.expr(lhs, 0);
            this.push(", ");
            this.expr(rhs, 0);
            this.push(close);
        });
        true
    }

    /// `if cond { then } else { otherwise }`
    fn chosen(&mut self, cond: &Expr, then: &Block, otherwise: &Block, ty: &Ty, way: usize) {
        self.inlined(|this| match way {
            0 => {
                this.push("(");
                this.expr(cond, 0);
                this.push(").then(|| ");
                this.block(then);
                this.push(").unwrap_or_else(|| ");
                this.block(otherwise);
                this.push(")");
            }
            1 | 2 => {
                this.push("({ let cond_ = ");
                this.expr(cond, 0);
                let _ = write!(this.text, "; let mut pick_ = |yes_: bool| -> {ty} {{ if yes_ ");
                if way == 1 {
                    this.push("{ return ");
                    this.block(then);
                    this.push("; } ");
                    this.block(otherwise);
                } else {
                    this.block(then);
                    this.push(" else ");
                    this.block(otherwise);
                }
                this.push(" }; pick_(cond_) })");
            }
            _ => {}
        });
    }

    /// `if let Some(field) = scrutinee { then } else { otherwise }`, and the same of a `Result`.
    fn found(
        &mut self,
        (result, field): (usize, &Pattern),
        of: &Expr,
        [then, otherwise]: [&Block; 2],
        ty: &Ty,
        way: usize,
    ) {
        let error = if result == 0 { "" } else { "_" };
        // A jump in there leads out of the closure.
        let asked = Block { stmts: Vec::new(), value: Some(of.clone().into()) };
        let way = if matches!(way, 2 | 3) && !self.is_closed(&[&asked]) { 0 } else { way };
        self.inlined(|this| {
            match way {
                0 => {
                    this.push("(");
                    this.expr(of, 0);
                    this.push(").map(|");
                    this.pattern(field, false);
                    this.push("| ");
                    this.block(then);
                    this.push(")");
                }
                1 => {
                    this.push("(");
                    this.expr(of, 0);
                    let (some, result) = if result == 0 { ("Some", "Option") } else { ("Ok", "Result") };
                    this.push(").and_then(|");
                    this.pattern(field, false);
                    let _ = write!(this.text, "| {result}::{some}(");
                    this.block(then);
                    this.push("))");
                }
                2 | 3 => {
                    let Ty::Enum(_, parts) = &of.ty else { return };
                    let (some, result) = match (parts.get(1), way) {
                        (None, _) => ("Some", format!("Option<{ty}>")),
                        (Some(error), 2) => ("Ok", format!("Result<{ty}, {error}>")),
                        // The error is converted.
                        (Some(error), _) => ("Ok", format!("Result<{ty}, One<{error}>>")),
                    };
                    let _ = write!(this.text, "({{ let mut ask_ = || -> {result} {{ let ");
                    this.pattern(field, false);
                    this.push(" = (");
                    this.expr(of, 0);
                    let _ = write!(this.text, ")?; {some}(");
                    this.block(then);
                    this.push(") }; ask_() })");
                }
                _ => return,
            }
            let _ = write!(this.text, ".unwrap_or_else(|{error}| ");
            this.block(otherwise);
            this.push(")");
        });
    }

    /// A call of a function without references.
    fn through_a_closure(&mut self, function: usize, args: &[Expr], ty: &Ty) -> bool {
        let passed = !self.in_items && is_passed(self.program, function);
        let function = &self.program.functions[function];
        if !is_closure(function) {
            return false;
        }
        if passed {
            let _ = write!(self.text, "p{}_{}_passed(", self.program.number, function.name);
            self.list(args);
            self.push(")");
            return true;
        }
        let params = function.params.iter().enumerate();
        let params: Vec<String> = params.map(|(at, param)| format!("p{at}_: {}", self.program.ty(param.var))).collect();
        let names: Vec<String> = (0..args.len()).map(|at| format!("p{at}_")).collect();
        let (number, name) = (self.program.number, &function.name);
        let (params, names) = (params.join(", "), names.join(", "));
        let _ = write!(self.text, "({{ let call_ = |{params}| -> {ty} {{ p{number}::{name}({names}) }}; call_(");
        self.list(args);
        self.push(") })");
        true
    }

    /// Whether blocks have values, and nothing in them jumps or is the first assignment of a
    /// variable around.
    fn is_closed(&self, blocks: &[&Block]) -> bool {
        blocks.iter().all(|block| {
            let mut closed = block.value.as_ref().is_some_and(|value| value.ty != Ty::Never);
            visit::deep(Node::Block(&mut (*block).clone()), &mut |node| {
                if let Node::Expr(expr) = node {
                    closed &= match &expr.kind {
                        Kind::Break { .. } | Kind::Continue(_) | Kind::Return(_) => false,
                        Kind::Assign(place, _) => place.root().is_none_or(|root| !self.late.contains(&root)),
                        _ => true,
                    };
                }
            });
            closed
        })
    }
}

/// The variables that are declared without a value.
pub(super) fn late(program: &Program) -> Vec<VarId> {
    let mut late = Vec::new();
    visit::look(program, &mut |node| {
        if let Node::Block(block) = node {
            for stmt in &block.stmts {
                if let Stmt::Let { pattern, init: None, .. } = stmt {
                    late.extend(pattern.vars());
                }
            }
        }
    });
    late
}

fn is_irrefutable(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Wild | Pattern::Bind { inner: None, .. } => true,
        Pattern::Tuple(parts) | Pattern::Struct(parts) | Pattern::Array(parts) => parts.iter().all(is_irrefutable),
        _ => false,
    }
}
