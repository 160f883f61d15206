//! Whether the names of a program mean what its tree says.

use crate::kind::Child;
use crate::program::{Block, Dim, Expr, Host, Kind, Loop, Operation, Pass, Program, Reduction, Stmt, VarId};
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
                    Host::Let(value, init) | Host::Scratch(value, init) => {
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
                    Host::Reduction(reduction) => this.reduction(reduction),
                    Host::Pass(pass) => this.pass(pass),
                }
            }
        });
    }

    fn ranges(&mut self, dims: &mut [Dim]) {
        dims.iter_mut().flat_map(|dim| visit::of_range(&mut dim.range)).for_each(|end| self.node(end));
    }

    fn reduction(&mut self, Reduction { place, dims, value, operation }: &mut Reduction) {
        self.ranges(dims);
        self.within(dims.iter().map(|dim| dim.var).collect(), |this| this.block(value));
        if let Operation::Reduce { first, pair, value } = operation {
            self.expr(first);
            self.within(pair.to_vec(), |this| this.expr(value));
        }
        self.expr(place);
    }

    fn pass(&mut self, Pass { dim, scan, body, into }: &mut Pass) {
        self.ranges(std::slice::from_mut(dim));
        let mut vars = vec![dim.var];
        if let Some(scan) = scan {
            self.within(vec![scan.index], |this| this.block(&mut scan.value));
            vars.push(scan.sum);
        }
        self.within(vars, |this| {
            this.block(body);
            this.expr(into);
        });
    }

    fn par(&mut self, par_loop: &mut Loop) {
        self.ranges(&mut par_loop.dims);
        self.within(par_loop.dims.iter().map(|dim| dim.var).collect(), |this| this.block(&mut par_loop.body));
    }

    fn block(&mut self, block: &mut Block) {
        self.within(Vec::new(), |this| {
            for stmt in &mut block.stmts {
                match stmt {
                    Stmt::Let { pattern, init, otherwise, ty: _ } => {
                        init.iter_mut().for_each(|init| this.expr(init));
                        otherwise.iter_mut().for_each(|block| this.block(block));
                        this.known.extend(pattern.vars());
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
        if let Kind::Var(var) = expr.kind {
            self.used(var);
        }
        for Child { node, declares } in expr.shape().children {
            self.within(declares, |this| this.node(node));
        }
    }
}
