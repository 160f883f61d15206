//! What is the same in all lanes.

use std::collections::BTreeMap;

use anabranch_core::methods::{Meaning, Method};

use crate::ir::{Access, BinOp, Body, CaptureKind, Expr, ExprKind, LocalId};

/// How the values of the lanes differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Not at all.
    Uniform,
    /// Each is one more than that of the lane before.
    Unit,
    /// Mostly so, but for where it is limited.
    Near,
    /// In any way.
    Varying,
}

/// The classes of variables that never change. Others differ in any way.
pub(super) struct Classes<'b> {
    body: &'b Body,
    known: BTreeMap<LocalId, Class>,
}

impl<'b> Classes<'b> {
    /// The variables of the `par` loop are the same in all lanes, but for the last one, which may be that of the lane.
    pub(super) fn new(body: &'b Body, vars: impl Iterator<Item = LocalId>, lane: Option<LocalId>) -> Self {
        let mut known: BTreeMap<LocalId, Class> = vars.map(|var| (var, Class::Uniform)).collect();
        if let Some(mut last) = known.last_entry() {
            last.insert(Class::Varying);
        }
        known.extend(lane.map(|lane| (lane, Class::Unit)));
        Self { body, known }
    }

    pub(super) fn set(&mut self, local: LocalId, class: Class) {
        self.known.insert(local, class);
    }

    pub(super) fn of(&self, expr: &Expr) -> Class {
        let all = |exprs: &[&Expr]| match exprs.iter().all(|expr| self.of(expr) == Class::Uniform) {
            true => Class::Uniform,
            false => Class::Varying,
        };
        match &expr.kind {
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Captured(_)
            | ExprKind::Constant { .. }
            | ExprKind::Len(_) => Class::Uniform,
            ExprKind::Local(local) => self.known.get(local).copied().unwrap_or(Class::Varying),
            ExprKind::Index { view, index, .. } => match self.body[*view].kind {
                CaptureKind::View(_, Access::Read) => all(&[index]),
                _ => Class::Varying,
            },
            ExprKind::Binary { op, lhs, rhs, .. } => match (op, self.of(lhs), self.of(rhs)) {
                (_, Class::Uniform, Class::Uniform) => Class::Uniform,
                (BinOp::Add, Class::Unit, Class::Uniform)
                | (BinOp::Add, Class::Uniform, Class::Unit)
                | (BinOp::Sub, Class::Unit, Class::Uniform) => Class::Unit,
                (BinOp::Add, Class::Near, Class::Uniform)
                | (BinOp::Add, Class::Uniform, Class::Near)
                | (BinOp::Sub, Class::Near, Class::Uniform) => Class::Near,
                _ => Class::Varying,
            },
            ExprKind::Cast { operand, .. }
            | ExprKind::GenericCast { operand, .. }
            | ExprKind::Loaded { element: operand, .. }
            | ExprKind::Receiver { place: operand, .. } => self.of(operand),
            ExprKind::Array { elems, .. } | ExprKind::Tuple { elems, .. } => all(&elems.iter().collect::<Vec<_>>()),
            ExprKind::Compare { lhs, rhs, .. } | ExprKind::Logic { lhs, rhs, .. } => all(&[lhs, rhs]),
            ExprKind::Field { base: operand, .. } | ExprKind::Unary { operand, .. } => all(&[operand]),
            ExprKind::Method { method, args, .. } => self.limited(Some(method), args.iter().collect()),
            ExprKind::Resolved { known, receiver, args, .. } => {
                self.limited(*known, std::iter::once(&**receiver).chain(args).collect())
            }
            _ => Class::Varying,
        }
    }

    /// The result of a method. One that limits a number changes only what is beyond.
    fn limited(&self, method: Option<&Method>, args: Vec<&Expr>) -> Class {
        let (mut apart, mut near) = (0, false);
        for arg in args {
            match self.of(arg) {
                Class::Uniform => {}
                Class::Unit | Class::Near => near = true,
                Class::Varying => return Class::Varying,
            }
            apart += usize::from(self.of(arg) != Class::Uniform);
        }
        let limits = method.is_some_and(|method| matches!(method.meaning, Meaning::Operation(_)));
        match (near, apart) {
            (false, _) => Class::Uniform,
            (true, 1) if limits => Class::Near,
            _ => Class::Varying,
        }
    }

    /// Whether the elements of an access are one for all lanes, or lie side by side.
    pub(super) fn together(&self, index: &Expr) -> Class {
        match &index.kind {
            ExprKind::Array { elems, .. } => match elems.split_last() {
                Some((last, outer)) if outer.iter().all(|index| self.of(index) == Class::Uniform) => self.of(last),
                _ => Class::Varying,
            },
            _ => self.of(index),
        }
    }
}
