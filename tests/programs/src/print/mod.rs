//! Programs as Rust.
//!
//! An expression is printed on one line, whatever it holds, because a panic is compared by its line, and Rust's line is
//! that of the expression's begin. Only control flow that is a statement, or the whole value of one, has lines of its own.
//!
//! | file | what it prints |
//! |---|---|
//! | `host.rs` | a kernel, with its host part |
//! | `control.rs` | control flow and patterns |
//! | `expr.rs` | the other expressions |

mod control;
mod expr;
mod host;

use std::fmt::Write as _;

use expr::COMPARISON;
pub use host::{Text, dressed};

use crate::dress::{self, Dress};
use crate::kind::Ending;
use crate::program::{Block, Expr, Function, Kind, Mode, Program, Stmt, Style, VarId};
use crate::types::{STRUCTS, Scalar, Ty};
use crate::visit::{self, Node};

/// Rounds that all loops of the body together may make, and all those of one call of a function.
const FUEL: [u32; 2] = [60, 12];

/// Where an expression stands in its program, which is only read as long as that is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Site(usize);

impl Site {
    pub fn of(expr: &Expr) -> Site {
        Site(std::ptr::from_ref(expr).addr())
    }
}

/// The constants and functions of a program, in a module `pN`.
pub fn items(program: &Program) -> String {
    let mut printer = Printer::new(program, Dress::plain(), 1);
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

/// The statements of a loop.
pub fn body(program: &Program, block: &Block) -> String {
    let mut printer = Printer::new(program, Dress::plain(), 2);
    printer.fuel(block, FUEL[0]);
    printer.stmts(block);
    printer.text
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
    indent: usize,
    /// Within an expression: everything on one line.
    inline: bool,
    dress: Dress,
    /// What is being printed.
    at: dress::Part,
    /// Where elements of views begin in the text.
    sites: Vec<(Site, usize)>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, dress: Dress, indent: usize) -> Self {
        Self { program, text: String::new(), indent, inline: false, dress, at: dress::Part::Body, sites: Vec::new() }
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

    /// What a part of the program is printed as, for somewhere else.
    fn apart(&mut self, print: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.text);
        print(self);
        std::mem::replace(&mut self.text, before)
    }

    fn function(&mut self, function: &Function) {
        self.push("    #[device]\n");
        if let Some(owner) = &function.owner {
            let _ = writeln!(self.text, "    impl {owner} {{");
        }
        let _ = write!(self.text, "    pub fn {}", self.function_name(function));
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
            let _ = match var.name.as_str() {
                "self" => write!(self.text, "{mutable}{mode}self, "),
                name => write!(self.text, "{mutable}{name}: {mode}{}, ", var.ty),
            };
        }
        let _ = writeln!(self.text, ") -> {} {{", function.output);
        self.indent = 2;
        self.fuel(&function.body, FUEL[1]);
        self.stmts(&function.body);
        self.indent = 1;
        self.push(if function.owner.is_some() { "    }\n    }\n" } else { "    }\n" });
    }

    /// All programs have the same structs, so the names of their functions differ.
    fn function_name(&self, function: &Function) -> String {
        match function.owner {
            Some(_) => format!("{}_of_{}", function.name, self.program.number),
            None => function.name.clone(),
        }
    }

    fn fuel(&mut self, block: &Block, rounds: u32) {
        if has_loops(block) {
            self.line();
            let _ = write!(self.text, "let mut fuel: u32 = {rounds};");
            self.end_line();
        }
    }

    /// The name of a variable. Views are called as they are.
    fn name(&mut self, var: VarId) -> String {
        let name = self.program.name(var);
        if matches!(self.program.ty(var), Ty::Slice(_)) { name.to_owned() } else { self.dress.name(name) }
    }

    fn stmts(&mut self, block: &Block) {
        // What is within an expression is spelled as it is.
        let items = if self.inline { Vec::new() } else { self.dress.enter(block.stmts.len()) };
        let put_items = |this: &mut Self, at: usize| {
            for (_, item) in items.iter().filter(|(before, _)| *before == at) {
                this.line();
                this.push(item);
                this.end_line();
            }
        };
        for (at, stmt) in block.stmts.iter().enumerate() {
            put_items(self, at);
            match stmt {
                Stmt::Observe(Expr { kind: Kind::Var(var), ty }) if self.program.style == Style::Device => {
                    let name = self.program.name(*var).to_owned();
                    self.observe(&name, ty);
                }
                _ => {
                    self.line();
                    self.stmt(stmt);
                    self.end_line();
                }
            }
        }
        put_items(self, block.stmts.len());
        if let Some(value) = &block.value {
            self.line();
            self.expr(value, 0);
            self.end_line();
        }
        if !self.inline {
            self.dress.leave();
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if !self.inline && is_simple(stmt) {
            let attribute = self.dress.attribute();
            self.push(attribute);
        }
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
                let name = self.name(*var);
                let _ = write!(self.text, "const {name}: {} = ", value.ty);
                self.expr(value, 0);
                self.push(";");
            }
            Stmt::Expr(expr) => {
                self.expr(expr, 0);
                self.push(if form(expr) == Ending::Plain { ";" } else { "" });
            }
            Stmt::Observe(value) => {
                self.push("acc = acc.wrapping_mul(31u32).wrapping_add(");
                self.expr(value, 0);
                self.push(");");
            }
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
            Ty::Struct(parts) => {
                let (_, fields) = STRUCTS[parts.len() - 1];
                fields.iter().zip(parts).for_each(|(name, part)| self.observe(&format!("{place}.{name}"), part));
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

/// Whether a statement ends in a semicolon wherever it stands: only such have attributes.
fn is_simple(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let { .. } | Stmt::Const(..) | Stmt::Observe(_) => true,
        Stmt::Expr(expr) => matches!(expr.kind, Kind::Assign(..) | Kind::AssignOp(..) | Kind::Call { .. }),
    }
}

/// Whether a block burns fuel.
fn has_loops(block: &Block) -> bool {
    let mut found = false;
    visit::deep(Node::Block(&mut block.clone()), &mut |node| {
        if let Node::Expr(expr) = node {
            found |= expr.shape().form == Ending::Loop;
        }
    });
    found
}

fn form(expr: &Expr) -> Ending {
    expr.clone().shape().form
}
