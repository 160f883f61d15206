//! One walk over a program, for whoever looks at it or changes it.

use crate::program::{
    Adaptor, Block, Callee, Expr, Host, Kind, Loop, Operation, Pass, Pattern, Program, Range, Reduction, Stmt, VarId,
};
use crate::types::{Scalar, Ty};

/// Something in a program.
pub enum Node<'a> {
    Hosts(&'a mut Vec<Host>),
    Loop(&'a mut Loop),
    Block(&'a mut Block),
    /// A value.
    Expr(&'a mut Expr),
    /// What is assigned or borrowed, or whose length is taken.
    Place(&'a mut Expr),
    /// With all that is in it.
    Pattern(&'a mut Pattern),
}

type Visitor<'f> = dyn FnMut(Node<'_>) + 'f;

/// Calls `f` with every node of a program, outside in, in the order of the text: first the
/// functions, then the kernel.
pub fn all(program: &mut Program, f: &mut Visitor<'_>) {
    program.functions.iter_mut().for_each(|function| deep(Node::Block(&mut function.body), f));
    deep(Node::Hosts(&mut program.host), f);
}

/// The same where nothing is changed.
pub fn look(program: &Program, f: &mut Visitor<'_>) {
    all(&mut program.clone(), f);
}

/// Calls `f` with a node and every node below, outside in.
pub fn deep(node: Node<'_>, f: &mut Visitor<'_>) {
    match node {
        Node::Hosts(hosts) => {
            f(Node::Hosts(hosts));
            hosts.iter_mut().for_each(|host| of_host(host, &mut |child| deep(child, f)));
        }
        Node::Loop(par_loop) => {
            f(Node::Loop(par_loop));
            par_loop.dims.iter_mut().flat_map(|dim| of_range(&mut dim.range)).for_each(|child| deep(child, f));
            deep(Node::Block(&mut par_loop.body), f);
        }
        Node::Block(block) => {
            f(Node::Block(block));
            of_block(block, &mut |child| deep(child, f));
        }
        Node::Expr(expr) => {
            f(Node::Expr(expr));
            of_expr(expr, &mut |child| deep(child, f));
        }
        Node::Place(place) => {
            f(Node::Place(place));
            of_expr(place, &mut |child| deep(child, f));
        }
        Node::Pattern(pattern) => f(Node::Pattern(pattern)),
    }
}

fn of_host(host: &mut Host, f: &mut Visitor<'_>) {
    match host {
        Host::Loop(par_loop) => f(Node::Loop(par_loop)),
        Host::Let(_, value) => f(Node::Expr(value)),
        Host::Split { at, .. } | Host::Scratch(_, at) => f(Node::Expr(at)),
        Host::For(_, _, body) => f(Node::Hosts(body)),
        Host::If(cond, body) => {
            f(Node::Expr(cond));
            f(Node::Hosts(body));
        }
        Host::Groups(groups) => groups.iter_mut().for_each(|group| f(Node::Hosts(group))),
        Host::Reduction(reduction) => {
            let Reduction { place, dims, value, operation } = &mut **reduction;
            dims.iter_mut().flat_map(|dim| of_range(&mut dim.range)).for_each(&mut *f);
            f(Node::Block(value));
            if let Operation::Reduce { first, value, pair: _ } = operation {
                f(Node::Expr(first));
                f(Node::Expr(value));
            }
            f(Node::Place(place));
        }
        Host::Pass(pass) => {
            let Pass { dim, scan, body, into } = &mut **pass;
            of_range(&mut dim.range).for_each(&mut *f);
            scan.iter_mut().for_each(|scan| f(Node::Block(&mut scan.value)));
            f(Node::Block(body));
            f(Node::Place(into));
        }
    }
}

/// What a range is made of.
pub fn of_range(range: &mut Range) -> impl Iterator<Item = Node<'_>> {
    let Range { start, end, adaptors, inclusive: _ } = range;
    let steps = adaptors.iter_mut().filter_map(|adaptor| match adaptor {
        Adaptor::StepBy(step) => Some(Node::Expr(step)),
        Adaptor::Rev => None,
    });
    [Node::Expr(start), Node::Expr(end)].into_iter().chain(steps)
}

/// The children of an expression, in the order of the text.
pub fn of_expr(expr: &mut Expr, f: &mut Visitor<'_>) {
    expr.shape().children.into_iter().for_each(|child| f(child.node));
}

fn of_block(block: &mut Block, f: &mut Visitor<'_>) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let { pattern, init, otherwise, .. } => {
                f(Node::Pattern(pattern));
                init.iter_mut().for_each(|init| f(Node::Expr(init)));
                otherwise.iter_mut().for_each(|block| f(Node::Block(block)));
            }
            Stmt::Expr(expr) | Stmt::Const(_, expr) | Stmt::Observe(expr) => f(Node::Expr(expr)),
        }
    }
    block.value.iter_mut().for_each(|value| f(Node::Expr(value)));
}

impl Program {
    /// Numbers the loops anew.
    pub fn renumber(&mut self) {
        let mut loops = 0;
        all(self, &mut |node| {
            if let Node::Loop(par_loop) = node {
                par_loop.number = loops;
                loops += 1;
            }
        });
    }

    /// Every `par` loop, in the order of the text.
    pub fn loops(&self) -> Vec<&Loop> {
        fn collect<'p>(hosts: &'p [Host], all: &mut Vec<&'p Loop>) {
            for host in hosts {
                match host {
                    Host::Loop(par_loop) => all.push(par_loop),
                    Host::For(_, _, body) | Host::If(_, body) => collect(body, all),
                    Host::Groups(groups) => groups.iter().for_each(|group| collect(group, all)),
                    Host::Let(..) | Host::Scratch(..) | Host::Split { .. } | Host::Reduction(_) | Host::Pass(_) => {}
                }
            }
        }
        let mut all = Vec::new();
        collect(&self.host, &mut all);
        all
    }

    /// Numbers of the host part: parameters, and what is bound there.
    pub fn host_values(&self) -> Vec<VarId> {
        let mut bound: Vec<VarId> = self.values().collect();
        look(self, &mut |node| {
            if let Node::Hosts(hosts) = node {
                bound.extend(hosts.iter().filter_map(|host| match host {
                    Host::Let(value, _) | Host::For(value, ..) => Some(*value),
                    _ => None,
                }));
            }
        });
        bound
    }

    /// Every literal of an index, with its type.
    pub fn literals(&self) -> Vec<(i128, Scalar)> {
        let mut found = Vec::new();
        look(self, &mut |node| {
            if let Node::Expr(expr) = node
                && let Some(value) = expr.literal()
            {
                found.push((value, expr.scalar()));
            }
        });
        found
    }

    /// Whether a function is called.
    pub fn calls(&self, function: usize) -> bool {
        let mut called = false;
        look(self, &mut |node| {
            if let Node::Expr(Expr { kind: Kind::Call { callee: Callee::Own(at), .. }, .. }) = node {
                called |= *at == function;
            }
        });
        called
    }

    /// Whether two views that are used may have elements in common. Names then say nothing: that is
    /// for rustc to see.
    pub fn is_aliased(&self) -> bool {
        // What each view is a half of, and of which split.
        let mut halves: Vec<Option<(VarId, VarId)>> = vec![None; self.vars.len()];
        let mut used = Vec::new();
        look(self, &mut |node| match node {
            Node::Hosts(hosts) => {
                for host in hosts {
                    if let Host::Split { view, low, high, .. } = host {
                        (halves[low.0], halves[high.0]) = (Some((*view, *low)), Some((*view, *low)));
                    }
                }
            }
            Node::Expr(Expr { kind: Kind::Index(place, _) | Kind::Borrow { place, .. }, .. })
            | Node::Place(Expr { kind: Kind::Index(place, _), .. }) => {
                used.extend(place.root().filter(|var| matches!(self.ty(*var), Ty::Slice(_))));
            }
            _ => {}
        });
        used.sort_unstable();
        used.dedup();
        // A view, what it is a half of, and so on up to the buffer.
        let around = |view: VarId| std::iter::successors(Some(view), |view| halves[view.0].map(|(whole, _)| whole));
        let root = |view: VarId| around(view).last();
        let apart = |a: VarId, b: VarId| {
            let split = |view: VarId| around(view).map(|view| (view, halves[view.0]));
            split(a).any(|(one, of)| of.is_some() && split(b).any(|(other, same)| one != other && of == same))
        };
        let mut pairs = used.iter().flat_map(|a| used.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b);
        pairs.any(|(a, b)| root(a) == root(b) && !apart(a, b))
    }
}
