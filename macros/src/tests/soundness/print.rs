//! Programs as text.

use std::fmt::Write;

use super::program::{Adaptor, Cond, Dim, Expr, Host, Local, Loop, Op, Part, Place, Program, Stmt, Ty, Writing};

/// The text of a program, and where its places stand.
pub(super) struct Text {
    pub(super) source: String,
    /// Line and column, both from 1, by the ids of places.
    pub(super) places: Vec<(u32, u32)>,
}

/// A kernel, with this name.
pub(super) fn kernel(program: &Program, name: &str) -> Text {
    let mut printer = Printer { program, out: String::new(), places: Vec::new() };
    let buffers = program.views[..program.buffers].iter().map(|name| format!("{name}: &mut [u32]"));
    let values = program.values[..program.params].iter().map(|(name, ty)| format!("{name}: {}", ty.name()));
    let params: Vec<String> = buffers.chain(values).collect();
    let _ = writeln!(printer.out, "fn {name}({}) {{", params.join(", "));
    printer.hosts(&program.host, 1);
    printer.out.push_str("}\n");
    let Printer { out: source, places: offsets, .. } = printer;
    let mut places = vec![(0, 0); offsets.iter().map(|(id, _)| id + 1).max().unwrap_or(0)];
    for (id, offset) in offsets {
        let before = &source[..offset];
        let line = before.matches('\n').count() + 1;
        let column = offset - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        places[id] = (line as u32, column as u32);
    }
    Text { source, places }
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    places: Vec<(usize, usize)>,
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

    fn par(&mut self, looped: &Loop, depth: usize) {
        let name = |dim: &Dim| self.program.locals[dim.var].name;
        let names: Vec<&str> = looped.dims.iter().map(name).collect();
        let several = names.len() > 1;
        let (open, close) = if several { ("(", ")") } else { ("", "") };
        let _ = write!(self.out, "for {open}{}{close} in par({open}", names.join(", "));
        for (at, Dim { start, end, inclusive, step, .. }) in looped.dims.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            self.put(if step.is_some() { "(" } else { "" });
            self.expr(start, true);
            self.put(if *inclusive { "..=" } else { ".." });
            self.expr(end, true);
            if let Some(step) = step {
                self.put(").step_by(");
                self.expr(step, false);
                self.put(")");
            }
        }
        let _ = write!(self.out, "{close})");
        if let Some(block) = looped.block {
            let _ = write!(self.out, ".block({block})");
        }
        self.put(" {\n");
        self.line(depth + 1);
        let _ = writeln!(self.out, "let mut acc: u32 = {};", sum_of_variables(self.program, looped));
        self.stmts(&looped.body, depth + 1);
        self.line(depth);
        self.put("}\n");
    }

    fn body(&mut self, stmts: &[Stmt], depth: usize) {
        self.put("{\n");
        self.stmts(stmts, depth + 1);
        self.line(depth);
        self.put("}");
    }

    fn stmts(&mut self, stmts: &[Stmt], depth: usize) {
        for stmt in stmts {
            self.line(depth);
            self.stmt(stmt, depth);
            self.put("\n");
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        let name = |local: &usize| self.program.locals[*local].name;
        match stmt {
            Stmt::Let(local, expr) => {
                let mutable = if self.program.locals[*local].mutable { "mut " } else { "" };
                let _ = write!(self.out, "let {mutable}{} = ", name(local));
                self.expr(expr, false);
                self.put(";");
            }
            Stmt::Tuple(parts) => {
                let names: Vec<&str> = parts.iter().map(|(local, _)| name(local)).collect();
                let _ = write!(self.out, "let ({}) = (", names.join(", "));
                for (at, (_, expr)) in parts.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.expr(expr, false);
                }
                self.put(");");
            }
            Stmt::Bool(local, cond) => {
                let _ = write!(self.out, "let {} = ", name(local));
                self.cond(cond, false);
                self.put(";");
            }
            Stmt::Array(local, values) => {
                let _ = write!(self.out, "let {} = [", name(local));
                for (at, expr) in values.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.expr(expr, false);
                }
                self.put("];");
            }
            Stmt::Assign(local, expr) => {
                let _ = write!(self.out, "{} = ", name(local));
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
                let _ = write!(self.out, "for {} in ", name(var));
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
            }
            Stmt::While(cond, local, body) => {
                self.put("while ");
                self.cond(cond, false);
                self.put(" {\n");
                self.stmts(body, depth + 1);
                self.line(depth + 1);
                let _ = writeln!(self.out, "{} += 1{};", name(local), self.program.locals[*local].ty.name());
                self.line(depth);
                self.put("}");
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
            Stmt::Continue => self.put("continue;"),
            Stmt::Break => self.put("break;"),
            Stmt::Assert(cond) => {
                self.put("assert!(");
                self.cond(cond, false);
                self.put(");");
            }
            Stmt::Unsafe(body) => {
                self.put("unsafe ");
                self.body(body, depth);
            }
            Stmt::Block(body) => self.body(body, depth),
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
        let name = |local: usize| self.program.locals[local].name;
        match expr {
            Expr::Lit(value, ty) => {
                let _ = write!(self.out, "{value}{}", ty.name());
            }
            Expr::Var(local) => self.put(name(*local)),
            Expr::Value(value) => self.put(self.program.values[*value].0),
            Expr::Len(view) => {
                let _ = write!(self.out, "{}.len()", self.program.views[*view]);
            }
            Expr::ArrayLen(local) => {
                let _ = write!(self.out, "{}.len()", name(*local));
            }
            Expr::Element(local, index) => {
                let _ = write!(self.out, "{}[", name(*local));
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
                let _ = write!(self.out, "{{ let {} = ", name(*local));
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
            Cond::Var(local) => self.put(self.program.locals[*local].name),
        }
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
