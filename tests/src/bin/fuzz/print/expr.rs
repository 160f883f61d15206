//! Expressions.

use std::fmt::Write as _;

use super::Printer;
use crate::program::{ENVIRONMENT, Expr, Kind, VarId};
use crate::types::Ty;

/// How tightly comparisons bind.
pub(super) const COMPARISON: usize = 5;
/// What needs no parentheses anywhere.
const ATOM: usize = 15;

impl Printer<'_> {
    /// In parentheses if it binds less than `least`.
    pub(super) fn expr(&mut self, expr: &Expr, least: usize) {
        let binds = if self.is_reference(expr) { 13 } else { precedence(expr) };
        if binds < least {
            self.push("(");
            self.inlined(|this| this.bare(expr));
            self.push(")");
        } else if precedence(expr) == 0 {
            self.bare(expr);
        } else {
            self.inlined(|this| this.bare(expr));
        }
    }

    pub(super) fn inlined(&mut self, print: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.inline, true);
        print(self);
        self.inline = before;
    }

    pub(super) fn list(&mut self, exprs: &[Expr]) {
        self.inlined(|this| {
            for expr in exprs {
                this.expr(expr, 0);
                this.push(", ");
            }
        });
    }

    /// What a part is taken of: there a reference stands for what it refers to.
    pub(super) fn base(&mut self, expr: &Expr) {
        match expr.kind {
            Kind::Var(var) => {
                let name = self.name(var);
                self.push(name);
            }
            _ => self.expr(expr, ATOM),
        }
    }

    pub(super) fn is_reference(&self, expr: &Expr) -> bool {
        matches!(expr.kind, Kind::Var(var) if self.program.vars[var.0].reference)
    }

    /// A reference, or a slice that is a function's parameter.
    pub(super) fn is_parameter(&self, expr: &Expr) -> bool {
        let slice = |var: VarId| var.0 >= ENVIRONMENT.len() && matches!(expr.ty, Ty::Slice(_));
        self.is_reference(expr) || matches!(expr.kind, Kind::Var(var) if slice(var))
    }

    /// What stands in a head: the condition of an `if`, what is matched.
    pub(super) fn head(&mut self, expr: &Expr) {
        self.inlined(|this| this.expr(expr, 1));
    }

    /// What `if let` and `while let` look at: `&&` would be the next condition.
    pub(super) fn matched(&mut self, expr: &Expr) {
        self.inlined(|this| this.expr(expr, COMPARISON));
    }

    pub(super) fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Literal { text, suffix } => {
                self.push(text);
                if *suffix {
                    let _ = write!(self.text, "{}", expr.ty);
                }
            }
            Kind::Var(var) => {
                self.push(if self.is_reference(expr) { "*" } else { "" });
                let name = self.name(*var);
                self.push(name);
            }
            Kind::Const(path) => self.push(path),
            Kind::Unary(op, operand) => {
                self.push(op);
                self.expr(operand, precedence(expr) + 1);
            }
            Kind::Binary(op, lhs, rhs) => {
                let own = precedence(expr);
                self.expr(lhs, own + usize::from(own == COMPARISON));
                let _ = write!(self.text, " {op} ");
                self.expr(rhs, own + 1);
            }
            Kind::Cast(operand) => {
                self.expr(operand, ATOM);
                let _ = write!(self.text, " as {}", expr.ty);
            }
            Kind::GenericCast(operand) => {
                self.expr(operand, ATOM);
                let _ = write!(self.text, ".cast::<{}>()", expr.ty);
            }
            Kind::Method { name: "len", args, path: false } => {
                self.base(&args[0]);
                self.push(".len()");
            }
            Kind::Method { name, args, path: false } => {
                self.expr(&args[0], ATOM);
                let _ = write!(self.text, ".{name}(");
                self.list(&args[1..]);
                self.push(")");
            }
            Kind::Method { name, args, path: true } => {
                let _ = write!(self.text, "{}::{name}(", args[0].ty);
                self.list(args);
                self.push(")");
            }
            Kind::Associated(name, arg) => {
                let _ = write!(self.text, "{}::{name}(", expr.ty);
                self.expr(arg, 0);
                self.push(")");
            }
            Kind::Call { function, args } => {
                let _ = write!(self.text, "p{}::{}(", self.program.number, self.program.functions[*function].name);
                self.list(args);
                self.push(")");
            }
            Kind::Borrow { mutable, place, parts } => {
                let passed_on = parts.is_empty() && self.is_parameter(place);
                self.push(if passed_on {
                    ""
                } else if *mutable {
                    "&mut "
                } else {
                    "&"
                });
                self.base(place);
                for (start, end) in parts {
                    self.push("[");
                    self.expr(start, 1);
                    self.push("..");
                    self.expr(end, 1);
                    self.push("]");
                }
            }
            Kind::Field(base, field) => {
                self.base(base);
                let _ = write!(self.text, ".{field}");
            }
            Kind::Index(base, index) => {
                self.base(base);
                self.push("[");
                self.expr(index, 0);
                self.push("]");
            }
            Kind::Tuple(parts) => {
                self.push("(");
                self.list(parts);
                self.push(")");
            }
            Kind::Array(elements) => {
                self.push("[");
                self.list(elements);
                self.push("]");
            }
            Kind::Repeat(element) => {
                let Ty::Array(_, len) = &expr.ty else { unreachable!("an array's literal is an array") };
                self.push("[");
                self.expr(element, 0);
                let _ = write!(self.text, "; {len}]");
            }
            Kind::Macro { name, args, message } => {
                let _ = write!(self.text, "{name}!(");
                self.list(args);
                if let Some(message) = message {
                    let _ = write!(self.text, "\"{message}\"");
                }
                self.push(")");
            }
            Kind::Assign(place, value) => {
                self.inlined(|this| this.expr(place, ATOM));
                self.push(" = ");
                self.expr(value, 0);
            }
            Kind::AssignOp(op, place, value) => {
                self.inlined(|this| {
                    this.expr(place, ATOM);
                    let _ = write!(this.text, " {op}= ");
                    this.expr(value, 0);
                });
            }
            _ => self.control(expr),
        }
    }
}

/// How tightly an expression binds. Casts, whose `<` is not a comparison, and whatever ends in a brace are 0.
fn precedence(expr: &Expr) -> usize {
    match &expr.kind {
        Kind::Literal { text, .. } if text.starts_with('-') => 13,
        Kind::Unary(..) => 13,
        Kind::Binary(op, ..) => match *op {
            "*" | "/" | "%" => 11,
            "+" | "-" => 10,
            "<<" | ">>" => 9,
            "&" => 8,
            "^" => 7,
            "|" => 6,
            "&&" => 4,
            "||" => 3,
            _ => COMPARISON,
        },
        Kind::Literal { .. }
        | Kind::Var(_)
        | Kind::Const(_)
        | Kind::GenericCast(_)
        | Kind::Method { .. }
        | Kind::Associated(..)
        | Kind::Call { .. }
        | Kind::Borrow { .. }
        | Kind::Field(..)
        | Kind::Index(..)
        | Kind::Tuple(_)
        | Kind::Array(_)
        | Kind::Repeat(_)
        | Kind::Macro { .. } => ATOM,
        _ => 0,
    }
}
