//! Programs as text: the host part.

mod body;

use std::collections::BTreeMap;
use std::fmt::Write;

use super::dress::{self, Dress, Number, Window};
use super::program::{Dim, Expr, Host, Local, Loop, Program, Ty};

/// The text of a program, and where its places stand.
pub(super) struct Text {
    pub(super) source: String,
    /// Line and column, both from 1, by the ids of places.
    pub(super) places: Vec<(u32, u32)>,
    /// What constants stand for, by line and column.
    pub(super) constants: BTreeMap<(u32, u32), Number>,
    /// The same in a macro whose parameters [`Dress::passed`] has.
    pub(super) wrapped: String,
    pub(super) dress: Dress,
}

/// A kernel, with this name, in some spelling.
pub(super) fn dressed(program: &Program, name: &str, dress: Dress) -> Text {
    let mut printer = Printer { program, out: String::new(), places: Vec::new(), dress, at: dress::Part::Host };
    let buffers = program.views[..program.buffers].iter().map(|name| format!("{name}: &mut [u32]"));
    let values = program.values[..program.params].iter().map(|(name, ty)| format!("{name}: {}", ty.name()));
    let params: Vec<String> = buffers.chain(values).collect();
    printer.hosts(&program.host, 1);
    let Printer { out: body, places: mut offsets, dress, .. } = printer;
    let generics: Vec<&str> = dress.generics.iter().map(|(param, _)| &**param).collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    let head = format!("fn {name}{generics}({}) {{\n", params.join(", "));
    offsets.iter_mut().for_each(|(_, offset)| *offset += head.len());
    let text = format!("{head}{body}}}\n");
    let (source, wrapped) = (dress::plain(&text).into_owned(), dress::wrapped(&text));
    let position = |offset: usize| {
        let before = dress::plain(&text[..offset]);
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        (line as u32, column as u32)
    };
    let mut places = vec![(0, 0); offsets.iter().map(|(id, _)| id + 1).max().unwrap_or(0)];
    for (id, offset) in offsets {
        places[id] = position(offset);
    }
    let constants = dress::constants(&text).into_iter();
    let constants = constants.map(|(offset, number)| (position(offset), dress.numbers[number])).collect();
    Text { source, places, constants, wrapped, dress }
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    places: Vec<(usize, usize)>,
    dress: Dress,
    /// Where it is.
    at: dress::Part,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n("    ", depth));
    }

    fn hosts(&mut self, hosts: &[Host], depth: usize) {
        for host in hosts {
            self.line(depth);
            match host {
                Host::Loop(looped) => self.par(looped, depth),
                Host::Let(value, expr) => {
                    let (name, ty) = self.program.values[*value];
                    let name = self.dress.name(name);
                    let _ = write!(self.out, "let {name}: {} = ", ty.name());
                    self.expr(expr, false);
                    self.put(";\n");
                }
                Host::Split { mutable, view, at, low, high } => {
                    let name = |view: usize| self.program.views[view];
                    let method = if *mutable { "split_at_mut" } else { "split_at" };
                    let _ = write!(self.out, "let ({}, {}) = {}.{method}(", name(*low), name(*high), name(*view));
                    self.expr(at, false);
                    self.put(");\n");
                }
                Host::For(value, count, body) => {
                    let (name, ty) = self.program.values[*value];
                    let _ = writeln!(self.out, "for {name} in 0{}..{count} {{", ty.name());
                    self.hosts(body, depth + 1);
                    self.line(depth);
                    self.put("}\n");
                }
                Host::If(cond, body) => {
                    self.put("if ");
                    self.cond(cond, false);
                    self.put(" {\n");
                    self.hosts(body, depth + 1);
                    self.line(depth);
                    self.put("}\n");
                }
                Host::Groups(groups) => {
                    self.put("stream_parallel! {\n");
                    for (at, group) in groups.iter().enumerate() {
                        self.line(depth + 1);
                        let _ = writeln!(self.out, "'g{at}: {{");
                        self.hosts(group, depth + 2);
                        self.line(depth + 1);
                        self.put("}\n");
                    }
                    self.line(depth);
                    self.put("}\n");
                }
            }
        }
    }

    /// The text of an end of a range.
    fn end(&mut self, expr: &Expr) -> String {
        let before = std::mem::take(&mut self.out);
        self.at = if matches!(expr, Expr::Lit(..)) { dress::Part::End } else { dress::Part::Host };
        self.expr(expr, true);
        self.at = dress::Part::Host;
        std::mem::replace(&mut self.out, before)
    }

    fn par(&mut self, looped: &Loop, depth: usize) {
        let names: Vec<String> =
            looped.dims.iter().map(|dim| self.dress.name(self.program.locals[dim.var].name)).collect();
        let several = names.len() > 1;
        let (open, close) = if several { ("(", ")") } else { ("", "") };
        let mut ranges = Vec::new();
        for Dim { var, start, end, inclusive, step } in &looped.dims {
            let (start, end) = (self.end(start), self.end(end));
            let ty = self.program.locals[*var].ty.name();
            let (start, end) = match self.dress.window(&start, &end, ty) {
                Some(Window { before, start, end }) => {
                    self.put(&before);
                    self.put("\n");
                    self.line(depth);
                    (start, end)
                }
                None => (self.dress.counted(looped.number, start), self.dress.counted(looped.number, end)),
            };
            let range = format!("{start}{}{end}", if *inclusive { "..=" } else { ".." });
            ranges.push(match step {
                Some(step) => {
                    let before = std::mem::take(&mut self.out);
                    self.expr(step, false);
                    let step = std::mem::replace(&mut self.out, before);
                    format!("({range}).step_by({})", self.dress.counted(looped.number, step))
                }
                None => range,
            });
        }
        let label = self.dress.enter_loop();
        let (names, ranges) = (names.join(", "), ranges.join(", "));
        let _ = write!(self.out, "{label}for {open}{names}{close} in par({open}{ranges}{close})");
        if let Some(block) = looped.block {
            let _ = write!(self.out, ".block({block})");
        }
        self.put(" {\n");
        self.line(depth + 1);
        let _ = writeln!(self.out, "let mut acc: u32 = {};", sum_of_variables(self.program, looped));
        self.at = dress::Part::Body;
        self.stmts(&looped.body, depth + 1);
        self.line(depth);
        self.put("}\n");
        self.dress.leave_labelled();
        self.at = dress::Part::Host;
    }
}

/// What `acc` begins with: different in most iterations.
fn sum_of_variables(program: &Program, looped: &Loop) -> String {
    let terms = looped.dims.iter().map(|dim| {
        let Local { name, ty, .. } = program.locals[dim.var];
        if ty == Ty::U32 { name.to_owned() } else { format!("({name} as u32)") }
    });
    terms.reduce(|sum, term| format!("({sum} * 7u32 + {term})")).unwrap_or_default()
}
