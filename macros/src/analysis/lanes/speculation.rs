//! What may be computed for lanes that take no part.

use super::classes::{Class, Classes};
use super::{Built, Line, inner, is_long};
use crate::ir::effects;
use crate::ir::{Block, Body, Borrow, Callee, ElementOf, Expr, ExprKind, Flow, Part, SlotId, Stmt};

/// Where the question is asked.
pub(super) struct Speculation<'s, 'b> {
    pub(super) classes: &'s Classes<'b>,
    /// Some lanes may take no part.
    pub(super) masked: bool,
}

impl Speculation<'_, '_> {
    /// Whether all lanes may do what a line says, those that take no part for nothing. Some lane
    /// takes part.
    pub(super) fn allows(&self, line: &Line<'_>) -> bool {
        match line {
            Line::Let(Stmt::Let { init, .. }) => self.expr(init, false),
            Line::Let(_) => false,
            Line::Expr(expr) => self.expr(expr, false),
        }
    }

    /// Whether both sides of an `if` can be computed.
    pub(super) fn converts(&self, expr: &Expr) -> bool {
        self.expr(expr, false)
    }

    /// `rarely`: something decides whether control comes here, so that perhaps it does for no lane
    /// at all.
    fn expr(&self, expr: &Expr, rarely: bool) -> bool {
        let parts = || inner(expr.parts()).into_iter().all(|part| self.expr(part, rarely));
        if self.classes.is_read_before(expr) {
            return true;
        }
        match &expr.kind {
            ExprKind::Index { index, .. } => {
                let reads = match self.classes.together(index) {
                    Class::Uniform => !rarely,
                    Class::Unit | Class::Converted | Class::Near => !rarely && !self.masked,
                    Class::Varying => false,
                };
                reads && self.expr(index, rarely)
            }
            ExprKind::Element { index, of: ElementOf::Value(_), .. } => {
                (!rarely && !self.masked || self.is_there(index)) && parts()
            }
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Own { .. }
            | ExprKind::Captured(_)
            | ExprKind::Constant { .. }
            | ExprKind::Len(_) => true,
            ExprKind::Tuple { .. }
            | ExprKind::Array { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Field { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::Loaded { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Receiver { .. }
            | ExprKind::Reference { borrow: Borrow::Shared, .. } => parts(),
            ExprKind::Call { callee, .. } => !matches!(callee, Callee::Closure(_) | Callee::Atomic { .. }) && parts(),
            // Both sides are computed, so the right one must not change anything.
            ExprKind::Logic { lhs, rhs, .. } => {
                let changes = !Part::Expr(rhs).assigned().is_empty();
                !changes && self.expr(lhs, rarely) && self.expr(rhs, true)
            }
            ExprKind::Assign { place, value, .. } => self.is_variable(place, rarely) && self.expr(value, rarely),
            ExprKind::Flow { flow: Flow::Block(block), .. } => self.block(block, rarely),
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, .. } => {
                let sides = self.block(then, true) && otherwise.iter().all(|other| self.expr(other, true));
                self.expr(cond, rarely) && sides
            }
            ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } => {
                !is_long(expr)
                    && range.operands().into_iter().all(|end| self.expr(end, rarely))
                    && self.block(body, rarely)
            }
            _ => false,
        }
    }

    /// Whether an element of an array is there in lanes that take no part, too. What is known of
    /// the numbers that a variable can be is known where it has got its value. So an index is made
    /// of variables that all lanes have, or it is a remainder or the result of a mask.
    fn is_there(&self, index: &Expr) -> bool {
        index.limit().is_some()
            || !index.any(&mut |expr| match &expr.kind {
                ExprKind::Local(_) => self.classes.of(expr) == Class::Varying,
                ExprKind::Int { .. } | ExprKind::Binary { .. } | ExprKind::Constant { .. } => false,
                _ => true,
            })
    }

    /// Whether a place is a variable of the lane, or a field or an element of one.
    fn is_variable(&self, place: &Expr, rarely: bool) -> bool {
        match &place.kind {
            ExprKind::Local(local) => self.classes.is_own(*local),
            ExprKind::Own { .. } => true,
            ExprKind::Field { base, .. } => self.is_variable(base, rarely),
            ExprKind::Element { base, index, of: ElementOf::Value(_), .. } => {
                let there = !rarely && !self.masked || self.is_there(index);
                there && self.is_variable(base, rarely) && self.expr(index, rarely)
            }
            _ => false,
        }
    }

    fn block(&self, block: &Block, rarely: bool) -> bool {
        let stmts = block.stmts.iter().all(|stmt| match stmt {
            Stmt::Let { init, otherwise, .. } => otherwise.is_none() && self.expr(init, rarely),
            Stmt::Expr(expr) => self.expr(expr, rarely),
            Stmt::Declare { .. } | Stmt::Item(_) => false,
        });
        stmts && block.value.iter().all(|value| self.expr(value, rarely))
    }
}

/// What no lanes do. The methods that are called on variables, which must not change them: only
/// rustc knows.
pub(super) fn check(body: &Body, block: &Block) -> Built<Vec<SlotId>> {
    let (mut why, mut methods) = (None, Vec::new());
    let mut found = |expr: &Expr| {
        let here = match &expr.kind {
            ExprKind::Call { callee: Callee::Atomic { .. }, .. } => Some("it has atomic operations"),
            ExprKind::Print { .. } => Some("it prints"),
            ExprKind::Panic { .. } | ExprKind::Assert { .. } | ExprKind::Words(_) => Some("it can fail"),
            ExprKind::Closure { .. } | ExprKind::Call { callee: Callee::Closure(_), .. } => Some("it has closures"),
            ExprKind::Reference { borrow, place } => match (borrow, &place.kind) {
                (Borrow::Shared, ExprKind::Local(_) | ExprKind::Field { .. }) => None,
                _ => Some("it lends elements or variables to functions"),
            },
            ExprKind::View { .. } | ExprKind::Range { .. } | ExprKind::Measure { .. } => {
                Some("it lends elements or variables to functions")
            }
            ExprKind::Collective(_) => Some("it combines values of all threads"),
            ExprKind::Receiver { slot, changing, .. } if effects::changes_receiver(expr, body) => {
                methods.push(*slot);
                changing.then_some("a method changes a variable")
            }
            ExprKind::Flow { flow, .. } => match flow {
                Flow::Unsafe(_) => Some("the user answers for its races"),
                Flow::WhileLet { .. } | Flow::ForEach { .. } | Flow::Labelled { .. } => {
                    Some("loops or jumps in it are not understood")
                }
                Flow::Question { .. } | Flow::Phase { .. } => Some("it can end early"),
                Flow::Block(_)
                | Flow::If { .. }
                | Flow::Match { .. }
                | Flow::For { .. }
                | Flow::While { .. }
                | Flow::Loop { .. }
                | Flow::Break { .. }
                | Flow::Continue { .. }
                | Flow::Return { .. } => None,
            },
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Own { .. }
            | ExprKind::Captured(_)
            | ExprKind::Constant { .. }
            | ExprKind::Tuple { .. }
            | ExprKind::Array { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::Len(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::Logic { .. }
            | ExprKind::Loaded { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Call { .. }
            | ExprKind::Receiver { .. }
            | ExprKind::Assign { .. } => None,
            _ => Some("something in it is not understood"),
        };
        why = why.or(here);
        here.is_some()
    };
    block.any(&mut found);
    if Part::Block(block).assigned().into_iter().any(|local| !body[local].mutable) {
        why = why.or(Some("a variable in it has no value at first, or cannot change"));
    }
    if body.locals.iter().any(|local| local.late) {
        why = why.or(Some("a variable in it has no value at first"));
    }
    why.map_or(Ok(methods), Err)
}
