//! Makes a program smaller as long as it fails.
//!
//! Edits are tried many at a time, those that take away the most first, and all that keep the
//! failure are then made together: stretches of statements go, control flow gives way to what is in
//! it, expressions to their parts or to a zero, numbers to smaller ones. Where a name would mean
//! something else, an edit is not tried. What is no program for another reason is for the judge to
//! see.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::kind::Ending;
use crate::program::{Block, Callee, Expr, Host, Kind, Loop, Program, Reduction, Stmt, Style};
use crate::resolve;
use crate::types::Ty;
use crate::visit::{self, Node};

/// Who tells which programs still fail.
pub trait Judge {
    type Error;

    /// Programs that it gets at a time.
    const TOGETHER: usize;

    /// Which of these still fail in the same way; `None` where it has no more time.
    ///
    /// # Errors
    /// It cannot tell.
    fn fails(&mut self, programs: &[Program]) -> Result<Option<Vec<bool>>, Self::Error>;
}

/// The smallest failing program that was found.
///
/// # Errors
/// Those of the judge.
pub fn smallest<J: Judge>(mut program: Program, judge: &mut J) -> Result<Program, J::Error> {
    let mut tried: HashSet<u64> = HashSet::new();
    // What edits may take away at most: greater ones have failed on nearly the same program.
    let (mut most, mut progress) = (usize::MAX, false);
    loop {
        let whole = size(&program);
        let mut candidates: Vec<(usize, Edit, Program)> = edits(&program)
            .into_iter()
            .map(|edit| {
                let edited = with(&program, std::slice::from_ref(&edit));
                (whole.saturating_sub(size(&edited)), edit, edited)
            })
            .filter(|(gone, _, edited)| (1..=most).contains(gone) && resolve::is_sound(edited))
            .collect();
        candidates.sort_by_key(|(gone, ..)| std::cmp::Reverse(*gone));
        candidates.retain(|(.., edited)| !tried.contains(&fingerprint(edited)));
        candidates.truncate(J::TOGETHER);
        tried.extend(candidates.iter().map(|(.., edited)| fingerprint(edited)));
        if candidates.is_empty() {
            if !std::mem::take(&mut progress) {
                return Ok(program);
            }
            most = usize::MAX;
            continue;
        }
        most = candidates[0].0;
        let programs: Vec<Program> = candidates.iter().map(|(.., edited)| edited.clone()).collect();
        let Some(failing) = judge.fails(&programs)? else { return Ok(program) };
        let good = candidates.into_iter().zip(failing).filter(|(_, fails)| *fails);
        let mut good: Vec<(Edit, Program)> = good.map(|((_, edit, program), _)| (edit, program)).collect();
        if good.is_empty() {
            continue;
        }
        progress = true;
        // All of them, half of them, …, the best one, whichever still fails.
        let best = good[0].1.clone();
        let mut unions = Vec::new();
        while good.len() > 1 {
            unions.push(with(&program, &good.iter().map(|(edit, _)| edit.clone()).collect::<Vec<_>>()));
            good.truncate(good.len() / 2);
        }
        unions.retain(resolve::is_sound);
        let failing = if unions.is_empty() { None } else { judge.fails(&unions)? };
        let union = failing.and_then(|failing| failing.into_iter().position(|fails| fails));
        program = union.map_or(best, |at| unions.swap_remove(at));
    }
}

fn fingerprint(program: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    let Program { consts, functions, host, .. } = program;
    format!("{consts:?}{functions:?}{host:?}").hash(&mut hasher);
    hasher.finish()
}

/// Roughly what a reader has to read.
fn size(program: &Program) -> usize {
    let mut size = 0;
    visit::look(program, &mut |node| {
        size += match node {
            Node::Expr(expr) | Node::Place(expr) => match &expr.kind {
                Kind::Int { value, .. } => {
                    let far = value.unsigned_abs();
                    8 + far.min(8) as usize + (128 - far.leading_zeros()) as usize
                }
                Kind::Float { .. } | Kind::Bool(_) => 8,
                Kind::Var(_) => 16,
                Kind::For { range, .. } => 24 + 8 * range.adaptors.len(),
                Kind::Borrow { parts, .. } => 24 + 8 * parts.len(),
                _ => 24,
            },
            Node::Pattern(_) => 16,
            Node::Block(block) => 8 + 16 * block.stmts.len(),
            Node::Hosts(hosts) => 16 * hosts.len(),
            Node::Loop(Loop { dims, block, threads, .. }) => {
                let adaptors: usize = dims.iter().map(|dim| dim.range.adaptors.len()).sum();
                8 * (dims.len() + adaptors + block.iter().count()) + threads.iter().flatten().sum::<usize>()
            }
        };
    });
    size + 40 * program.functions.len() + 24 * program.consts.len()
}

/// A smaller program in one place.
#[derive(Clone)]
enum Edit {
    /// Something else for the node of this number.
    At(usize, Smaller),
    /// Without a function that nobody calls.
    Function(usize),
    Const(usize),
}

#[derive(Clone)]
enum Smaller {
    Hosts(Vec<Host>),
    Loop(Loop),
    Block(Block),
    Expr(Expr),
}

fn edits(program: &Program) -> Vec<Edit> {
    let (mut edits, mut at) = (Vec::new(), 0);
    visit::look(program, &mut |node| {
        let smaller: Vec<Smaller> = match node {
            // Its one loop is what the judge runs.
            Node::Hosts(_) if program.style == Style::Device && !program.loops().is_empty() => Vec::new(),
            Node::Loop(par_loop) if program.style == Style::Device => {
                of_blocks(program, par_loop).into_iter().map(Smaller::Loop).collect()
            }
            Node::Hosts(hosts) => of_hosts(hosts).into_iter().map(Smaller::Hosts).collect(),
            Node::Loop(par_loop) => of_loop(par_loop).into_iter().map(Smaller::Loop).collect(),
            Node::Block(block) => of_block(block).into_iter().map(Smaller::Block).collect(),
            Node::Expr(expr) => of_expr(expr).into_iter().map(Smaller::Expr).collect(),
            Node::Place(_) | Node::Pattern(_) => Vec::new(),
        };
        edits.extend(smaller.into_iter().map(|smaller| Edit::At(at, smaller)));
        at += 1;
    });
    edits.extend((0..program.functions.len()).map(Edit::Function));
    edits.extend((0..program.consts.len()).map(Edit::Const));
    edits
}

/// A program with edits; of those inside of each other the outer one counts.
fn with(program: &Program, edits: &[Edit]) -> Program {
    let mut program = program.clone();
    let mut edits: Vec<&Edit> = edits.iter().collect();
    let place = |edit: &Edit| match edit {
        Edit::At(at, _) => (1, *at),
        Edit::Function(at) | Edit::Const(at) => (0, *at),
    };
    // From behind, so that the numbers of the others stay.
    edits.sort_by_key(|edit| std::cmp::Reverse(place(edit)));
    for edit in edits {
        let mut count = 0;
        match edit {
            Edit::Function(at) => without_function(&mut program, *at),
            Edit::Const(at) => drop(program.consts.remove(*at)),
            Edit::At(at, smaller) => visit::all(&mut program, &mut |node| {
                match (node, smaller) {
                    _ if count != *at => {}
                    (Node::Hosts(hosts), Smaller::Hosts(by)) => hosts.clone_from(by),
                    (Node::Loop(par_loop), Smaller::Loop(by)) => par_loop.clone_from(by),
                    (Node::Block(block), Smaller::Block(by)) => block.clone_from(by),
                    (Node::Expr(expr), Smaller::Expr(by)) => expr.clone_from(by),
                    _ => {}
                }
                count += 1;
            }),
        }
    }
    program.renumber();
    program
}

fn without_function(program: &mut Program, at: usize) {
    if program.calls(at) {
        return;
    }
    program.functions.remove(at);
    visit::all(program, &mut |node| {
        if let Node::Expr(Expr { kind: Kind::Call { callee: Callee::Own(function), .. }, .. }) = node {
            *function -= usize::from(*function > at);
        }
    });
}

/// The host part without one of its statements, or with what is in it.
fn of_hosts(hosts: &[Host]) -> Vec<Vec<Host>> {
    let mut smaller = Vec::new();
    for (at, host) in hosts.iter().enumerate() {
        let instead = match host {
            Host::For(_, _, body) | Host::If(_, body) => vec![body.clone()],
            Host::Groups(groups) if groups.len() > 2 => {
                let without = |left_out: usize| groups.iter().enumerate().filter(move |(at, _)| *at != left_out);
                let groups = (0..groups.len()).map(|at| without(at).map(|(_, group)| group.clone()).collect());
                groups.map(|groups| vec![Host::Groups(groups)]).collect()
            }
            Host::Groups(groups) => vec![groups.concat()],
            Host::Reduction(reduction) => of_reduction(reduction).into_iter().map(|smaller| vec![smaller]).collect(),
            Host::Pass(_) | Host::Loop(_) | Host::Let(..) | Host::Scratch(..) | Host::Split { .. } => Vec::new(),
        };
        for instead in std::iter::once(Vec::new()).chain(instead) {
            let mut hosts = hosts.to_vec();
            hosts.splice(at..=at, instead);
            smaller.push(hosts);
        }
    }
    smaller
}

/// A reduction over fewer ranges.
fn of_reduction(reduction: &Reduction) -> Vec<Host> {
    let several = reduction.dims.len() > 1;
    let fewer = (0..reduction.dims.len()).filter(|_| several).map(|at| {
        let mut fewer = reduction.clone();
        fewer.dims.remove(at);
        Host::Reduction(Box::new(fewer))
    });
    fewer.collect()
}

/// A loop over fewer ranges, or over simpler ones.
fn of_loop(par_loop: &Loop) -> Vec<Loop> {
    let mut smaller: Vec<Loop> = Vec::new();
    for at in 0..par_loop.dims.len() {
        let mut simple = par_loop.clone();
        simple.dims[at].range.adaptors.clear();
        smaller.push(simple);
        if par_loop.dims.len() > 1 {
            let mut fewer = par_loop.clone();
            fewer.dims.remove(at);
            smaller.push(fewer);
        }
    }
    smaller.push(Loop { block: None, ..par_loop.clone() });
    smaller
}

/// A loop over blocks with fewer of them, or of their threads. The launch gives the first range.
fn of_blocks(program: &Program, blocks: &Loop) -> Vec<Loop> {
    let mut smaller = Vec::new();
    let Some(threads) = &blocks.threads else { return smaller };
    for at in (0..blocks.dims.len()).filter(|at| program.name(blocks.dims[*at].var) != "i") {
        let mut fewer = blocks.clone();
        fewer.dims.remove(at);
        smaller.push(fewer);
    }
    for at in 0..threads.len() {
        for fewer in [1, 2, threads[at] / 2, threads[at].saturating_sub(1)] {
            let mut shape = threads.clone();
            shape[at] = fewer.max(1);
            smaller.push(Loop { threads: Some(shape), ..blocks.clone() });
        }
    }
    smaller
}

/// The block without stretches of its statements.
fn of_block(block: &Block) -> Vec<Block> {
    let mut smaller = Vec::new();
    let mut length = block.stmts.len();
    while length > 0 {
        for start in (0..block.stmts.len()).step_by(length) {
            let mut block = block.clone();
            block.stmts.drain(start..(start + length).min(block.stmts.len()));
            smaller.push(block);
        }
        length /= 2;
    }
    // What is in a nested block can stand where it stood.
    for (at, stmt) in block.stmts.iter().enumerate() {
        if let Stmt::Expr(Expr { kind: Kind::Block { label: None, block: Block { stmts, value: None } }, .. }) = stmt {
            let mut block = block.clone();
            block.stmts.splice(at..=at, stmts.iter().cloned());
            smaller.push(block);
        }
    }
    smaller
}

/// What can stand for an expression.
fn of_expr(expr: &Expr) -> Vec<Expr> {
    let mut smaller = Vec::new();
    let same = |kind: Kind| Expr::new(expr.ty.clone(), kind);
    match &expr.kind {
        Kind::Int { value, suffix } => {
            let numbers = [0, 1, value / 2, value.saturating_sub(value.signum())];
            return numbers.map(|value| same(Kind::Int { value, suffix: *suffix })).into();
        }
        Kind::Float { .. } | Kind::Bool(_) | Kind::Var(_) | Kind::Seen | Kind::Continue(_) => return smaller,
        Kind::Block { block, .. } if block.stmts.is_empty() => {
            smaller.extend(block.value.as_deref().cloned());
        }
        Kind::If { .. } => {
            let mut without = expr.clone();
            if let Kind::If { otherwise, .. } = &mut without.kind
                && expr.ty == Ty::unit()
            {
                *otherwise = None;
                smaller.push(without);
            }
        }
        Kind::For { label, var, range, body } => {
            for at in 0..range.adaptors.len() {
                let (label, mut range, body) = (label.clone(), range.clone(), body.clone());
                range.adaptors.remove(at);
                smaller.push(same(Kind::For { label, var: *var, range, body }));
            }
        }
        Kind::Match { scrutinee, arms } => {
            for at in 0..arms.len() {
                let mut arms = arms.clone();
                arms.remove(at);
                smaller.push(same(Kind::Match { scrutinee: scrutinee.clone(), arms }));
            }
            for at in (0..arms.len()).filter(|&at| arms[at].guard.is_some()) {
                let mut arms = arms.clone();
                arms[at].guard = None;
                smaller.push(same(Kind::Match { scrutinee: scrutinee.clone(), arms }));
            }
        }
        Kind::Borrow { mutable, place, parts } => {
            if let Some((_, fewer)) = parts.split_last() {
                smaller.push(same(Kind::Borrow { mutable: *mutable, place: place.clone(), parts: fewer.to_vec() }));
            }
            return smaller;
        }
        // A value of its own for each thread has another spelling.
        Kind::Collective { op, .. } if op.is_scan() => {
            return vec![same(Kind::Each(Box::new(Expr::zero(&expr.ty))))];
        }
        // A side may bind, and be no value elsewhere.
        Kind::And(a, b) if expr.has_let() => smaller.extend([(**a).clone(), (**b).clone()]),
        Kind::Chain(over, links) => {
            for (at, link) in links.iter().enumerate() {
                if ["filter", "take_while", "skip_while", "inspect", "rev", "skip"].contains(&link.name) {
                    let mut links = links.clone();
                    links.remove(at);
                    smaller.push(same(Kind::Chain(over.clone(), links)));
                }
            }
        }
        // Only a `let` has them.
        Kind::Shared(_) | Kind::Each(_) => return smaller,
        // All threads instead of a range.
        Kind::Phase { label, vars, ranges: Some(_), body } => {
            if vars.len() == 1 {
                let (label, vars, body) = (label.clone(), vars.clone(), body.clone());
                smaller.push(same(Kind::Phase { label, vars, ranges: None, body }));
            }
            return smaller;
        }
        Kind::Phase { .. } => return smaller,
        // Two casts as one.
        Kind::Cast(inner) => {
            if let Kind::Cast(inner) = &inner.kind {
                smaller.push(same(Kind::Cast(inner.clone())));
            }
        }
        _ => {}
    }
    // What is in control flow, without what is around it.
    let mut whole = expr.clone();
    let shape = whole.shape();
    if shape.form != Ending::Plain && !matches!(expr.kind, Kind::Block { .. }) {
        smaller.extend(shape.children.into_iter().filter_map(|child| match child.node {
            Node::Block(block) => Some(Expr::block(expr.ty.clone(), std::mem::take(block))),
            _ => None,
        }));
    }
    if expr.ty == Ty::Never {
        return smaller;
    }
    if !matches!(expr.ty, Ty::Slice(_) | Ty::Grid(..)) && expr.ty != Ty::unit() {
        smaller.push(Expr::zero(&expr.ty));
        smaller.extend(expr.ty.scalar().filter(|scalar| scalar.is_int()).map(|scalar| Expr::int(1, scalar)));
    }
    // Parts of the same type, wherever they are.
    visit::of_expr(&mut expr.clone(), &mut |child| match child {
        Node::Expr(child) => same_type(child, &expr.ty, &mut smaller),
        Node::Block(Block { value: Some(value), .. }) => same_type(value, &expr.ty, &mut smaller),
        _ => {}
    });
    smaller
}

/// The expression if it has the type, else those below it that have. What is borrowed is lent to a
/// call, and stands nowhere else.
fn same_type(expr: &mut Expr, ty: &Ty, found: &mut Vec<Expr>) {
    if expr.ty == *ty && !matches!(expr.kind, Kind::Borrow { .. }) && !expr.has_let() {
        found.push(expr.clone());
    } else {
        visit::of_expr(expr, &mut |child| {
            if let Node::Expr(child) = child {
                same_type(child, ty, found);
            }
        });
    }
}
