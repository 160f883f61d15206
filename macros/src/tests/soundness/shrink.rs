//! Makes a failing program smaller, as long as it fails.

use super::dress::Spelling;
use super::program::{Cond, Expr, Host, Numbers, Program, Stmt, Ty};
use super::visit::Node;
use super::{campaign, print, resolve};

/// Programs that are tried.
const MOST_TRIED: usize = 2_000;

/// The text of the smallest program that was found, with its numbers and what is wrong.
pub(super) fn smallest(program: &Program, spelling: &Spelling, numbers: &Numbers) -> String {
    let mut best = (program.clone(), numbers.clone());
    let mut tried = 0;
    while tried < MOST_TRIED {
        let better = changes(&best.0)
            .map(|smaller| (smaller, best.1.clone()))
            .chain(fewer(&best.1).map(|numbers| (best.0.clone(), numbers)))
            .find(|(program, numbers)| {
                tried += 1;
                tried < MOST_TRIED
                    && resolve::is_sound(program)
                    && campaign::wrong(program, spelling, numbers).is_some()
            });
        match better {
            Some(better) => best = better,
            None => break,
        }
    }
    let (program, numbers) = best;
    let values: Vec<String> = program.values[..program.params]
        .iter()
        .zip(&numbers.values)
        .map(|((name, _), n)| format!("{name} = {n}"))
        .collect();
    let lens: Vec<String> = program.views[..program.buffers]
        .iter()
        .zip(&numbers.lens)
        .map(|(name, n)| format!("{name}.len() = {n}"))
        .collect();
    let wrong = campaign::wrong(&program, spelling, &numbers).unwrap_or_default();
    let print::Text { source, dress, .. } = print::dressed(&program, "k", spelling.dress(&program));
    format!("{wrong}\n{}{source}with {}", dress.around, [values, lens].concat().join(", "))
}

/// Smaller numbers.
fn fewer(numbers: &Numbers) -> impl Iterator<Item = Numbers> {
    let values = (0..numbers.values.len()).flat_map(move |at| {
        let now = numbers.values[at];
        [0, 1, now / 2, now - now.signum()].into_iter().filter(move |new| new.abs() < now.abs()).map(move |new| {
            let mut fewer = numbers.clone();
            fewer.values[at] = new;
            fewer
        })
    });
    let lens = (0..numbers.lens.len()).flat_map(move |at| {
        let now = numbers.lens[at];
        [0, now / 2, now.saturating_sub(1)].into_iter().filter(move |new| *new < now).map(move |new| {
            let mut fewer = numbers.clone();
            fewer.lens[at] = new;
            fewer
        })
    });
    values.chain(lens)
}

/// Programs with one thing less.
fn changes(program: &Program) -> impl Iterator<Item = Program> {
    let mut count = 0;
    program.clone().visit(&mut |_| count += 1);
    (0..count).flat_map(move |at| (0..WAYS).map(move |way| (at, way))).filter_map(|(at, way)| change(program, at, way))
}

/// Ways in which one node can be changed.
const WAYS: usize = 14;

fn change(program: &Program, at: usize, way: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let (mut here, mut changed) = (0, false);
    smaller.visit(&mut |node| {
        if here == at && !changed {
            changed = match node {
                Node::Hosts(hosts) => change_hosts(hosts, way),
                Node::Stmts(stmts) => change_stmts(stmts, way),
                Node::Expr(expr) => change_expr(program, expr, way),
                Node::Cond(cond) => change_cond(cond, way),
                Node::Loop(_) | Node::Place { .. } => false,
            };
        }
        here += 1;
    });
    if changed {
        smaller.renumber();
    }
    changed.then_some(smaller)
}

fn change_hosts(hosts: &mut Vec<Host>, way: usize) -> bool {
    let (at, unwrap) = (way / 2, way % 2 == 1);
    if at >= hosts.len() {
        return false;
    }
    if !unwrap {
        hosts.remove(at);
        return true;
    }
    let inside = match &mut hosts[at] {
        Host::For(_, _, body) | Host::If(_, body) => std::mem::take(body),
        Host::Groups(groups) if groups.len() > 2 => {
            groups.pop();
            return true;
        }
        Host::Groups(groups) => groups.concat(),
        Host::Loop(looped) => {
            let plain = looped.dims.iter().all(|dim| dim.step.is_none()) && looped.block.is_none();
            looped.dims.iter_mut().for_each(|dim| dim.step = None);
            looped.block = None;
            return !plain;
        }
        Host::Let(..) | Host::Split { .. } => return false,
    };
    hosts.splice(at..=at, inside);
    true
}

fn change_stmts(stmts: &mut Vec<Stmt>, way: usize) -> bool {
    let (at, unwrap) = (way / 2, way % 2 == 1);
    if at >= stmts.len() {
        return false;
    }
    if !unwrap {
        stmts.remove(at);
        return true;
    }
    let inside = match &mut stmts[at] {
        Stmt::If(_, then, otherwise) if otherwise.is_empty() => std::mem::take(then),
        Stmt::If(_, _, otherwise) => {
            otherwise.clear();
            return true;
        }
        Stmt::For { adaptors, body, .. } if adaptors.is_empty() => std::mem::take(body),
        Stmt::For { adaptors, .. } => {
            adaptors.pop();
            return true;
        }
        Stmt::Sum(part) | Stmt::Put(part) => return part.ends.pop().is_some(),
        Stmt::While { body, .. } | Stmt::Unsafe(body) | Stmt::Block(body) => std::mem::take(body),
        Stmt::Match(_, arms) => arms.pop().unwrap_or_default(),
        _ => return false,
    };
    stmts.splice(at..=at, inside);
    true
}

fn change_expr(program: &Program, expr: &mut Expr, way: usize) -> bool {
    let ty = expr.ty(program);
    let smaller = match (way, &*expr) {
        (0, Expr::Lit(0, _)) => return false,
        (0, _) => Expr::Lit(0, ty),
        (1, Expr::Lit(..=1, _)) => return false,
        (1, _) => Expr::Lit(1, ty),
        (2, Expr::Lit(value, ty)) if value.abs() > 2 => Expr::Lit(value / 2, *ty),
        (3, Expr::Lit(value, ty)) if value.abs() > 2 => Expr::Lit(value - value.signum(), *ty),
        (2.., Expr::Bin(_, _, a, b)) => {
            [a, b].get(way - 2).map(|part| (***part).clone()).unwrap_or(Expr::Lit(0, Ty::U8))
        }
        (2, Expr::Shift { value, .. } | Expr::Neg(_, value)) => (**value).clone(),
        (2, Expr::Cast(value, ty)) => match &**value {
            // Two casts as one.
            Expr::Cast(inner, _) => Expr::Cast(inner.clone(), *ty),
            inner if inner.ty(program) == *ty => inner.clone(),
            _ => return false,
        },
        (2.., Expr::Call(_, _, args)) => args.get(way - 2).cloned().unwrap_or(Expr::Lit(0, Ty::U8)),
        (2, Expr::If(_, a, _)) => (**a).clone(),
        (3, Expr::If(_, _, b)) | (2, Expr::With(_, _, b)) => (**b).clone(),
        _ => return false,
    };
    let same = smaller.ty(program) == ty;
    if same {
        *expr = smaller;
    }
    same
}

fn change_cond(cond: &mut Cond, way: usize) -> bool {
    let smaller = match (way, &*cond) {
        (0, Cond::And(a, _) | Cond::Or(a, _) | Cond::Not(a)) => (**a).clone(),
        (1, Cond::And(_, b) | Cond::Or(_, b)) => (**b).clone(),
        _ => return false,
    };
    *cond = smaller;
    true
}
