//! Programs as Rust.
//!
//! An expression is printed on one line, whatever it holds, because a panic is compared by its line, and Rust's line is
//! that of the expression's begin. Only control flow that is a statement, or the whole value of one, has lines of its own.

use std::fmt::Write as _;

use crate::program::{Arm, Block, ENVIRONMENT, Expr, Function, Kind, Mode, Pattern, Program, Range, Stmt, VarId};
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

/// Rounds that all loops of the body together may make, and all those of one call of a function.
const FUEL: [u32; 2] = [60, 12];

/// The constants and functions of a program, in a module `pN`.
pub(crate) fn items(program: &Program) -> String {
    let mut printer = Printer::new(program, 1);
    let _ = writeln!(printer.text, "pub mod p{} {{\n    #[allow(unused_imports)]\n    use super::*;", program.number);
    for constant in &program.consts {
        let _ = write!(printer.text, "    pub const {}: {} = ", constant.name, constant.value.ty);
        printer.expr(&constant.value, 0);
        printer.text.push_str(";\n");
    }
    for function in &program.functions {
        printer.function(function);
    }
    printer.text.push_str("}\n");
    printer.text
}

/// The statements of the loop.
pub(crate) fn body(program: &Program) -> String {
    let mut printer = Printer::new(program, 2);
    printer.fuel(&program.body, FUEL[0]);
    printer.stmts(&program.body);
    printer.text
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
    indent: usize,
    /// Within an expression: everything on one line.
    inline: bool,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, indent: usize) -> Self {
        Self { program, text: String::new(), indent, inline: false }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Between statements.
    fn line(&mut self) {
        if self.inline {
            self.push(" ");
        } else {
            self.text.extend(std::iter::repeat_n("    ", self.indent));
        }
    }

    fn end_line(&mut self) {
        if !self.inline {
            self.push("\n");
        }
    }

    fn function(&mut self, function: &Function) {
        let _ = write!(
            self.text,
            "    #[device]
    pub fn {}",
            function.name
        );
        if let Some(bound) = function.generic {
            let _ = write!(self.text, "<T: {bound:?}>");
        }
        self.push("(");
        for param in &function.params {
            let var = &self.program.vars[param.var.0];
            let (mutable, mode) = match param.mode {
                Mode::Value => (if var.mutable { "mut " } else { "" }, ""),
                Mode::Ref => ("", "&"),
                Mode::RefMut => ("", "&mut "),
            };
            let _ = write!(self.text, "{mutable}{}: {mode}{}, ", var.name, var.ty);
        }
        let _ = writeln!(self.text, ") -> {} {{", function.output);
        self.indent = 2;
        self.fuel(&function.body, FUEL[1]);
        self.stmts(&function.body);
        self.indent = 1;
        self.push("    }\n");
    }

    fn fuel(&mut self, block: &Block, rounds: u32) {
        if has_loops(block) {
            self.line();
            let _ = write!(self.text, "let mut fuel: u32 = {rounds};");
            self.end_line();
        }
    }

    fn name(&self, var: VarId) -> &'a str {
        &self.program.vars[var.0].name
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Stmt::Observe(var) = stmt {
                let name = self.name(*var).to_owned();
                self.observe(&name, &self.program.vars[var.0].ty);
                continue;
            }
            self.line();
            self.stmt(stmt);
            self.end_line();
        }
        if let Some(value) = &block.value {
            self.line();
            self.expr(value, 0);
            self.end_line();
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { pattern, ty, init, otherwise } => {
                self.push("let ");
                self.pattern(pattern, false);
                if let Some(ty) = ty {
                    let _ = write!(self.text, ": {ty}");
                }
                if let Some(init) = init {
                    self.push(" = ");
                    // `let … else` takes neither what ends in a brace nor `||`.
                    self.expr(init, if otherwise.is_some() { COMPARISON } else { 0 });
                }
                if let Some(otherwise) = otherwise {
                    self.push(" else ");
                    self.block(otherwise);
                }
                self.push(";");
            }
            Stmt::Expr(expr) => {
                self.expr(expr, 0);
                self.push(if ends_in_a_brace(expr) { "" } else { ";" });
            }
            Stmt::Observe(_) => unreachable!("printed by its caller"),
        }
    }

    /// Every scalar of a value into the result of the iteration.
    fn observe(&mut self, place: &str, ty: &Ty) {
        match ty {
            Ty::Scalar(scalar) => {
                let bits = match scalar {
                    Scalar::F32 => format!("bits32({place})"),
                    Scalar::F64 => format!("bits64({place})"),
                    Scalar::I128 | Scalar::U128 => format!("({place} >> 64) as u64 ^ {place} as u64"),
                    _ => format!("{place} as u64"),
                };
                self.line();
                let _ = write!(self.text, "out[i] = mix(out[i], {bits});");
                self.end_line();
            }
            Ty::Tuple(parts) => {
                parts.iter().enumerate().for_each(|(at, part)| self.observe(&format!("{place}.{at}"), part));
            }
            Ty::Array(element, len) => (0..*len).for_each(|at| self.observe(&format!("{place}[{at}]"), element)),
            Ty::Slice(_) | Ty::Param(_) | Ty::Never => {}
        }
    }

    fn block(&mut self, block: &Block) {
        self.block_after("", block);
    }

    /// A block with a first statement that is not the program's.
    fn block_after(&mut self, first: &str, block: &Block) {
        self.push("{");
        self.indent += 1;
        self.end_line();
        if !first.is_empty() {
            self.line();
            self.push(first);
            self.end_line();
        }
        self.stmts(block);
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn label(&mut self, label: Option<&String>) {
        if let Some(label) = label {
            let _ = write!(self.text, "'{label}: ");
        }
    }

    fn jump(&mut self, word: &str, label: Option<&String>) {
        self.push(word);
        if let Some(label) = label {
            let _ = write!(self.text, " '{label}");
        }
    }

    /// In parentheses if it binds less than `least`.
    fn expr(&mut self, expr: &Expr, least: usize) {
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

    fn inlined(&mut self, print: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.inline, true);
        print(self);
        self.inline = before;
    }

    fn list(&mut self, exprs: &[Expr]) {
        self.inlined(|this| {
            for expr in exprs {
                this.expr(expr, 0);
                this.push(", ");
            }
        });
    }

    /// What a part is taken of: there a reference stands for what it refers to.
    fn base(&mut self, expr: &Expr) {
        match expr.kind {
            Kind::Var(var) => {
                let name = self.name(var);
                self.push(name);
            }
            _ => self.expr(expr, ATOM),
        }
    }

    fn is_reference(&self, expr: &Expr) -> bool {
        matches!(expr.kind, Kind::Var(var) if self.program.vars[var.0].reference)
    }

    /// A reference, or a slice that is a function's parameter.
    fn is_parameter(&self, expr: &Expr) -> bool {
        let slice = |var: VarId| var.0 >= ENVIRONMENT.len() && matches!(expr.ty, Ty::Slice(_));
        self.is_reference(expr) || matches!(expr.kind, Kind::Var(var) if slice(var))
    }

    /// What stands in a head: the condition of an `if`, what is matched.
    fn head(&mut self, expr: &Expr) {
        self.inlined(|this| this.expr(expr, 1));
    }

    /// What `if let` and `while let` look at: `&&` would be the next condition.
    fn matched(&mut self, expr: &Expr) {
        self.inlined(|this| this.expr(expr, COMPARISON));
    }

    fn bare(&mut self, expr: &Expr) {
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
            Kind::Borrow { mutable, place, range } => {
                let passed_on = range.is_none() && self.is_parameter(place);
                self.push(if passed_on {
                    ""
                } else if *mutable {
                    "&mut "
                } else {
                    "&"
                });
                self.base(place);
                if let Some((start, end)) = range {
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

    fn control(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Block { label, block } => {
                self.label(label.as_ref());
                self.block(block);
            }
            Kind::If { cond, then, otherwise } => {
                self.push("if ");
                self.head(cond);
                self.push(" ");
                self.block(then);
                self.otherwise(otherwise.as_ref());
            }
            Kind::IfLet { pattern, scrutinee, then, otherwise } => {
                self.push("if let ");
                self.pattern(pattern, false);
                self.push(" = ");
                self.matched(scrutinee);
                self.push(" ");
                self.block(then);
                self.otherwise(otherwise.as_ref());
            }
            Kind::Match { scrutinee, arms } => self.arms(scrutinee, arms),
            Kind::Loop { label, body, exhausted } => {
                let mut first = Printer::new(self.program, 0);
                first.inline = true;
                first.push("if fuel == 0 { break");
                if let Some(value) = exhausted {
                    first.push(" ");
                    first.expr(value, 1);
                }
                first.push("; } fuel -= 1;");
                self.label(label.as_ref());
                self.push("loop ");
                self.block_after(&first.text, body);
            }
            Kind::While { label, cond, body } => {
                self.label(label.as_ref());
                self.push("while ");
                self.head(cond);
                self.push(" ");
                self.block_after("if fuel == 0 { break; } fuel -= 1;", body);
            }
            Kind::WhileLet { label, pattern, scrutinee, body } => {
                self.label(label.as_ref());
                self.push("while let ");
                self.pattern(pattern, false);
                self.push(" = ");
                self.matched(scrutinee);
                self.push(" ");
                self.block_after("if fuel == 0 { break; } fuel -= 1;", body);
            }
            Kind::For { label, var, range, body } => {
                self.label(label.as_ref());
                let _ = write!(self.text, "for {} in ", self.name(*var));
                self.inlined(|this| this.range(range));
                self.push(" ");
                self.block_after("if fuel == 0 { break; } fuel -= 1;", body);
            }
            Kind::Break { label, value } => {
                self.jump("break", label.as_ref());
                if let Some(value) = value {
                    self.push(" ");
                    self.inlined(|this| this.expr(value, 1));
                }
            }
            Kind::Continue(label) => self.jump("continue", label.as_ref()),
            Kind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.push(" ");
                    self.inlined(|this| this.expr(value, 1));
                }
            }
            _ => unreachable!("the other expressions are no control flow"),
        }
    }

    fn otherwise(&mut self, block: Option<&Block>) {
        let Some(block) = block else { return };
        self.push(" else ");
        match &block.value {
            Some(value) if block.stmts.is_empty() && matches!(value.kind, Kind::If { .. } | Kind::IfLet { .. }) => {
                self.bare(value);
            }
            _ => self.block(block),
        }
    }

    fn arms(&mut self, scrutinee: &Expr, arms: &[Arm]) {
        self.push("match ");
        self.head(scrutinee);
        self.push(" {");
        self.indent += 1;
        self.end_line();
        for Arm { pattern, guard, body } in arms {
            self.line();
            self.pattern(pattern, true);
            if let Some(guard) = guard {
                self.push(" if ");
                self.head(guard);
            }
            self.push(" => ");
            self.expr(body, 0);
            self.push(",");
            self.end_line();
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn range(&mut self, range: &Range) {
        let Range { start, end, inclusive, rev, step } = range;
        let adapted = *rev || step.is_some();
        self.push(if adapted { "(" } else { "" });
        self.expr(start, 1);
        self.push(if *inclusive { "..=" } else { ".." });
        self.expr(end, 1);
        self.push(if adapted { ")" } else { "" });
        if *rev {
            self.push(".rev()");
        }
        if let Some(step) = step {
            self.push(".step_by(");
            self.expr(step, 0);
            self.push(")");
        }
    }

    /// `top`: where an or-pattern needs no parentheses.
    fn pattern(&mut self, pattern: &Pattern, top: bool) {
        match pattern {
            Pattern::Wild => self.push("_"),
            Pattern::Bind { var, inner } => {
                if self.program.vars[var.0].mutable {
                    self.push("mut ");
                }
                let name = self.name(*var);
                self.push(name);
                if let Some(inner) = inner {
                    self.push(" @ ");
                    self.pattern(inner, false);
                }
            }
            Pattern::Value(value) => self.bare(value),
            Pattern::Range { start, end, inclusive } => {
                start.iter().for_each(|start| self.bare(start));
                self.push(if *inclusive { "..=" } else { ".." });
                end.iter().for_each(|end| self.bare(end));
            }
            Pattern::Tuple(parts) | Pattern::Array(parts) => {
                let (open, close) = if matches!(pattern, Pattern::Tuple(_)) { ("(", ")") } else { ("[", "]") };
                self.push(open);
                for part in parts {
                    // In an array `5..` would begin a part of it.
                    let apart = open == "[" && matches!(part, Pattern::Range { .. });
                    self.push(if apart { "(" } else { "" });
                    self.pattern(part, true);
                    self.push(if apart { "), " } else { ", " });
                }
                self.push(close);
            }
            Pattern::Or(parts) => {
                self.push(if top { "" } else { "(" });
                for (at, part) in parts.iter().enumerate() {
                    self.push(if at == 0 { "" } else { " | " });
                    self.pattern(part, false);
                }
                self.push(if top { "" } else { ")" });
            }
        }
    }
}

/// Whether a block burns fuel.
fn has_loops(block: &Block) -> bool {
    let mut found = false;
    visit::below(&mut block.clone(), &mut |node| {
        if let Node::Expr(expr) = node {
            found |=
                matches!(expr.kind, Kind::Loop { .. } | Kind::While { .. } | Kind::WhileLet { .. } | Kind::For { .. });
        }
    });
    found
}

fn ends_in_a_brace(expr: &Expr) -> bool {
    match expr.kind {
        Kind::Block { .. }
        | Kind::If { .. }
        | Kind::IfLet { .. }
        | Kind::Match { .. }
        | Kind::Loop { .. }
        | Kind::While { .. }
        | Kind::WhileLet { .. }
        | Kind::For { .. } => true,
        _ => false,
    }
}

const COMPARISON: usize = 5;
const ATOM: usize = 15;

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
