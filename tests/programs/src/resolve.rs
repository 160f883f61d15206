//! Whether the names of a program mean what its tree says.

use crate::program::{Block, Expr, Host, Kind, Loop, Pattern, Program, Stmt, VarId};
use crate::visit::{self, Node};

/// Whether every variable is one that the text, too, has there.
pub fn is_sound(program: &Program) -> bool {
    let mut scope = Scope { program, known: Vec::new(), good: true };
    let Program { functions, host, params, .. } = &mut program.clone();
    for function in functions {
        scope.within(function.params.iter().map(|param| param.var).collect(), |this| this.block(&mut function.body));
    }
    scope.within(params.clone(), |this| this.hosts(host));
    scope.good
}

struct Scope<'p> {
    program: &'p Program,
    /// What can be named here, innermost last.
    known: Vec<VarId>,
    good: bool,
}

impl Scope<'_> {
    /// With some variables, and those that are bound there.
    fn within(&mut self, vars: Vec<VarId>, walk: impl FnOnce(&mut Self)) {
        let before = self.known.len();
        self.known.extend(vars);
        walk(self);
        self.known.truncate(before);
    }

    fn used(&mut self, var: VarId) {
        let name = self.program.name(var);
        let meant = self.known.iter().rev().find(|other| self.program.name(**other) == name);
        self.good &= meant == Some(&var);
    }

    fn hosts(&mut self, hosts: &mut [Host]) {
        self.within(Vec::new(), |this| {
            for host in hosts {
                match host {
                    Host::Loop(par_loop) => this.par(par_loop),
                    Host::Let(value, init) => {
                        this.expr(init);
                        this.known.push(*value);
                    }
                    Host::Split { view, at, low, high, mutable: _ } => {
                        this.used(*view);
                        this.expr(at);
                        this.known.extend([*low, *high]);
                    }
                    Host::For(value, _, body) => this.within(vec![*value], |this| this.hosts(body)),
                    Host::If(cond, body) => {
                        this.expr(cond);
                        this.hosts(body);
                    }
                    Host::Groups(groups) => groups.iter_mut().for_each(|group| this.hosts(group)),
                }
            }
        });
    }

    fn par(&mut self, par_loop: &mut Loop) {
        par_loop.dims.iter_mut().for_each(|dim| visit::of_range(&mut dim.range, &mut |end| self.node(end)));
        self.within(par_loop.dims.iter().map(|dim| dim.var).collect(), |this| this.block(&mut par_loop.body));
    }

    fn block(&mut self, block: &mut Block) {
        self.within(Vec::new(), |this| {
            for stmt in &mut block.stmts {
                match stmt {
                    Stmt::Let { pattern, init, otherwise, ty: _ } => {
                        init.iter_mut().for_each(|init| this.expr(init));
                        otherwise.iter_mut().for_each(|block| this.block(block));
                        bound(pattern, &mut this.known);
                    }
                    Stmt::Const(var, value) => {
                        this.expr(value);
                        this.known.push(*var);
                    }
                    Stmt::Expr(expr) | Stmt::Observe(expr) => this.expr(expr),
                }
            }
            block.value.iter_mut().for_each(|value| this.expr(value));
        });
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Expr(expr) | Node::Place(expr) => self.expr(expr),
            Node::Block(block) => self.block(block),
            Node::Hosts(_) | Node::Loop(_) | Node::Pattern(_) => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let of = |pattern: &Pattern| {
            let mut vars = Vec::new();
            bound(pattern, &mut vars);
            vars
        };
        match &mut expr.kind {
            Kind::Var(var) => self.used(*var),
            Kind::IfLet { pattern, scrutinee, then, otherwise } => {
                self.expr(scrutinee);
                self.within(of(pattern), |this| this.block(then));
                otherwise.iter_mut().for_each(|block| self.block(block));
            }
            Kind::WhileLet { pattern, scrutinee, body, label: _ } => {
                self.expr(scrutinee);
                self.within(of(pattern), |this| this.block(body));
            }
            Kind::Match { scrutinee, arms } => {
                self.expr(scrutinee);
                for arm in arms {
                    self.within(of(&arm.pattern), |this| {
                        arm.guard.iter_mut().for_each(|guard| this.expr(guard));
                        this.expr(&mut arm.body);
                    });
                }
            }
            Kind::For { var, range, body, label: _ } => {
                visit::of_range(range, &mut |end| self.node(end));
                self.within(vec![*var], |this| this.block(body));
            }
            _ => visit::of_expr(expr, &mut |child| self.node(child)),
        }
    }
}

/// The variables of a pattern.
fn bound(pattern: &Pattern, vars: &mut Vec<VarId>) {
    match pattern {
        Pattern::Wild | Pattern::Value(_) | Pattern::Range { .. } => {}
        Pattern::Bind { var, inner } => {
            vars.push(*var);
            inner.iter().for_each(|inner| bound(inner, vars));
        }
        Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
            parts.iter().for_each(|part| bound(part, vars));
        }
    }
}
