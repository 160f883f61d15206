//! Expressions.

use std::fmt::Write as _;

use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::{Printer, Site};
use crate::kind::Link;
use crate::program::{Around, Callee, Expr, Function, Kind, Part, Style, VarId};
use crate::types::{ENUMS, STRUCTS, Scalar, Ty};

/// How tightly comparisons bind.
pub(super) const COMPARISON: usize = 5;
/// What needs no parentheses anywhere.
const ATOM: usize = 15;

impl Printer<'_> {
    /// In parentheses if it binds less than `least`.
    pub(super) fn expr(&mut self, expr: &Expr, least: usize) {
        if !self.spelled(expr) {
            self.as_it_is(expr, least);
        }
    }

    /// The same in its plain spelling.
    pub(super) fn as_it_is(&mut self, expr: &Expr, least: usize) {
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

    /// Of an index, whose arithmetic the macro must see.
    fn index(&mut self, print: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_index, true);
        print(self);
        self.in_index = before;
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
                self.push(&name);
            }
            _ => self.expr(expr, ATOM),
        }
    }

    /// What is called, with the receiver of a method; the other arguments.
    fn callee<'e>(&mut self, function: &Function, args: &'e [Expr]) -> &'e [Expr] {
        let name = self.function_name(function);
        if let (Some(owner), Some(_)) = (&function.owner, function.of_trait) {
            // What a trait is for may be a literal, of which only a path says the type.
            let method = self.program.is_method(function) && matches!(owner, Ty::Struct(_));
            let number = self.program.number;
            match self.text.len() % 3 {
                0 if method => {}
                1 => {
                    let _ = write!(self.text, "p{number}::via_{name}::<{owner}>");
                    return args;
                }
                _ => {
                    let _ = write!(self.text, "<{owner} as p{number}::Has_{name}>::{name}");
                    return args;
                }
            }
        }
        match (&function.owner, args) {
            (Some(_), [receiver, args @ ..]) if self.program.is_method(function) => {
                match &receiver.kind {
                    // Without an index, rustc borrows it as the method needs.
                    Kind::Borrow { place, parts, .. } if parts.is_empty() && is_fields(place) => self.base(place),
                    Kind::Borrow { .. } => {
                        self.push("(");
                        self.expr(receiver, 0);
                        self.push(")");
                    }
                    _ => self.expr(receiver, ATOM),
                }
                let _ = write!(self.text, ".{name}");
                return args;
            }
            (Some(owner), _) => {
                let _ = write!(self.text, "<{owner}>::{name}");
            }
            (None, _) => {
                let _ = write!(self.text, "p{}::{name}", self.program.number);
            }
        }
        args
    }

    fn references(&self, expr: &Expr) -> usize {
        if let Kind::Var(var) = expr.kind { self.program.vars[var.0].references } else { 0 }
    }

    pub(super) fn is_reference(&self, expr: &Expr) -> bool {
        self.references(expr) > 0
    }

    /// A reference, or a slice that is a function's parameter.
    pub(super) fn is_parameter(&self, expr: &Expr) -> bool {
        let param = |var: VarId| {
            self.program.functions.iter().any(|function| function.params.iter().any(|param| param.var == var))
        };
        let slice = |var: VarId| matches!(expr.ty, Ty::Slice(_) | Ty::Grid(..)) && param(var);
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
            Kind::Int { value, suffix: true } if self.program.style == Style::Kernel => {
                let text = self.dress.literal((*value, expr.scalar()), self.at);
                self.push(&text);
            }
            Kind::Int { value, .. } => self.digits(*value, expr),
            Kind::Float { text, suffix } => {
                let _ = write!(self.text, "{text}{}", if *suffix { expr.scalar().name() } else { "" });
            }
            Kind::Bool(value) => self.push(if *value { "true" } else { "false" }),
            Kind::Seen => self.push("acc"),
            Kind::Var(var) => {
                self.text.extend(std::iter::repeat_n('*', self.references(expr)));
                let name = self.name(*var);
                self.push(&name);
            }
            Kind::Const(path) => self.push(path),
            Kind::Unary(op, operand) => {
                self.push(match op {
                    UnOp::Neg => "-",
                    UnOp::Not => "!",
                });
                self.expr(operand, precedence(expr) + 1);
            }
            Kind::Binary(op, lhs, rhs) => self.operator(expr, lhs, op.symbol(), rhs),
            Kind::Compare(op, lhs, rhs) => self.operator(expr, lhs, op.symbol(), rhs),
            Kind::And(lhs, rhs) => match contained(lhs, rhs) {
                Some((low, dots, high, value)) => {
                    self.push("(");
                    self.expr(low, ATOM);
                    self.push(dots);
                    self.expr(high, ATOM);
                    self.push(").contains(&");
                    self.expr(value, ATOM);
                    self.push(")");
                }
                None => self.operator(expr, lhs, "&&", rhs),
            },
            Kind::Or(lhs, rhs) => self.operator(expr, lhs, "||", rhs),
            Kind::Cast(operand) => {
                self.expr(operand, ATOM);
                let _ = write!(self.text, " as {}", expr.ty);
            }
            Kind::GenericCast(operand) => {
                self.expr(operand, ATOM);
                let _ = write!(self.text, ".cast::<{}>()", expr.ty);
            }
            Kind::Extent(of, dim) => {
                self.base(of);
                let _ = write!(self.text, ".shape()[{dim}]");
            }
            Kind::Len(of) => {
                self.base(of);
                self.push(".len()");
            }
            Kind::Method { method, args, path: false } => {
                self.expr(&args[0], ATOM);
                let _ = write!(self.text, ".{}(", method.name);
                self.list(&args[1..]);
                self.push(")");
            }
            Kind::Method { method, args, path: true } => {
                let _ = write!(self.text, "{}::{}(", args[0].ty, method.name);
                self.list(args);
                self.push(")");
            }
            Kind::Associated(_, arg) | Kind::From(arg) => {
                let name = if let Kind::Associated(method, _) = &expr.kind { method.name } else { "from" };
                let _ = write!(self.text, "{}::{name}(", expr.ty);
                self.expr(arg, 0);
                self.push(")");
            }
            Kind::Call { callee: Callee::Around(around @ (Around::Sum | Around::Put)), args }
                if self.program.style == Style::Kernel && !self.text.len().is_multiple_of(4) =>
            {
                self.inlined(|this| this.elements(*around, args, this.text.len() % 4));
            }
            Kind::Call { callee, args } => {
                let args = match callee {
                    Callee::Own(at) => self.callee(&self.program.functions[*at], args),
                    Callee::Around(around) => {
                        self.push(around.name());
                        args
                    }
                };
                self.push("(");
                self.list(args);
                self.push(match callee {
                    Callee::Around(Around::Exchange) => "Relaxed, Relaxed",
                    Callee::Around(Around::Load) => "Relaxed",
                    _ => "",
                });
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
                for Part { start, end, inclusive } in parts {
                    self.push("[");
                    self.index(|this| start.iter().for_each(|start| this.expr(start, 1)));
                    self.push(if *inclusive && end.is_some() { "..=" } else { ".." });
                    self.index(|this| end.iter().for_each(|end| this.expr(end, 1)));
                    self.push("]");
                }
            }
            Kind::Field(base, field) => {
                self.base(base);
                match &base.ty {
                    Ty::Struct(parts) => {
                        let (_, fields) = STRUCTS[parts.len() - 1];
                        let _ = write!(self.text, ".{}", fields[*field]);
                    }
                    _ => {
                        let _ = write!(self.text, ".{field}");
                    }
                }
            }
            Kind::Index(base, index) => {
                self.sites.push((Site::of(expr), self.text.len()));
                self.base(base);
                self.push("[");
                self.index(|this| this.expr(index, 0));
                self.push("]");
            }
            // In parentheses, since there is no struct in the head of an `if`.
            Kind::Tuple(parts) if matches!(expr.ty, Ty::Struct(_)) => {
                let (name, fields) = STRUCTS[parts.len() - 1];
                let _ = write!(self.text, "({name} {{ ");
                for (field, part) in fields.iter().zip(parts) {
                    let _ = write!(self.text, "{field}: ");
                    self.expr(part, 0);
                    self.push(", ");
                }
                self.push("})");
            }
            Kind::Variant(at, field) => {
                let Ty::Enum(of, parts) = &expr.ty else { unreachable!("a variant is of an enum") };
                let (name, variants) = ENUMS[*of];
                let [variant, before, after] = variants[*at];
                let _ = write!(self.text, "({name}");
                if !parts.is_empty() {
                    self.push("::<");
                    parts.iter().for_each(|part| {
                        let _ = write!(self.text, "{part}, ");
                    });
                    self.push(">");
                }
                let _ = write!(self.text, "::{variant}{before}");
                field.iter().for_each(|field| self.expr(field, 0));
                self.push(after);
                self.push(")");
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
                let operands = match *name {
                    "assert" | "debug_assert" => 1,
                    name if name.contains("assert") => 2,
                    _ => 0,
                };
                let (operands, values) = args.split_at(operands);
                self.list(operands);
                if let Some(message) = message {
                    let _ = write!(self.text, "\"{message}\", ");
                    self.list(values);
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
                    let _ = write!(this.text, " {}= ", op.symbol());
                    this.expr(value, 0);
                });
            }
            Kind::Block { label, block } => self.labelled_block(label.as_ref(), block),
            Kind::Unsafe(block) => {
                self.push("unsafe ");
                self.block(block);
            }
            Kind::If { cond, then, otherwise } => self.branch(cond, then, otherwise.as_ref()),
            Kind::Let(pattern, scrutinee) => {
                self.push("let ");
                self.pattern(pattern, false);
                self.push(" = ");
                self.matched(scrutinee);
            }
            Kind::Chain(over, links) => self.chain(over, links, &expr.ty),
            Kind::Order(by, a, b) => {
                self.compared(by, a);
                self.push(if a.scalar().is_float() { ".total_cmp(&" } else { ".cmp(&" });
                self.compared(by, b);
                self.push(")");
            }
            Kind::Match { scrutinee, arms } => self.arms(scrutinee, arms),
            Kind::Loop { label, body, exhausted } => self.endless(label.as_ref(), body, exhausted.as_deref()),
            Kind::While { label, cond, body } => {
                self.looping(label.as_ref(), |this| this.conditional("while ", cond), body);
            }
            Kind::For { label, var, range, body } => {
                self.counted(label.as_ref(), *var, range, body);
            }
            Kind::Break { label, value } => {
                self.jump("break", label.as_ref());
                self.given(value.as_deref());
            }
            Kind::Continue(label) => self.jump("continue", label.as_ref()),
            Kind::Return(value) => {
                self.push("return");
                self.given(value.as_deref());
            }
            Kind::Shared(value) => self.of_block("shared", value, None),
            Kind::Each(value) => self.of_block("each", value, None),
            Kind::Collective { op, own, thread } => self.collective(*op, own, thread.as_deref()),
            Kind::Phase { label, vars, ranges, body } => self.phase(label, vars, ranges.as_deref(), body),
        }
    }
}

impl Printer<'_> {
    /// What `sum(&x[a..b])` and `put(&mut x[a..b], acc)` do, in other words: with a variable for
    /// the part, or without a call.
    fn elements(&mut self, around: Around, args: &[Expr], way: usize) {
        let name = around.name();
        let value = |this: &mut Self| args[1..].iter().for_each(|value| this.expr(value, ATOM));
        match (around, way) {
            (_, 1) => {
                self.push("{ let part_ = ");
                self.expr(&args[0], 0);
                let _ = write!(self.text, "; {name}(part_");
                if args.len() > 1 {
                    self.push(", ");
                }
                value(self);
                self.push(") }");
            }
            (Around::Put, _) => {
                self.push("for (at_, item_) in ");
                self.visited(&args[0], "iter_mut");
                self.push(".enumerate() { *item_ = ");
                value(self);
                self.push(".wrapping_add(at_ as u32); }");
            }
            (_, 2) => {
                self.visited(&args[0], "iter");
                self.push(".fold(0u32, |sum_, item_| sum_.wrapping_mul(31).wrapping_add(*item_))");
            }
            _ => {
                self.push("{ let mut sum_ = 0u32; for &item_ in ");
                self.expr(&args[0], 0);
                self.push(" { sum_ = sum_.wrapping_mul(31).wrapping_add(item_); } sum_ }");
            }
        }
    }

    /// `x[a..b].iter()`
    fn visited(&mut self, borrow: &Expr, method: &str) {
        let from = self.text.len();
        self.expr(borrow, 0);
        let text = self.text.split_off(from);
        let place = text.strip_prefix("&mut ").or(text.strip_prefix('&')).unwrap_or(&text);
        let _ = write!(self.text, "{place}.{method}()");
    }

    /// An operand of an order. A NaN that was computed has other bits on a GPU.
    fn compared(&mut self, by: &str, expr: &Expr) {
        let ty = expr.scalar();
        let close = match (ty.is_float(), ty.name() == by) {
            (false, _) => return self.expr(expr, ATOM),
            (true, true) => ")",
            (true, false) => "))",
        };
        self.push("known(");
        if ty.name() != by {
            let _ = write!(self.text, "{by}::from_{}(", ty.name());
        }
        self.expr(expr, 0);
        self.push(close);
    }

    /// `x[a..b].iter().filter(|v| **v > 1).count()`
    fn chain(&mut self, over: &[Expr], links: &[Link], ty: &Ty) {
        for (at, borrow) in over.iter().enumerate() {
            self.push(if at == 0 { "" } else { ".zip(" });
            self.visited(borrow, "iter");
            self.push(if at == 0 { "" } else { ")" });
        }
        for Link { name, first, vars, item, taken, value } in links {
            let _ = match *name {
                "sum" | "product" => write!(self.text, ".{name}::<{ty}>("),
                name => write!(self.text, ".{name}("),
            };
            first.iter().for_each(|first| self.expr(first, 0));
            if let Some(value) = value {
                let (before, items) = vars.split_at(vars.len() - item);
                self.push(if first.is_some() { ", |" } else { "|" });
                for var in before {
                    let name = self.name(*var);
                    let _ = write!(self.text, "{name}, ");
                }
                let names: Vec<String> = items.iter().map(|var| self.name(*var)).collect();
                let names = if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) };
                let _ = write!(self.text, "{}{names}| ", "&".repeat(*taken));
                self.expr(value, 0);
            }
            self.push(")");
        }
    }

    fn operator(&mut self, expr: &Expr, lhs: &Expr, symbol: &str, rhs: &Expr) {
        let own = precedence(expr);
        self.expr(lhs, own + usize::from(own == COMPARISON));
        let _ = write!(self.text, " {symbol} ");
        self.expr(rhs, own + 1);
    }

    /// An int as it is.
    pub(super) fn digits(&mut self, value: i128, expr: &Expr) {
        let _ = match expr.scalar() {
            Scalar::U128 => write!(self.text, "{}", value as u128),
            _ => write!(self.text, "{value}"),
        };
        if matches!(expr.kind, Kind::Int { suffix: true, .. }) {
            self.push(expr.scalar().name());
        }
    }
}

impl Around {
    fn name(self) -> &'static str {
        match self {
            Around::Get => "get",
            Around::Set => "set",
            Around::Sum => "sum",
            Around::Put => "put",
            Around::Any => "any",
            Around::Turn => "turn",
            Around::Exchange => "cells[i].compare_exchange",
            Around::Load => "cells[i].load",
        }
    }
}

/// What asks whether a range contains a variable: `low <= v && v < high`.
fn contained<'e>(lhs: &'e Expr, rhs: &'e Expr) -> Option<(&'e Expr, &'static str, &'e Expr, &'e Expr)> {
    let (Kind::Compare(CompareOp::Le, low, v), Kind::Compare(op, again, high)) = (&lhs.kind, &rhs.kind) else {
        return None;
    };
    let dots = match op {
        CompareOp::Lt => "..",
        CompareOp::Le => "..=",
        _ => return None,
    };
    let is_leaf =
        |end: &Expr| matches!(end.kind, Kind::Int { .. } | Kind::Float { .. } | Kind::Var(_) | Kind::Const(_));
    match (&v.kind, &again.kind) {
        (Kind::Var(one), Kind::Var(other)) if one == other && is_leaf(low) && is_leaf(high) => {
            Some((low, dots, high, v))
        }
        _ => None,
    }
}

/// How tightly an expression binds. Casts, whose `<` is not a comparison, and whatever ends in a
/// brace are 0.
fn precedence(expr: &Expr) -> usize {
    match &expr.kind {
        Kind::Int { value, .. } if *value < 0 && expr.scalar() != Scalar::U128 => 13,
        Kind::Float { text, .. } if text.starts_with('-') => 13,
        Kind::Unary(..) => 13,
        Kind::Binary(op, ..) => match op {
            BinOp::Mul | BinOp::Div | BinOp::Rem => 11,
            BinOp::Add | BinOp::Sub => 10,
            BinOp::Shl | BinOp::Shr => 9,
            BinOp::And => 8,
            BinOp::Xor => 7,
            BinOp::Or => 6,
        },
        Kind::Compare(..) => COMPARISON,
        Kind::And(..) => 4,
        Kind::Or(..) => 3,
        Kind::Int { .. }
        | Kind::Float { .. }
        | Kind::Bool(_)
        | Kind::Var(_)
        | Kind::Const(_)
        | Kind::Seen
        | Kind::GenericCast(_)
        | Kind::Method { .. }
        | Kind::Associated(..)
        | Kind::From(_)
        | Kind::Len(_)
        | Kind::Extent(..)
        | Kind::Call { .. }
        | Kind::Borrow { .. }
        | Kind::Field(..)
        | Kind::Index(..)
        | Kind::Tuple(_)
        | Kind::Variant(..)
        | Kind::Array(_)
        | Kind::Repeat(_)
        | Kind::Shared(_)
        | Kind::Each(_)
        | Kind::Collective { .. }
        | Kind::Let(..)
        | Kind::Order(..)
        | Kind::Chain(..)
        | Kind::Macro { .. } => ATOM,
        _ => 0,
    }
}

/// A variable, or fields of one.
fn is_fields(place: &Expr) -> bool {
    match &place.kind {
        Kind::Var(_) => true,
        Kind::Field(base, _) => is_fields(base),
        _ => false,
    }
}
