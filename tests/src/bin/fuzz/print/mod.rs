//! Programs as Rust.
//!
//! An expression is printed on one line, whatever it holds, because a panic is compared by its line, and Rust's line is
//! that of the expression's begin. Only control flow that is a statement, or the whole value of one, has lines of its own.

mod control;
mod expr;

use std::fmt::Write as _;

use control::ends_in_a_brace;
use expr::COMPARISON;

use crate::program::{Block, Function, Kind, Mode, Program, Stmt, VarId};
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
            Stmt::Const(var, value) => {
                let _ = write!(self.text, "const {}: {} = ", self.name(*var), value.ty);
                self.expr(value, 0);
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
