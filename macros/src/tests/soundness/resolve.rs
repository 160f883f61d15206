//! Whether the names of a program mean what its tree says.

use super::program::{Adaptor, Cond, Expr, Host, Loop, Place, Program, Stmt};

/// Whether every variable is one that the text, too, has there.
pub(super) fn is_sound(program: &Program) -> bool {
    let values = (0..program.params).collect();
    let views = (0..program.buffers).collect();
    let mut scope = Scope { program, values, views, locals: Vec::new(), good: true };
    scope.hosts(&program.host);
    scope.good
}

struct Scope<'p> {
    program: &'p Program,
    values: Vec<usize>,
    views: Vec<usize>,
    locals: Vec<usize>,
    good: bool,
}

impl Scope<'_> {
    fn require(&mut self, holds: bool) {
        self.good &= holds;
    }

    fn hosts(&mut self, hosts: &[Host]) {
        let (values, views) = (self.values.len(), self.views.len());
        for host in hosts {
            match host {
                Host::Loop(looped) => self.par(looped),
                Host::Let(value, expr) => {
                    self.expr(expr);
                    self.values.push(*value);
                }
                Host::Split { view, at, low, high, mutable: _ } => {
                    self.require(self.views.contains(view));
                    self.expr(at);
                    self.views.extend([*low, *high]);
                }
                Host::For(value, _, body) => {
                    self.values.push(*value);
                    self.hosts(body);
                    self.values.pop();
                }
                Host::If(cond, body) => {
                    self.cond(cond);
                    self.hosts(body);
                }
                Host::Groups(groups) => groups.iter().for_each(|group| self.hosts(group)),
            }
        }
        self.values.truncate(values);
        self.views.truncate(views);
    }

    fn par(&mut self, looped: &Loop) {
        for dim in &looped.dims {
            [Some(&dim.start), Some(&dim.end), dim.step.as_ref()].into_iter().flatten().for_each(|end| self.expr(end));
        }
        self.locals = looped.dims.iter().map(|dim| dim.var).collect();
        self.stmts(&looped.body);
        self.locals.clear();
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        let known = self.locals.len();
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.locals.truncate(known);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(local, expr) => {
                self.expr(expr);
                self.locals.push(*local);
            }
            Stmt::Tuple(parts) => {
                parts.iter().for_each(|(_, expr)| self.expr(expr));
                self.locals.extend(parts.iter().map(|(local, _)| *local));
            }
            Stmt::Bool(local, cond) => {
                self.cond(cond);
                self.locals.push(*local);
            }
            Stmt::Array(local, values) => {
                values.iter().for_each(|expr| self.expr(expr));
                self.locals.push(*local);
            }
            Stmt::Assign(local, expr) => {
                self.local(*local);
                self.expr(expr);
            }
            Stmt::Read(place, _) | Stmt::Write(place, _) => self.place(place),
            Stmt::Sum(part) | Stmt::Put(part) => {
                self.require(self.views.contains(&part.view));
                part.ends.iter().flat_map(|ends| ends.start.iter().chain(&ends.end)).for_each(|end| self.expr(end));
            }
            Stmt::If(cond, then, otherwise) => {
                self.cond(cond);
                self.stmts(then);
                self.stmts(otherwise);
            }
            Stmt::For { var, start, end, adaptors, body, inclusive: _ } => {
                self.expr(start);
                self.expr(end);
                for adaptor in adaptors {
                    if let Adaptor::StepBy(step) = adaptor {
                        self.expr(step);
                    }
                }
                self.locals.push(*var);
                self.stmts(body);
                self.locals.pop();
            }
            Stmt::While { cond, var, body, by: _ } => {
                self.cond(cond);
                self.local(*var);
                self.stmts(body);
            }
            Stmt::Match(value, arms) => {
                self.expr(value);
                arms.iter().for_each(|arm| self.stmts(arm));
            }
            Stmt::Assert(cond) => self.cond(cond),
            Stmt::Unsafe(body) | Stmt::Block(body) => self.stmts(body),
            Stmt::Continue | Stmt::Break => {}
        }
    }

    fn place(&mut self, place: &Place) {
        self.require(self.views.contains(&place.view));
        self.expr(&place.index);
    }

    fn local(&mut self, local: usize) {
        let name = self.program.locals[local].name;
        let means = self.locals.iter().rev().find(|other| self.program.locals[**other].name == name);
        self.require(means == Some(&local));
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lit(..) => {}
            Expr::Var(local) | Expr::ArrayLen(local) => self.local(*local),
            Expr::Value(value) => {
                let name = self.program.values[*value].0;
                let hidden = self.locals.iter().any(|local| self.program.locals[*local].name == name);
                self.require(self.values.contains(value) && !hidden);
            }
            Expr::Len(view) => self.require(self.views.contains(view)),
            Expr::Element(local, index) => {
                self.local(*local);
                self.expr(index);
            }
            Expr::Bin(_, _, a, b) | Expr::Shift { value: a, by: b, .. } => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Neg(_, a) | Expr::Cast(a, _) => self.expr(a),
            Expr::Call(_, _, args) => args.iter().for_each(|arg| self.expr(arg)),
            Expr::If(cond, a, b) => {
                self.cond(cond);
                self.expr(a);
                self.expr(b);
            }
            Expr::With(local, a, b) => {
                self.expr(a);
                self.locals.push(*local);
                self.expr(b);
                self.locals.pop();
            }
            Expr::Load(place) => self.place(place),
        }
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Compare(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.cond(a);
                self.cond(b);
            }
            Cond::Not(a) => self.cond(a),
            Cond::Var(local) => self.local(*local),
        }
    }
}
