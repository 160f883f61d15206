//! Programs as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::dress::{self, Dress, Number, Window};
use super::program::{Adaptor, Cond, Dim, Expr, Host, Local, Loop, Op, Part, Place, Program, Stmt, Ty, Writing};

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
                Host::Split { view, at, low, high } => {
                    let name = |view: usize| self.program.views[view];
                    let _ = write!(self.out, "let ({}, {}) = {}.split_at_mut(", name(*low), name(*high), name(*view));
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

    fn body(&mut self, stmts: &[Stmt], depth: usize) {
        self.put("{\n");
        self.stmts(stmts, depth + 1);
        self.line(depth);
        self.put("}");
    }

    fn stmts(&mut self, stmts: &[Stmt], depth: usize) {
        let items = self.dress.enter(stmts.len());
        let put_items = |this: &mut Self, at: usize| {
            for (_, item) in items.iter().filter(|(before, _)| *before == at) {
                this.line(depth);
                this.put(item);
                this.put("\n");
            }
        };
        for (at, stmt) in stmts.iter().enumerate() {
            put_items(self, at);
            self.line(depth);
            self.stmt(stmt, depth);
            self.put("\n");
        }
        put_items(self, stmts.len());
        self.dress.leave();
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        if is_simple(stmt) {
            let attribute = self.dress.attribute();
            self.put(attribute);
        }
        match stmt {
            Stmt::Let(local, expr) => {
                let mutable = if self.program.locals[*local].mutable { "mut " } else { "" };
                let name = self.name(*local);
                let _ = write!(self.out, "let {mutable}{name} = ");
                self.expr(expr, false);
                self.put(";");
            }
            Stmt::Tuple(parts) => {
                let names: Vec<String> = parts.iter().map(|(local, _)| self.name(*local)).collect();
                let _ = write!(self.out, "let ({}) = (", names.join(", "));
                for (at, (_, expr)) in parts.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.expr(expr, false);
                }
                self.put(");");
            }
            Stmt::Bool(local, cond) => {
                let name = self.name(*local);
                let _ = write!(self.out, "let {name} = ");
                self.cond(cond, false);
                self.put(";");
            }
            Stmt::Array(local, values) => {
                let name = self.name(*local);
                let _ = write!(self.out, "let {name} = [");
                for (at, expr) in values.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.expr(expr, false);
                }
                self.put("];");
            }
            Stmt::Assign(local, expr) => {
                let name = self.name(*local);
                let _ = write!(self.out, "{name} = ");
                self.expr(expr, false);
                self.put(";");
            }
            Stmt::Read(place, call) => {
                self.put("acc = acc.wrapping_mul(31u32).wrapping_add(");
                self.put(if *call { "get(&" } else { "" });
                self.place(place);
                self.put(if *call { "));" } else { ");" });
            }
            Stmt::Write(place, writing) => {
                self.put(if *writing == Writing::Call { "set(&mut " } else { "" });
                self.place(place);
                self.put(match writing {
                    Writing::Set => " = acc;",
                    Writing::Add => " += acc;",
                    Writing::Call => ", acc);",
                });
            }
            Stmt::Sum(part) => {
                self.put("acc = acc.wrapping_add(sum(&");
                self.part(part);
                self.put("));");
            }
            Stmt::Put(part) => {
                self.put("put(&mut ");
                self.part(part);
                self.put(", acc);");
            }
            Stmt::If(cond, then, otherwise) => {
                self.put("if ");
                self.cond(cond, false);
                self.put(" ");
                self.body(then, depth);
                if !otherwise.is_empty() {
                    self.put(" else ");
                    self.body(otherwise, depth);
                }
            }
            Stmt::For { var, start, end, inclusive, adaptors, body } => {
                let (label, name) = (self.dress.enter_loop(), self.name(*var));
                let _ = write!(self.out, "{label}for {name} in ");
                self.put(if adaptors.is_empty() { "" } else { "(" });
                self.expr(start, true);
                self.put(if *inclusive { "..=" } else { ".." });
                self.expr(end, true);
                self.put(if adaptors.is_empty() { "" } else { ")" });
                for adaptor in adaptors {
                    match adaptor {
                        Adaptor::Rev => self.put(".rev()"),
                        Adaptor::StepBy(step) => {
                            self.put(".step_by(");
                            self.expr(step, false);
                            self.put(")");
                        }
                    }
                }
                self.put(" ");
                self.body(body, depth);
                self.dress.leave_labelled();
            }
            Stmt::While(cond, local, body) => {
                let label = self.dress.enter_loop();
                let _ = write!(self.out, "{label}while ");
                self.cond(cond, false);
                self.put(" {\n");
                self.stmts(body, depth + 1);
                self.line(depth + 1);
                let (name, ty) = (self.name(*local), self.program.locals[*local].ty.name());
                let _ = writeln!(self.out, "{name} += 1{ty};");
                self.line(depth);
                self.put("}");
                self.dress.leave_labelled();
            }
            Stmt::Match(value, arms) => {
                self.put("match ");
                self.expr(value, true);
                self.put(" {\n");
                for (at, arm) in arms.iter().enumerate() {
                    self.line(depth + 1);
                    let _ = if at + 1 == arms.len() { write!(self.out, "_ => ") } else { write!(self.out, "{at} => ") };
                    self.body(arm, depth + 1);
                    self.put("\n");
                }
                self.line(depth);
                self.put("}");
            }
            Stmt::Continue | Stmt::Break => {
                let target = self.dress.target();
                let word = if matches!(stmt, Stmt::Break) { "break" } else { "continue" };
                let _ = write!(self.out, "{word}{target};");
            }
            Stmt::Assert(cond) => {
                self.put("assert!(");
                self.cond(cond, false);
                self.put(");");
            }
            Stmt::Unsafe(body) => {
                self.put("unsafe ");
                self.body(body, depth);
            }
            Stmt::Block(body) => {
                let label = self.dress.enter_block();
                self.put(&label);
                self.body(body, depth);
                self.dress.leave_labelled();
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.places.push((place.id, self.out.len()));
        self.put(self.program.views[place.view]);
        self.put("[");
        self.expr(&place.index, false);
        self.put("]");
    }

    fn part(&mut self, part: &Part) {
        let Part { id, view, start, end, inclusive } = part;
        self.places.push((*id, self.out.len()));
        self.put(self.program.views[*view]);
        if start.is_none() && end.is_none() {
            return;
        }
        self.put("[");
        start.iter().for_each(|start| self.expr(start, true));
        self.put(if *inclusive && end.is_some() { "..=" } else { ".." });
        end.iter().for_each(|end| self.expr(end, true));
        self.put("]");
    }

    fn expr(&mut self, expr: &Expr, nested: bool) {
        let plain = match expr {
            Expr::Lit(value, _) => *value >= 0,
            Expr::Var(_) | Expr::Value(_) | Expr::Len(_) | Expr::ArrayLen(_) | Expr::Element(..) => true,
            Expr::Call(..) | Expr::Load(_) => true,
            Expr::Bin(..) | Expr::Shift { .. } | Expr::Neg(..) | Expr::Cast(..) | Expr::If(..) | Expr::With(..) => {
                false
            }
        };
        let parens = nested && !plain;
        self.put(if parens { "(" } else { "" });
        match expr {
            Expr::Lit(value, ty) => {
                let text = self.dress.literal((*value, *ty), self.at);
                self.put(&text);
            }
            Expr::Var(local) => {
                let name = self.name(*local);
                self.put(&name);
            }
            Expr::Value(value) => {
                let name = self.dress.name(self.program.values[*value].0);
                self.put(&name);
            }
            Expr::Len(view) => {
                let _ = write!(self.out, "{}.len()", self.program.views[*view]);
            }
            Expr::ArrayLen(local) => {
                let name = self.name(*local);
                let _ = write!(self.out, "{name}.len()");
            }
            Expr::Element(local, index) => {
                let name = self.name(*local);
                let _ = write!(self.out, "{name}[");
                self.expr(index, false);
                self.put("]");
            }
            Expr::Bin(op, _, a, b) => {
                self.expr(a, true);
                self.put(match op {
                    Op::Add => " + ",
                    Op::Sub => " - ",
                    Op::Mul => " * ",
                    Op::Div => " / ",
                    Op::Rem => " % ",
                    Op::And => " & ",
                    Op::Or => " | ",
                    Op::Xor => " ^ ",
                });
                self.expr(b, true);
            }
            Expr::Shift { left, value, by, ty: _ } => {
                self.expr(value, true);
                self.put(if *left { " << " } else { " >> " });
                self.expr(by, true);
            }
            Expr::Neg(_, a) => {
                self.put("-");
                self.expr(a, true);
            }
            Expr::Call(method, _, args) => {
                self.expr(&args[0], true);
                let _ = write!(self.out, ".{}(", method.name());
                for (at, arg) in args[1..].iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.expr(arg, false);
                }
                self.put(")");
            }
            Expr::Cast(a, ty) => {
                self.expr(a, true);
                let _ = write!(self.out, " as {}", ty.name());
            }
            Expr::If(cond, a, b) => {
                self.put("if ");
                self.cond(cond, false);
                self.put(" { ");
                self.expr(a, false);
                self.put(" } else { ");
                self.expr(b, false);
                self.put(" }");
            }
            Expr::With(local, a, b) => {
                let name = self.name(*local);
                let _ = write!(self.out, "{{ let {name} = ");
                self.expr(a, false);
                self.put("; ");
                self.expr(b, false);
                self.put(" }");
            }
            Expr::Load(place) => self.place(place),
        }
        self.put(if parens { ")" } else { "" });
    }

    fn cond(&mut self, cond: &Cond, nested: bool) {
        match cond {
            Cond::Compare(op, a, b) => {
                self.put(if nested { "(" } else { "" });
                self.expr(a, true);
                let _ = write!(self.out, " {op} ");
                self.expr(b, true);
                self.put(if nested { ")" } else { "" });
            }
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.put(if nested { "(" } else { "" });
                self.cond(a, true);
                self.put(if matches!(cond, Cond::And(..)) { " && " } else { " || " });
                self.cond(b, true);
                self.put(if nested { ")" } else { "" });
            }
            Cond::Not(a) => {
                self.put("!");
                self.cond(a, true);
            }
            Cond::Var(local) => {
                let name = self.name(*local);
                self.put(&name);
            }
        }
    }

    /// The name of a variable.
    fn name(&mut self, local: usize) -> String {
        self.dress.name(self.program.locals[local].name)
    }
}

/// Whether a statement ends in a semicolon wherever it stands: only such have attributes.
fn is_simple(stmt: &Stmt) -> bool {
    use Stmt::*;
    matches!(stmt, Let(..) | Tuple(_) | Array(..) | Assign(..) | Read(..) | Write(..) | Sum(_) | Put(_) | Bool(..))
}

/// What `acc` begins with: different in most iterations.
fn sum_of_variables(program: &Program, looped: &Loop) -> String {
    let terms = looped.dims.iter().map(|dim| {
        let Local { name, ty, .. } = program.locals[dim.var];
        if ty == Ty::U32 { name.to_owned() } else { format!("({name} as u32)") }
    });
    terms.reduce(|sum, term| format!("({sum} * 7u32 + {term})")).unwrap_or_default()
}
