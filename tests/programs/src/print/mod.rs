//! Programs as Rust.
//!
//! An expression is printed on one line, whatever it holds, because a panic is compared by its
//! line, and Rust's line is that of the expression's begin. Only control flow that is a statement,
//! or the whole value of one, has lines of its own.
//!
//! | file | what it prints |
//! |---|---|
//! | `host.rs` | a kernel, with its host part |
//! | `blocks.rs` | a loop over blocks, as it is and in plain Rust |
//! | `reductions.rs` | a host part with reductions, in both forms, too |
//! | `control.rs` | control flow and patterns |
//! | `expr.rs` | the other expressions |
//! | `spelled.rs` | other spellings of the same: closures, methods of `Option`, `?`, operators of structs, traits |

mod blocks;
mod control;
mod expr;
mod host;
mod reductions;
mod spelled;

use std::fmt::Write as _;

use blocks::Team;
pub use blocks::{Form, over_blocks};
use expr::COMPARISON;
pub use host::{Text, dressed};
pub use reductions::with_reductions;

use crate::dress::{self, Dress};
use crate::kind::Ending;
use crate::program::{Block, Expr, Function, InTrait, Kind, Mode, Program, Stmt, Style, VarId};
use crate::types::{ENUMS, STRUCTS, Scalar, Ty};
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
    let mut printer = Printer { in_items: true, ..Printer::new(program, Dress::plain(), 1) };
    let _ = writeln!(printer.text, "pub mod p{} {{\n    #[allow(unused_imports)]\n    use super::*;", program.number);
    for constant in &program.consts {
        let _ = write!(printer.text, "    pub const {}: {} = ", constant.name, constant.value.ty);
        printer.constant = true;
        printer.expr(&constant.value, 0);
        printer.constant = false;
        printer.text.push_str(";\n");
    }
    for (at, function) in program.functions.iter().enumerate() {
        printer.function(function);
        if is_passed(program, at) {
            printer.passed(function);
        }
    }
    printer.text.push_str("}\n");
    // A method of a trait is found where the trait is.
    for function in program.functions.iter().filter(|function| function.of_trait.is_some()) {
        let name = printer.function_name(function);
        let _ = writeln!(printer.text, "#[allow(unused_imports)] use p{}::Has_{name} as _;", program.number);
    }
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
    /// Within the value of a constant.
    constant: bool,
    /// Within an index.
    in_index: bool,
    /// Within a function.
    in_items: bool,
    /// Variables that are declared without a value.
    late: Vec<VarId>,
    /// In a loop over blocks.
    team: Option<Team>,
    /// In a host part with reductions.
    reducing: Option<Form>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, dress: Dress, indent: usize) -> Self {
        Self {
            program,
            text: String::new(),
            indent,
            inline: false,
            dress,
            at: dress::Part::Body,
            sites: Vec::new(),
            constant: false,
            in_index: false,
            in_items: false,
            late: if program.spelled { spelled::late(program) } else { Vec::new() },
            team: None,
            reducing: None,
        }
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
        let Function { owner, of_trait, .. } = function;
        let name = self.function_name(function);
        self.push("    #[device]\n");
        let declared = match (owner, of_trait) {
            (Some(owner), Some(of_trait)) => {
                let _ = writeln!(self.text, "    pub trait Has_{name}: Copy {{");
                match of_trait {
                    InTrait::Declared => {
                        self.signature(function, Some("self"));
                        self.push(";\n");
                    }
                    InTrait::Overridden => {
                        self.signature(function, Some("self"));
                        self.push(" { panic!() }\n");
                    }
                    InTrait::Default => self.signature_and_body(function),
                }
                let _ = writeln!(self.text, "    }}\n    #[device]\n    impl Has_{name} for {owner} {{");
                *of_trait != InTrait::Default
            }
            (Some(owner), None) => {
                let _ = writeln!(self.text, "    impl {owner} {{");
                true
            }
            (None, _) => true,
        };
        if declared {
            self.signature_and_body(function);
        }
        self.push(if owner.is_some() { "    }\n" } else { "" });
        if of_trait.is_some() {
            self.through_a_bound(function, &name);
        }
    }

    /// A generic function that calls one of a trait.
    fn through_a_bound(&mut self, function: &Function, name: &str) {
        let _ = write!(self.text, "    #[device]\n    pub fn via_{name}<S: Has_{name}>");
        self.parameters(function, Some("this"));
        let mut args: Vec<&str> = function.params.iter().map(|param| self.program.name(param.var)).collect();
        let callee = match args.first() {
            Some(&"self") => {
                args.remove(0);
                "this".to_owned() + "."
            }
            _ => "S::".to_owned(),
        };
        let _ = writeln!(self.text, " {{ {callee}{name}({}) }}", args.join(", "));
    }

    /// The function as a closure that the kernel gets:
    /// `passed!(f_passed, (A, B) => R, |a: A, b: B| -> R { … });`.
    fn passed(&mut self, function: &Function) {
        let types: Vec<String> = function.params.iter().map(|param| self.program.ty(param.var).to_string()).collect();
        let (name, types, output) = (&function.name, types.join(", "), &function.output);
        let _ = write!(self.text, "    passed!({name}_passed, ({types}) => {output}, ");
        let params = self.apart(|this| this.parameters(function, None));
        let params = params.replacen('(', "|", 1).replacen(") ->", "| ->", 1);
        self.push(&params);
        self.push(" {\n");
        self.indent = 2;
        self.fuel(&function.body, FUEL[1]);
        self.stmts(&function.body);
        self.indent = 1;
        self.push("    });\n");
    }

    fn signature_and_body(&mut self, function: &Function) {
        self.signature(function, None);
        self.push(" {\n");
        self.indent = 2;
        self.fuel(&function.body, FUEL[1]);
        self.stmts(&function.body);
        self.indent = 1;
        self.push("    }\n");
    }

    /// The head of a function; `plain`: without `mut`, as where there is no body.
    fn signature(&mut self, function: &Function, plain: Option<&str>) {
        let visibility = if function.of_trait.is_some() { "" } else { "pub " };
        let _ = write!(self.text, "    {visibility}fn {}", self.function_name(function));
        if let Some(bound) = function.generic {
            let _ = write!(self.text, "<T: {bound:?}>");
        }
        self.parameters(function, plain);
    }

    /// The parameters and the result. `plain` is what `self` is called, and means that no parameter
    /// is changed.
    fn parameters(&mut self, function: &Function, plain: Option<&str>) {
        self.push("(");
        for param in &function.params {
            let var = &self.program.vars[param.var.0];
            let (mutable, mode) = match param.mode {
                Mode::Value => (if var.mutable && plain.is_none() { "mut " } else { "" }, ""),
                Mode::Ref => ("", "&"),
                Mode::RefMut => ("", "&mut "),
            };
            let _ = match (var.name.as_str(), plain) {
                ("self", Some(this)) if this != "self" => write!(self.text, "{this}: {mode}S, "),
                ("self", _) => write!(self.text, "{mutable}{mode}self, "),
                (name, _) => write!(self.text, "{mutable}{name}: {mode}{}, ", var.ty),
            };
        }
        let _ = write!(self.text, ") -> {}", function.output);
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
        if matches!(self.program.ty(var), Ty::Slice(_) | Ty::Grid(..)) {
            name.to_owned()
        } else if self.program.vars[var.0].each {
            self.own(name)
        } else {
            self.dress.name(name)
        }
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
                    let name = self.name(*var);
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
                self.constant = true;
                self.expr(value, 0);
                self.constant = false;
                self.push(";");
            }
            Stmt::Expr(expr) => {
                self.as_it_is(expr, 0);
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
                let into = self.observed();
                self.line();
                let _ = write!(self.text, "{into} = mix({into}, {bits});");
                self.end_line();
            }
            Ty::Tuple(parts) => {
                parts.iter().enumerate().for_each(|(at, part)| self.observe(&format!("{place}.{at}"), part));
            }
            Ty::Struct(parts) => {
                let (_, fields) = STRUCTS[parts.len() - 1];
                fields.iter().zip(parts).for_each(|(name, part)| self.observe(&format!("{place}.{name}"), part));
            }
            Ty::Enum(of, parts) => {
                let (name, variants) = ENUMS[*of];
                for (at, [variant, before, after]) in variants.iter().enumerate() {
                    let part = if at < parts.len() { format!("part{}", place.len()) } else { String::new() };
                    self.line();
                    let _ = write!(self.text, "if let {name}::{variant}{before}{part}{after} = {place} {{");
                    self.indent += 1;
                    self.end_line();
                    let into = self.observed();
                    self.line();
                    let _ = write!(self.text, "{into} = mix({into}, {at});");
                    self.end_line();
                    parts.get(at).iter().for_each(|ty| self.observe(&part, ty));
                    self.indent -= 1;
                    self.line();
                    self.push("}");
                    self.end_line();
                }
            }
            Ty::Array(element, len) => (0..*len).for_each(|at| self.observe(&format!("{place}[{at}]"), element)),
            Ty::Slice(_) | Ty::Grid(..) | Ty::Param(_) | Ty::Never => {}
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

/// Whether a function can be a closure that the kernel gets.
fn is_closure(function: &Function) -> bool {
    let by_value = function.params.iter().all(|param| param.mode == Mode::Value);
    function.owner.is_none() && function.generic.is_none() && by_value && function.output != Ty::unit()
}

/// Whether the kernel gets a function as a closure. What becomes of a failed check there has other
/// lines, so each call of the kernel is the same.
fn is_passed(program: &Program, function: usize) -> bool {
    let chosen = program.spelled && (program.seed as usize).wrapping_add(function).is_multiple_of(2);
    chosen && is_closure(&program.functions[function])
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
