//! Statements and expressions as text, one after the other.

use std::fmt::Write;

use super::super::program::{Adaptor, Cond, Ends, Expr, Op, Part, Place, Stmt, Writing};
use super::Printer;

impl Printer<'_> {
    fn body(&mut self, stmts: &[Stmt], depth: usize) {
        self.put("{\n");
        self.stmts(stmts, depth + 1);
        self.line(depth);
        self.put("}");
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt], depth: usize) {
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
            Stmt::While { cond, var, by, body } => {
                let label = self.dress.enter_loop();
                let _ = write!(self.out, "{label}while ");
                self.cond(cond, false);
                self.put(" {\n");
                self.stmts(body, depth + 1);
                self.line(depth + 1);
                let (name, ty) = (self.name(*var), self.program.locals[*var].ty.name());
                let _ = writeln!(self.out, "{name} {} {}{ty};", if *by < 0 { "-=" } else { "+=" }, by.abs());
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
        self.places.push((part.id, self.out.len()));
        self.put(self.program.views[part.view]);
        for Ends { start, end, inclusive } in &part.ends {
            self.put("[");
            start.iter().for_each(|start| self.expr(start, true));
            self.put(if *inclusive && end.is_some() { "..=" } else { ".." });
            end.iter().for_each(|end| self.expr(end, true));
            self.put("]");
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr, nested: bool) {
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

    pub(super) fn cond(&mut self, cond: &Cond, nested: bool) {
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
