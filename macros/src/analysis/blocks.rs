//! Loops over blocks: who may change what.
//!
//! All threads of a block run the code outside of phases, with the same values. So a phase must not
//! change a variable of that code, and what that code does to memory is a statement of its own,
//! which one thread runs.

use std::collections::BTreeSet;

use proc_macro2::Span;

use crate::ir::effects;
use crate::ir::{
    Block, Body, Borrow, Callee, Expr, ExprKind, Flow, Head, LocalId, LocalKind, LoopId, ParLoop, Part, Shape, Space,
    Stmt, any_of, changes_memory,
};
use crate::report::{Code, Report, error};

/// Reports what the rules forbid.
pub(crate) fn check(par_loop: &ParLoop, report: &mut Report) {
    if par_loop.shape.is_some() {
        Check { body: &par_loop.body, report }.uniform(&par_loop.body.block);
    }
}

/// The variables that are declared in an expression.
fn declared(expr: &Expr, all: &mut BTreeSet<LocalId>) {
    match &expr.kind {
        ExprKind::Closure { params, .. } => all.extend(params.iter().map(|param| param.local)),
        ExprKind::Flow { flow, .. } => match flow.shape() {
            Shape::Counted { var, .. } => drop(all.insert(var)),
            Shape::Round { head: Head::Bind(pat, _), .. } => all.extend(pat.locals()),
            Shape::Match { arms, .. } => all.extend(arms.iter().flat_map(|arm| arm.pat.locals())),
            _ => {}
        },
        _ => {}
    }
    for part in expr.parts() {
        match part {
            Part::Expr(expr) => declared(expr, all),
            Part::Block(block) => {
                for stmt in &block.stmts {
                    match stmt {
                        Stmt::Let { pat, .. } => all.extend(pat.locals()),
                        Stmt::Declare { local, .. } => drop(all.insert(*local)),
                        Stmt::Expr(_) | Stmt::Item(_) => {}
                    }
                }
                any_of(block, &mut |expr| {
                    declared(expr, all);
                    false
                });
            }
        }
    }
}

/// Whether an expression changes a variable that is declared outside of it, as far as that shows.
fn changes_variables(expr: &Expr, body: &Body) -> bool {
    let mut inside = BTreeSet::new();
    declared(expr, &mut inside);
    let outer =
        |place: &Expr| place.root().is_some_and(|local| body[local].space == Space::Own && !inside.contains(&local));
    contains(expr, &|expr| match &expr.kind {
        ExprKind::Assign { place, .. } | ExprKind::Reference { borrow: Borrow::Unique, place } => outer(place),
        ExprKind::Receiver { place, .. } => effects::changes_receiver(expr, body) && outer(place),
        // A reference that is passed on.
        ExprKind::Local(local) => {
            let kind = body[*local].kind;
            let unique = matches!(kind, LocalKind::Reference(Borrow::Unique) | LocalKind::Slice(Borrow::Unique));
            unique && !inside.contains(local)
        }
        _ => false,
    })
}

struct Check<'c> {
    body: &'c Body,
    report: &'c mut Report,
}

impl Check<'_> {
    /// Code outside of phases.
    fn uniform(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { init, otherwise, .. } => {
                    self.value(init);
                    otherwise.iter().for_each(|otherwise| self.uniform(otherwise));
                }
                Stmt::Expr(expr) => self.statement(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.statement(value));
    }

    fn statement(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::Phase { body, .. }, .. } => {
                let first = self.first_of(body);
                let Some((nest, before)) = body.stmts.split_last() else { return };
                // All threads compute the ends of the ranges.
                for stmt in before {
                    if let Stmt::Let { init, .. } = stmt {
                        self.value(init);
                    }
                }
                if let Stmt::Expr(nest) = nest {
                    self.in_phase(nest, first);
                }
            }
            ExprKind::Flow { flow, .. } => self.flow(flow.shape()),
            // What is asserted holds for all that follows, in all threads.
            ExprKind::Assert { cond, .. } => self.value(cond),
            _ if changes_memory(expr, self.body) => self.once(expr),
            _ => self.value(expr),
        }
    }

    fn flow(&mut self, shape: Shape<'_>) {
        for part in shape.parts() {
            match (part, shape) {
                (Part::Block(block), _) => self.uniform(block),
                (Part::Expr(expr), Shape::Match { scrutinee, arms }) => {
                    let is_head = std::ptr::eq(expr, scrutinee)
                        || arms.iter().any(|arm| arm.guard.as_ref().is_some_and(|guard| std::ptr::eq(guard, expr)));
                    if is_head { self.value(expr) } else { self.statement(expr) }
                }
                (Part::Expr(expr), Shape::If { otherwise: Some(otherwise), .. }) if std::ptr::eq(expr, otherwise) => {
                    self.statement(expr);
                }
                (Part::Expr(expr), _) => self.value(expr),
            }
        }
    }

    /// A value that all threads compute.
    fn value(&mut self, expr: &Expr) {
        self.closures(expr);
        let errors = self.report.len();
        self.no_phases(expr);
        if self.report.len() == errors && changes_memory(expr, self.body) {
            let error = error(Code::BlockValue, "outside of phases, what changes memory is a statement of its own");
            self.report
                .at(expr.span, error.help("one thread makes the change: the others read it in the next statement"));
        }
        self.collectives(expr);
    }

    /// What each thread evaluates for a collective is a phase that changes nothing.
    fn collectives(&mut self, expr: &Expr) {
        if let ExprKind::Collective(collective) = &expr.kind {
            self.in_phase(&collective.own, collective.thread.0);
            super::collectives::check(collective, self.body, self.report);
            return collective.of.iter().for_each(|(thread, _)| self.collectives(thread));
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.collectives(expr),
                Part::Block(block) => drop(any_of(block, &mut |expr| {
                    self.collectives(expr);
                    false
                })),
            }
        }
    }

    /// What a closure changes, its calls do not show.
    fn closures(&mut self, expr: &Expr) {
        if let ExprKind::Collective(_) = &expr.kind {
            return;
        }
        if let ExprKind::Closure { .. } = &expr.kind
            && changes_variables(expr, self.body)
        {
            let error = error(Code::BlockValue, "outside of phases, a closure cannot change variables around it");
            self.report.at(expr.span, error.help("return the value, and assign it where the closure is called"));
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.closures(expr),
                Part::Block(block) => drop(any_of(block, &mut |expr| {
                    self.closures(expr);
                    false
                })),
            }
        }
    }

    /// Phases are statements.
    fn no_phases(&mut self, expr: &Expr) {
        if let ExprKind::Flow { flow: Flow::Phase { .. }, .. } = &expr.kind {
            self.report.at(
                expr.span,
                error(Code::PhasePlace, "a phase cannot be a part of a value").help("write it as a statement"),
            );
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.no_phases(expr),
                Part::Block(block) => drop(any_of(block, &mut |expr| {
                    self.no_phases(expr);
                    false
                })),
            }
        }
    }

    /// A statement that one thread runs.
    fn once(&mut self, expr: &Expr) {
        let mut inside = Vec::new();
        loops(expr, &mut inside);
        let leaves = |expr: &Expr| match &expr.kind {
            ExprKind::Flow { flow: Flow::Break { id, .. } | Flow::Continue { id, .. }, .. } => !inside.contains(id),
            ExprKind::Flow { flow, .. } => matches!(flow.shape(), Shape::Jump(_) | Shape::Question(_)),
            // A check that fails would fail in one thread.
            ExprKind::Assert { .. } => true,
            _ => false,
        };
        if contains(expr, &leaves) || changes_variables(expr, self.body) {
            let error = error(Code::BlockValue, "outside of phases, a statement that changes memory does nothing else");
            let error =
                error.help("one thread runs it: move jumps, checks and changes of variables to other statements");
            self.report.at(expr.span, error);
        }
        if contains(expr, &|expr| matches!(expr.kind, ExprKind::Collective(_))) {
            let error = error(Code::CollectivePlace, "one thread runs this statement, and all threads a collective");
            self.report
                .at(expr.span, error.help("make the collective a statement before: `let value = block.sum(…);`"));
        }
        self.no_phases(expr);
    }

    /// The number of the first variable of a phase.
    fn first_of(&self, body: &Block) -> usize {
        let mut nest = body.stmts.last();
        while let Some(Stmt::Expr(Expr { kind: ExprKind::Flow { flow, .. }, .. })) = nest {
            match flow {
                Flow::For { var, .. } => return var.0,
                Flow::Block(block) => nest = block.stmts.last(),
                _ => break,
            }
        }
        0
    }

    /// The body of a phase, whose variables begin with this one.
    fn phase(&mut self, block: &Block, first: usize) {
        any_of(block, &mut |expr| {
            self.in_phase(expr, first);
            false
        });
    }

    fn in_phase(&mut self, expr: &Expr, first: usize) {
        let outer = |local: LocalId| local.0 < first;
        match &expr.kind {
            ExprKind::Local(local) | ExprKind::Call { callee: Callee::Closure(local), .. }
                if outer(*local) && self.body[*local].kind != LocalKind::Value =>
            {
                let name = &self.body[*local].name;
                let error = error(Code::BlockValue, format!("`{name}` was made outside of the phase"));
                self.report.at(expr.span, error.help("references and closures are made in the phase that uses them"));
            }
            ExprKind::Assign { place, .. } | ExprKind::Reference { borrow: Borrow::Unique, place } => {
                self.assigned(place, first)
            }
            _ => {}
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.in_phase(expr, first),
                Part::Block(block) => self.phase(block, first),
            }
        }
    }

    fn assigned(&mut self, place: &Expr, first: usize) {
        let Some(local) = place.root().filter(|local| local.0 < first) else { return };
        if self.body[local].space == Space::Own && self.body[local].kind == LocalKind::Value {
            self.refuse(local, place.span);
        }
    }

    fn refuse(&mut self, local: LocalId, span: Span) {
        let name = &self.body[local].name;
        let error =
            error(Code::PhaseAssigns, format!("`{name}` belongs to the block, and cannot be changed in a phase"));
        let error = error.help(format!("for a value of each thread, write `let mut {name} = block.each(…);`"));
        self.report.at(span, error.help("for what threads share, write `block.shared([…; n])`"));
    }
}

/// The loops in an expression.
fn loops(expr: &Expr, all: &mut Vec<LoopId>) {
    if let ExprKind::Flow { flow, .. } = &expr.kind {
        all.extend(flow.id());
    }
    for part in expr.parts() {
        match part {
            Part::Expr(expr) => loops(expr, all),
            Part::Block(block) => drop(any_of(block, &mut |expr| {
                loops(expr, all);
                false
            })),
        }
    }
}

/// Whether something holds of an expression or of one inside.
fn contains(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    is_it(expr)
        || expr.parts().into_iter().any(|part| match part {
            Part::Expr(expr) => contains(expr, is_it),
            Part::Block(block) => any_of(block, &mut |expr| contains(expr, is_it)),
        })
}
