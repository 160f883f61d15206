//! Makes a program smaller as long as it fails in the same way.
//!
//! Edits are tried many in one build, those that take away the most first, and all that keep the failure are then made
//! together: stretches of statements go, control flow gives way to what is in it, expressions to their parts or to a zero.
//! What is no longer a program (a variable without its `let`) rustc refuses, which counts as not failing.

use std::collections::HashSet;
use std::io;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::program::{Block, Expr, Kind, Program, Stmt};
use crate::run::{Runner, Target};
use crate::types::Ty;
use crate::visit::{self, Node};

/// Programs of one build.
const TOGETHER: usize = 24;

/// The smallest program found in this time that fails on the target in this way.
pub(crate) fn shrink(
    runner: &Runner,
    mut program: Program,
    target: Target,
    signature: &str,
    time: Duration,
) -> io::Result<Program> {
    let begin = Instant::now();
    let mut oracle = Oracle { runner: runner.only(target), signature, begin, tried: 0 };
    let mut tried: HashSet<String> = HashSet::new();
    // What edits may take away at most: greater ones have failed on nearly the same program.
    let (mut most, mut progress) = (usize::MAX, false);
    while begin.elapsed() < time {
        let whole = size(&program);
        let mut candidates: Vec<(usize, Edit, Program)> = edits(&program)
            .into_iter()
            .map(|edit| {
                let edited = with(&program, std::slice::from_ref(&edit));
                (whole.saturating_sub(size(&edited)), edit, edited)
            })
            .filter(|(gone, ..)| (1..=most).contains(gone))
            .collect();
        candidates.sort_by_key(|(gone, ..)| std::cmp::Reverse(*gone));
        candidates.retain(|(.., edited)| tried.insert(text(edited)));
        candidates.truncate(TOGETHER);
        if candidates.is_empty() {
            if !std::mem::take(&mut progress) {
                break;
            }
            most = usize::MAX;
            continue;
        }
        most = candidates[0].0;
        let failing = oracle.fails(&candidates.iter().map(|(.., edited)| edited.clone()).collect::<Vec<_>>())?;
        let mut good: Vec<(Edit, Program)> = candidates
            .into_iter()
            .zip(failing)
            .filter(|(_, fails)| *fails)
            .map(|((_, edit, p), _)| (edit, p))
            .collect();
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
        let union = oracle.fails(&unions)?.into_iter().position(|fails| fails);
        program = union.map_or(best, |at| unions.swap_remove(at));
    }
    Ok(program)
}

/// Tells which programs still fail.
struct Oracle<'a> {
    runner: Runner,
    signature: &'a str,
    begin: Instant,
    tried: usize,
}

impl Oracle<'_> {
    fn fails(&mut self, programs: &[Program]) -> io::Result<Vec<bool>> {
        let cases: Vec<Case> = programs.iter().enumerate().map(|(at, p)| Case::of(p).renumbered(at)).collect();
        let outcomes = self.runner.run(&cases)?;
        self.tried += cases.len();
        eprintln!("smaller: {} programs tried in {:.0} s", self.tried, self.begin.elapsed().as_secs_f32());
        Ok((0..cases.len()).map(|at| outcomes[&at].1.signature() == self.signature).collect())
    }
}

fn text(program: &Program) -> String {
    let case = Case::of(program);
    case.items + &case.body
}

/// Roughly what a reader has to read.
fn size(program: &Program) -> usize {
    let mut size = 0;
    visit::all(&mut program.clone(), &mut |node| {
        size += match node {
            Node::Expr(Expr { kind: Kind::Literal { text, .. }, .. }) => 1 + text.len().min(4) / 2,
            Node::Expr(Expr { kind: Kind::Var(_), .. }) | Node::Pattern(_) => 2,
            Node::Expr(_) => 3,
            Node::Block(block) => 1 + 2 * block.stmts.len(),
        };
    });
    size + 5 * program.functions.len() + 3 * program.consts.len()
}

/// A smaller program in one place.
#[derive(Clone)]
enum Edit {
    /// Another block for the node of this number.
    Block(usize, Block),
    Expr(usize, Expr),
    /// Without a function that nobody calls.
    Function(usize),
    Const(usize),
}

fn edits(program: &Program) -> Vec<Edit> {
    let (mut edits, mut at) = (Vec::new(), 0);
    visit::all(&mut program.clone(), &mut |node| {
        match node {
            Node::Block(block) => edits.extend(of_block(block).into_iter().map(|block| Edit::Block(at, block))),
            Node::Expr(expr) => edits.extend(of_expr(expr).into_iter().map(|expr| Edit::Expr(at, expr))),
            Node::Pattern(_) => {}
        }
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
        Edit::Block(at, _) | Edit::Expr(at, _) => (1, *at),
        Edit::Function(at) | Edit::Const(at) => (0, *at),
    };
    // From behind, so that the numbers of the others stay.
    edits.sort_by_key(|edit| std::cmp::Reverse(place(edit)));
    for edit in edits {
        let mut count = 0;
        match edit {
            Edit::Function(at) => without_function(&mut program, *at),
            Edit::Const(at) => drop(program.consts.remove(*at)),
            Edit::Block(at, _) | Edit::Expr(at, _) => visit::all(&mut program, &mut |node| {
                match (node, edit) {
                    (Node::Block(block), Edit::Block(_, by)) if count == *at => *block = by.clone(),
                    (Node::Expr(expr), Edit::Expr(_, by)) if count == *at => *expr = by.clone(),
                    _ => {}
                }
                count += 1;
            }),
        }
    }
    program
}

fn without_function(program: &mut Program, at: usize) {
    let mut called = false;
    visit::all(program, &mut |node| {
        if let Node::Expr(Expr { kind: Kind::Call { function, .. }, .. }) = node {
            called |= *function == at;
        }
    });
    if called {
        return;
    }
    program.functions.remove(at);
    visit::all(program, &mut |node| {
        if let Node::Expr(Expr { kind: Kind::Call { function, .. }, .. }) = node {
            *function -= usize::from(*function > at);
        }
    });
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
    let block = |block: &Block| Expr::new(expr.ty.clone(), Kind::Block { label: None, block: block.clone() });
    match &expr.kind {
        Kind::Literal { .. } | Kind::Var(_) | Kind::Continue(_) => return smaller,
        Kind::Block { block, .. } if block.stmts.is_empty() => {
            smaller.extend(block.value.as_deref().cloned());
        }
        Kind::If { then, otherwise, .. } | Kind::IfLet { then, otherwise, .. } => {
            smaller.push(block(then));
            smaller.extend(otherwise.as_ref().map(block));
        }
        Kind::Loop { body, .. } | Kind::While { body, .. } | Kind::WhileLet { body, .. } | Kind::For { body, .. } => {
            smaller.push(block(body));
        }
        Kind::Match { scrutinee, arms } => {
            smaller.extend(arms.iter().map(|arm| arm.body.clone()));
            for at in 0..arms.len() {
                let mut arms = arms.clone();
                arms.remove(at);
                smaller.push(Expr::new(expr.ty.clone(), Kind::Match { scrutinee: scrutinee.clone(), arms }));
            }
            for at in (0..arms.len()).filter(|&at| arms[at].guard.is_some()) {
                let mut arms = arms.clone();
                arms[at].guard = None;
                smaller.push(Expr::new(expr.ty.clone(), Kind::Match { scrutinee: scrutinee.clone(), arms }));
            }
        }
        Kind::Borrow { .. } => return smaller,
        _ => {}
    }
    if expr.ty == Ty::Never {
        return smaller;
    }
    if !matches!(expr.ty, Ty::Slice(_)) && expr.ty != Ty::unit() {
        smaller.push(Expr::zero(&expr.ty));
    }
    // Parts of the same type, wherever they are.
    visit::of_expr(&mut expr.clone(), &mut |child| match child {
        Node::Expr(child) => same_type(child, &expr.ty, &mut smaller),
        Node::Block(Block { value: Some(value), .. }) => same_type(value, &expr.ty, &mut smaller),
        Node::Block(_) | Node::Pattern(_) => {}
    });
    smaller
}

/// The expression if it has the type, else those below it that have.
fn same_type(expr: &mut Expr, ty: &Ty, found: &mut Vec<Expr>) {
    if expr.ty == *ty {
        found.push(expr.clone());
    } else {
        visit::of_expr(expr, &mut |child| {
            if let Node::Expr(child) = child {
                same_type(child, ty, found);
            }
        });
    }
}
