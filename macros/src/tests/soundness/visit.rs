//! One walk over a program, for whoever changes it.

use super::program::{Adaptor, Cond, Expr, Host, Part, Place, Program, Stmt};

/// Something in a program.
pub(super) enum Node<'a> {
    Hosts(&'a mut Vec<Host>),
    Stmts(&'a mut Vec<Stmt>),
    Expr(&'a mut Expr),
    Cond(&'a mut Cond),
    /// The number of a loop.
    Loop(&'a mut usize),
    /// An element or a part of a view.
    Place {
        id: &'a mut usize,
        view: &'a mut usize,
    },
}

type Visitor<'f> = dyn FnMut(Node<'_>) + 'f;

impl Program {
    /// Visits everything, outside in, in the order of the text.
    pub(super) fn visit(&mut self, f: &mut Visitor<'_>) {
        hosts(&mut self.host, f);
    }

    /// Whether two views that are used may have elements in common. Names then say nothing: that is for rustc to see.
    pub(super) fn is_aliased(&self) -> bool {
        // What each view is a half of, and of which split.
        let mut halves: Vec<Option<(usize, usize)>> = vec![None; self.views.len()];
        let mut used = Vec::new();
        self.clone().visit(&mut |node| match node {
            Node::Hosts(hosts) => {
                for host in hosts {
                    if let Host::Split { view, low, high, .. } = host {
                        (halves[*low], halves[*high]) = (Some((*view, *low)), Some((*view, *low)));
                    }
                }
            }
            Node::Place { view, .. } => used.push(*view),
            Node::Stmts(_) | Node::Expr(_) | Node::Cond(_) | Node::Loop(_) => {}
        });
        used.sort_unstable();
        used.dedup();
        // A view, what it is a half of, and so on up to the buffer.
        let around = |view: usize| std::iter::successors(Some(view), |view| halves[*view].map(|(whole, _)| whole));
        let root = |view: usize| around(view).last();
        let apart = |a: usize, b: usize| {
            let split = |view: usize| around(view).map(|view| (view, halves[view]));
            split(a).any(|(one, of)| of.is_some() && split(b).any(|(other, same)| one != other && of == same))
        };
        let mut pairs = used.iter().flat_map(|a| used.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b);
        pairs.any(|(a, b)| root(a) == root(b) && !apart(a, b))
    }

    /// Numbers loops and places anew.
    pub(super) fn renumber(&mut self) {
        let (mut loops, mut places) = (0, 0);
        let next = |number: &mut usize, count: &mut usize| {
            *number = *count;
            *count += 1;
        };
        self.visit(&mut |node| match node {
            Node::Loop(number) => next(number, &mut loops),
            Node::Place { id, .. } => next(id, &mut places),
            Node::Hosts(_) | Node::Stmts(_) | Node::Expr(_) | Node::Cond(_) => {}
        });
    }
}

fn hosts(list: &mut Vec<Host>, f: &mut Visitor<'_>) {
    f(Node::Hosts(list));
    for host in list {
        match host {
            Host::Loop(looped) => {
                f(Node::Loop(&mut looped.number));
                for dim in &mut looped.dims {
                    expr(&mut dim.start, f);
                    expr(&mut dim.end, f);
                    dim.step.iter_mut().for_each(|step| expr(step, f));
                }
                stmts(&mut looped.body, f);
            }
            Host::Let(_, value) => expr(value, f),
            Host::Split { at, .. } => expr(at, f),
            Host::For(_, _, body) => hosts(body, f),
            Host::If(condition, body) => {
                cond(condition, f);
                hosts(body, f);
            }
            Host::Groups(groups) => groups.iter_mut().for_each(|group| hosts(group, f)),
        }
    }
}

fn stmts(list: &mut Vec<Stmt>, f: &mut Visitor<'_>) {
    f(Node::Stmts(list));
    for stmt in list {
        match stmt {
            Stmt::Let(_, value) | Stmt::Assign(_, value) => expr(value, f),
            Stmt::Tuple(parts) => parts.iter_mut().for_each(|(_, value)| expr(value, f)),
            Stmt::Bool(_, condition) | Stmt::Assert(condition) => cond(condition, f),
            Stmt::Array(_, values) => values.iter_mut().for_each(|value| expr(value, f)),
            Stmt::Read(place, _) | Stmt::Write(place, _) => self::place(place, f),
            Stmt::Sum(part) | Stmt::Put(part) => self::part(part, f),
            Stmt::If(condition, then, otherwise) => {
                cond(condition, f);
                stmts(then, f);
                stmts(otherwise, f);
            }
            Stmt::For { start, end, adaptors, body, .. } => {
                expr(start, f);
                expr(end, f);
                for adaptor in adaptors {
                    if let Adaptor::StepBy(step) = adaptor {
                        expr(step, f);
                    }
                }
                stmts(body, f);
            }
            Stmt::While { cond: condition, body, .. } => {
                cond(condition, f);
                stmts(body, f);
            }
            Stmt::Match(value, arms) => {
                expr(value, f);
                arms.iter_mut().for_each(|arm| stmts(arm, f));
            }
            Stmt::Unsafe(body) | Stmt::Block(body) => stmts(body, f),
            Stmt::Continue | Stmt::Break => {}
        }
    }
}

fn place(place: &mut Place, f: &mut Visitor<'_>) {
    f(Node::Place { id: &mut place.id, view: &mut place.view });
    expr(&mut place.index, f);
}

fn part(part: &mut Part, f: &mut Visitor<'_>) {
    f(Node::Place { id: &mut part.id, view: &mut part.view });
    let ends = part.ends.iter_mut().flat_map(|ends| ends.start.iter_mut().chain(&mut ends.end));
    ends.for_each(|end| expr(end, f));
}

fn expr(value: &mut Expr, f: &mut Visitor<'_>) {
    f(Node::Expr(value));
    match value {
        Expr::Lit(..) | Expr::Var(_) | Expr::Value(_) | Expr::Len(_) | Expr::ArrayLen(_) => {}
        Expr::Element(_, a) | Expr::Neg(_, a) | Expr::Cast(a, _) => expr(a, f),
        Expr::Bin(_, _, a, b) | Expr::With(_, a, b) | Expr::Shift { value: a, by: b, .. } => {
            expr(a, f);
            expr(b, f);
        }
        Expr::Call(_, _, args) => args.iter_mut().for_each(|arg| expr(arg, f)),
        Expr::If(condition, a, b) => {
            cond(condition, f);
            expr(a, f);
            expr(b, f);
        }
        Expr::Load(place) => self::place(place, f),
    }
}

fn cond(condition: &mut Cond, f: &mut Visitor<'_>) {
    f(Node::Cond(condition));
    match condition {
        Cond::Compare(_, a, b) => {
            expr(a, f);
            expr(b, f);
        }
        Cond::And(a, b) | Cond::Or(a, b) => {
            cond(a, f);
            cond(b, f);
        }
        Cond::Not(a) => cond(a, f),
        Cond::Var(_) => {}
    }
}
