//! Kernels, with their host part.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Printer, Site};
use crate::dress::{self, Dress, Number, Window};
use crate::program::{Adaptor, Dim, Expr, Host, Loop, Program, Range};
use crate::types::Scalar;

/// The text of a program, and where things stand in it.
pub struct Text {
    pub source: String,
    /// Elements of views, by line and column, both from 1.
    pub places: BTreeMap<Site, (u32, u32)>,
    /// What constants stand for, by line and column.
    pub constants: BTreeMap<(u32, u32), Number>,
    /// The same in a macro whose parameters [`Dress::passed`] has.
    pub wrapped: String,
    pub dress: Dress,
}

/// A kernel, with this name, in some spelling.
pub fn dressed(program: &Program, name: &str, dress: Dress) -> Text {
    let mut printer = Printer::new(program, dress, 1);
    printer.at = dress::Part::Host;
    printer.hosts(&program.host);
    let Printer { text: body, sites, dress, .. } = printer;
    let buffers = program.buffers().map(|var| {
        let ty = match program.vars[var.0].minor.len() {
            0 => program.ty(var).to_string(),
            minor => format!("Grid<u32, {}>", minor + 1),
        };
        format!("{}: &mut {ty}", program.name(var))
    });
    let values = program.values().map(|var| format!("{}: {}", program.name(var), program.ty(var)));
    let params: Vec<String> = buffers.chain(values).collect();
    let generics: Vec<&str> = dress.generics.iter().map(|(param, _)| &**param).collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    let head = format!("fn {name}{generics}({}) {{\n", params.join(", "));
    let text = format!("{head}{body}}}\n");
    let (source, wrapped) = (dress::plain(&text).into_owned(), dress::wrapped(&text));
    let position = |offset: usize| {
        let before = dress::plain(&text[..offset]);
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        (line as u32, column as u32)
    };
    let places = sites.into_iter().map(|(site, offset)| (site, position(head.len() + offset))).collect();
    let constants = dress::constants(&text).into_iter();
    let constants = constants.map(|(offset, number)| (position(offset), dress.numbers[number])).collect();
    Text { source, places, constants, wrapped, dress }
}

impl Printer<'_> {
    fn hosts(&mut self, hosts: &[Host]) {
        for host in hosts {
            self.line();
            match host {
                Host::Loop(par_loop) => self.par(par_loop),
                Host::Let(value, init) => {
                    let name = self.name(*value);
                    let _ = write!(self.text, "let {name}: {} = ", self.program.ty(*value));
                    self.expr(init, 0);
                    self.push(";\n");
                }
                Host::Scratch(view, len) => {
                    let _ = write!(self.text, "let mut {} = scratch::<u32>(", self.program.name(*view));
                    self.expr(len, 0);
                    self.push(");\n");
                }
                Host::Split { mutable, view, at, low, high } => {
                    let method = if *mutable { "split_at_mut" } else { "split_at" };
                    let [low, high, view] = [low, high, view].map(|view| self.program.name(*view));
                    let _ = write!(self.text, "let ({low}, {high}) = {view}.{method}(");
                    self.expr(at, 0);
                    self.push(");\n");
                }
                Host::For(value, count, body) => {
                    let (name, ty) = (self.program.name(*value), self.program.ty(*value));
                    let _ = write!(self.text, "for {name} in 0{ty}..{count} ");
                    self.nested(body);
                }
                Host::If(cond, body) => {
                    self.push("if ");
                    self.head(cond);
                    self.push(" ");
                    self.nested(body);
                }
                Host::Groups(groups) => {
                    self.push("stream_parallel! {\n");
                    self.indent += 1;
                    for (at, group) in groups.iter().enumerate() {
                        self.line();
                        let _ = write!(self.text, "'g{at}: ");
                        self.nested(group);
                    }
                    self.indent -= 1;
                    self.line();
                    self.push("}\n");
                }
                Host::Reduction(_) | Host::Pass(_) => unreachable!("`with_reductions` prints them"),
            }
        }
    }

    fn nested(&mut self, hosts: &[Host]) {
        self.push("{\n");
        self.indent += 1;
        self.hosts(hosts);
        self.indent -= 1;
        self.line();
        self.push("}\n");
    }

    /// The text of an end of a range.
    fn end(&mut self, end: &Expr) -> String {
        self.at = if end.literal().is_some() { dress::Part::End } else { dress::Part::Host };
        let text = self.apart(|this| this.inlined(|this| this.expr(end, 1)));
        self.at = dress::Part::Host;
        text
    }

    fn par(&mut self, par_loop: &Loop) {
        let names: Vec<String> = par_loop.dims.iter().map(|dim| self.name(dim.var)).collect();
        let (open, close) = if names.len() > 1 { ("(", ")") } else { ("", "") };
        let mut ranges = Vec::new();
        for Dim { var, range: Range { start, end, inclusive, adaptors } } in &par_loop.dims {
            let (start, end) = (self.end(start), self.end(end));
            let ty = self.program.vars[var.0].ty.scalar().map_or("", Scalar::name);
            let (start, end) = match self.dress.window(&start, &end, ty) {
                Some(Window { before, start, end }) => {
                    self.push(&before);
                    self.push("\n");
                    self.line();
                    (start, end)
                }
                None => (self.dress.counted(par_loop.number, start), self.dress.counted(par_loop.number, end)),
            };
            let mut range = format!("{start}{}{end}", if *inclusive { "..=" } else { ".." });
            for adaptor in adaptors {
                range = match adaptor {
                    Adaptor::Rev => format!("({range}).rev()"),
                    Adaptor::StepBy(step) => {
                        let step = self.apart(|this| this.expr(step, 0));
                        format!("({range}).step_by({})", self.dress.counted(par_loop.number, step))
                    }
                };
            }
            ranges.push(range);
        }
        let label = self.dress.enter_loop();
        let (names, ranges) = (names.join(", "), ranges.join(", "));
        let _ = write!(self.text, "{label}for {open}{names}{close} in par({open}{ranges}{close})");
        if let Some(block) = par_loop.block {
            let _ = write!(self.text, ".block({block})");
        }
        self.at = dress::Part::Body;
        let first = format!("let mut acc: u32 = {};", sum_of_variables(self.program, par_loop));
        self.push(" ");
        self.block_after(&first, &par_loop.body);
        self.push("\n");
        self.dress.leave_labelled();
        self.at = dress::Part::Host;
    }
}

/// What `acc` begins with: different in most iterations.
fn sum_of_variables(program: &Program, par_loop: &Loop) -> String {
    let terms = par_loop.dims.iter().map(|dim| {
        let (name, ty) = (program.name(dim.var), program.ty(dim.var));
        if ty.scalar() == Some(Scalar::U32) { name.to_owned() } else { format!("({name} as u32)") }
    });
    terms.reduce(|sum, term| format!("({sum} * 7u32 + {term})")).unwrap_or_default()
}
