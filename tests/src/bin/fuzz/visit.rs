//! The children of a node, for whoever walks over programs.

use crate::program::{Arm, Block, Expr, Kind, Pattern, Program, Range, Stmt};

/// A child that is visited.
pub(crate) enum Node<'a> {
    Expr(&'a mut Expr),
    Block(&'a mut Block),
    Pattern(&'a mut Pattern),
}

/// Calls `f` with every node of a program, parents first.
pub(crate) fn all(program: &mut Program, f: &mut dyn FnMut(Node<'_>)) {
    for function in &mut program.functions {
        deep(Node::Block(&mut function.body), f);
    }
    deep(Node::Block(&mut program.body), f);
}

/// Calls `f` with every node of a block, parents first.
pub(crate) fn below(block: &mut Block, f: &mut dyn FnMut(Node<'_>)) {
    deep(Node::Block(block), f);
}

fn deep(node: Node<'_>, f: &mut dyn FnMut(Node<'_>)) {
    match node {
        Node::Expr(expr) => {
            f(Node::Expr(expr));
            of_expr(expr, &mut |child| deep(child, f));
        }
        Node::Block(block) => {
            f(Node::Block(block));
            of_block(block, &mut |child| deep(child, f));
        }
        Node::Pattern(pattern) => {
            f(Node::Pattern(pattern));
            of_pattern(pattern, &mut |child| deep(child, f));
        }
    }
}

/// Calls `f` with an expression and every node below, parents first.
pub(crate) fn tree(expr: &mut Expr, f: &mut dyn FnMut(Node<'_>)) {
    deep(Node::Expr(expr), f);
}

/// The children of an expression, in the order of the text.
pub(crate) fn of_expr(expr: &mut Expr, f: &mut dyn FnMut(Node<'_>)) {
    match &mut expr.kind {
        Kind::Literal { .. } | Kind::Var(_) | Kind::Const(_) | Kind::Continue(_) => {}
        Kind::Unary(_, x)
        | Kind::Cast(x)
        | Kind::GenericCast(x)
        | Kind::Associated(_, x)
        | Kind::Field(x, _)
        | Kind::Repeat(x) => {
            f(Node::Expr(x));
        }
        Kind::Binary(_, a, b) | Kind::Index(a, b) | Kind::Assign(a, b) | Kind::AssignOp(_, a, b) => {
            f(Node::Expr(a));
            f(Node::Expr(b));
        }
        Kind::Method { args, .. }
        | Kind::Call { args, .. }
        | Kind::Tuple(args)
        | Kind::Array(args)
        | Kind::Macro { args, .. } => args.iter_mut().for_each(|arg| f(Node::Expr(arg))),
        Kind::Borrow { place, parts, .. } => {
            f(Node::Expr(place));
            for (start, end) in parts {
                f(Node::Expr(start));
                f(Node::Expr(end));
            }
        }
        Kind::Block { block, .. } => f(Node::Block(block)),
        Kind::If { cond, then, otherwise } => {
            f(Node::Expr(cond));
            f(Node::Block(then));
            otherwise.iter_mut().for_each(|block| f(Node::Block(block)));
        }
        Kind::IfLet { pattern, scrutinee, then, otherwise } => {
            f(Node::Pattern(pattern));
            f(Node::Expr(scrutinee));
            f(Node::Block(then));
            otherwise.iter_mut().for_each(|block| f(Node::Block(block)));
        }
        Kind::Match { scrutinee, arms } => {
            f(Node::Expr(scrutinee));
            for Arm { pattern, guard, body } in arms {
                f(Node::Pattern(pattern));
                guard.iter_mut().for_each(|guard| f(Node::Expr(guard)));
                f(Node::Expr(body));
            }
        }
        Kind::Loop { body, exhausted, .. } => {
            exhausted.iter_mut().for_each(|value| f(Node::Expr(value)));
            f(Node::Block(body));
        }
        Kind::While { cond, body, .. } => {
            f(Node::Expr(cond));
            f(Node::Block(body));
        }
        Kind::WhileLet { pattern, scrutinee, body, .. } => {
            f(Node::Pattern(pattern));
            f(Node::Expr(scrutinee));
            f(Node::Block(body));
        }
        Kind::For { range: Range { start, end, step, .. }, body, .. } => {
            f(Node::Expr(start));
            f(Node::Expr(end));
            step.iter_mut().for_each(|step| f(Node::Expr(step)));
            f(Node::Block(body));
        }
        Kind::Break { value, .. } | Kind::Return(value) => value.iter_mut().for_each(|value| f(Node::Expr(value))),
    }
}

/// The children of a block.
pub(crate) fn of_block(block: &mut Block, f: &mut dyn FnMut(Node<'_>)) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let { pattern, init, otherwise, .. } => {
                f(Node::Pattern(pattern));
                init.iter_mut().for_each(|init| f(Node::Expr(init)));
                otherwise.iter_mut().for_each(|block| f(Node::Block(block)));
            }
            Stmt::Expr(expr) | Stmt::Const(_, expr) => f(Node::Expr(expr)),
            Stmt::Observe(_) => {}
        }
    }
    block.value.iter_mut().for_each(|value| f(Node::Expr(value)));
}

/// The children of a pattern.
fn of_pattern(pattern: &mut Pattern, f: &mut dyn FnMut(Node<'_>)) {
    match pattern {
        Pattern::Wild | Pattern::Bind { inner: None, .. } => {}
        Pattern::Bind { inner: Some(inner), .. } => f(Node::Pattern(inner)),
        Pattern::Value(value) => f(Node::Expr(value)),
        Pattern::Range { start, end, .. } => start.iter_mut().chain(end).for_each(|value| f(Node::Expr(value))),
        Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
            parts.iter_mut().for_each(|part| f(Node::Pattern(part)));
        }
    }
}
