//! Makes a program smaller as long as it fails in the same way.
//!
//! Every step tries many edits in one build and takes the smallest program that still fails: whole stretches of statements
//! go first, then control flow gives way to what is in it, and expressions to their parts or to a zero. What is no longer a
//! program (a variable without its `let`) rustc refuses, which counts as not failing.

use std::collections::HashSet;
use std::io;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::program::{Block, Expr, Kind, Program, Stmt};
use crate::run::{Runner, Target};
use crate::types::Ty;
use crate::visit::{self, Node};

/// Programs of one build.
const TOGETHER: usize = 16;

/// The smallest program found in this time that fails on the target in this way.
pub(crate) fn shrink(
    runner: &Runner,
    mut program: Program,
    target: Target,
    signature: &str,
    time: Duration,
) -> io::Result<Program> {
    let begin = Instant::now();
    let runner = runner.only(target);
    let mut tried = HashSet::new();
    'smaller: loop {
        let mut candidates: Vec<(usize, Program)> = edits(&program).into_iter().map(|p| (size(&p), p)).collect();
        candidates.sort_by_key(|(size, _)| *size);
        candidates.retain(|(size, candidate)| *size < self::size(&program) && tried.insert(text(candidate)));
        for together in candidates.chunks(TOGETHER) {
            if begin.elapsed() > time {
                break 'smaller;
            }
            let cases: Vec<Case> = together.iter().enumerate().map(|(at, (_, p))| Case::of(p).renumbered(at)).collect();
            let outcomes = runner.run(&cases)?;
            let failing = outcomes.into_iter().find(|(_, (_, outcome))| outcome.signature() == signature);
            if let Some((at, _)) = failing {
                program = together[at].1.clone();
                continue 'smaller;
            }
        }
        break;
    }
    Ok(program)
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

fn edits(program: &Program) -> Vec<Program> {
    let mut edited = Vec::new();
    let (mut blocks, mut exprs) = (Vec::new(), Vec::new());
    visit::all(&mut program.clone(), &mut |node| match node {
        Node::Block(block) => blocks.push(block.clone()),
        Node::Expr(expr) => exprs.push(expr.clone()),
        Node::Pattern(_) => {}
    });
    for (at, block) in blocks.iter().enumerate() {
        for smaller in of_block(block) {
            edited.push(with_block(program, at, &smaller));
        }
    }
    for (at, expr) in exprs.iter().enumerate() {
        for smaller in of_expr(expr) {
            edited.push(with_expr(program, at, &smaller));
        }
    }
    edited.extend((0..program.functions.len()).filter_map(|at| without_function(program, at)));
    for at in 0..program.consts.len() {
        let mut program = program.clone();
        program.consts.remove(at);
        edited.push(program);
    }
    edited
}

/// A program with another block in the place of one, counted as they are visited.
fn with_block(program: &Program, at: usize, by: &Block) -> Program {
    let (mut program, mut count) = (program.clone(), 0);
    visit::all(&mut program, &mut |node| {
        if let Node::Block(block) = node {
            // What is below the new block is counted too, but behind it.
            if count == at {
                *block = by.clone();
            }
            count += 1;
        }
    });
    program
}

fn with_expr(program: &Program, at: usize, by: &Expr) -> Program {
    let (mut program, mut count) = (program.clone(), 0);
    visit::all(&mut program, &mut |node| {
        if let Node::Expr(expr) = node {
            if count == at {
                *expr = by.clone();
            }
            count += 1;
        }
    });
    program
}

/// Without a function that nobody calls.
fn without_function(program: &Program, at: usize) -> Option<Program> {
    let (mut program, mut called) = (program.clone(), false);
    visit::all(&mut program, &mut |node| {
        if let Node::Expr(Expr { kind: Kind::Call { function, .. }, .. }) = node {
            called |= *function == at;
            *function -= usize::from(*function > at);
        }
    });
    program.functions.remove(at);
    (!called).then_some(program)
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
