//! What is the same in all lanes.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::methods::{Meaning, Method};
use anabranch_core::ops::Operation;

use crate::ir::{
    Access, BinOp, Body, Callee, CaptureId, CaptureKind, ElementOf, Expr, ExprId, ExprKind, LocalId, SlotId, Space,
};

/// How the values of the lanes differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Not at all.
    Uniform,
    /// Each is one more than that of the lane before.
    Unit,
    /// The same, but for the ends of types.
    Converted,
    /// The same, but for where it is limited.
    Near,
    /// In any way.
    Varying,
}

/// The classes of variables that never change. Others differ in any way.
pub(super) struct Classes<'b> {
    body: &'b Body,
    known: BTreeMap<LocalId, Class>,
    lane: Option<LocalId>,
    /// Elements of the lanes, or parts of them, that have been read before the loop that uses them.
    own: BTreeSet<ExprId>,
}

impl<'b> Classes<'b> {
    /// Whether the loop writes nothing of a view.
    pub(super) fn only_reads(&self, view: CaptureId) -> bool {
        matches!(self.body[view].kind, CaptureKind::View(_, Access::Read))
    }

    /// The variables of the `par` loop are the same in all lanes, but for the last one, which may
    /// be that of the lane.
    pub(super) fn new(body: &'b Body, vars: impl Iterator<Item = LocalId>, lane: Option<LocalId>) -> Self {
        let mut known: BTreeMap<LocalId, Class> = vars.map(|var| (var, Class::Uniform)).collect();
        if let Some(mut last) = known.last_entry() {
            last.insert(Class::Varying);
        }
        known.extend(lane.map(|lane| (lane, Class::Unit)));
        Self { body, known, lane, own: BTreeSet::new() }
    }

    /// Whether a variable is not one that lanes share.
    pub(super) fn is_own(&self, local: LocalId) -> bool {
        self.body[local].space != Space::Shared
    }

    pub(super) fn read_before(&mut self, expr: &Expr) {
        self.own.insert(expr.id);
    }

    pub(super) fn is_read_before(&self, expr: &Expr) -> bool {
        self.own.contains(&expr.id)
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
                (BinOp::Add, class @ (Class::Near | Class::Converted), Class::Uniform)
                | (BinOp::Add, Class::Uniform, class @ (Class::Near | Class::Converted))
                | (BinOp::Sub, class @ (Class::Near | Class::Converted), Class::Uniform) => class,
                _ => Class::Varying,
            },
            ExprKind::Receiver { place: operand, .. } => self.of(operand),
            // Where a number is too large for its new type, they are not side by side.
            ExprKind::Cast { operand, .. } | ExprKind::Loaded { element: operand, .. } => match self.of(operand) {
                Class::Uniform => Class::Uniform,
                Class::Unit | Class::Converted => Class::Converted,
                Class::Near | Class::Varying => Class::Varying,
            },
            ExprKind::Array { elems, .. } | ExprKind::Tuple { elems, .. } => all(&elems.iter().collect::<Vec<_>>()),
            ExprKind::Element { base: lhs, index: rhs, of: ElementOf::Value(_), .. }
            | ExprKind::Compare { lhs, rhs, .. }
            | ExprKind::Logic { lhs, rhs, .. } => all(&[lhs, rhs]),
            ExprKind::Field { base: operand, .. } | ExprKind::Unary { operand, .. } => all(&[operand]),
            ExprKind::Call { callee: callee @ (Callee::Number { .. } | Callee::Method { .. }), args } => {
                self.limited(callee.known(), args)
            }
            _ => Class::Varying,
        }
    }

    /// The result of a method. One that limits a number changes only what is beyond.
    fn limited(&self, method: Option<&Method>, args: &[Expr]) -> Class {
        let classes: Vec<Class> = args.iter().map(|arg| self.of(arg)).collect();
        let limits = |method: &Method| match method.meaning {
            Meaning::Operation(Operation::Min | Operation::Max | Operation::SaturatingAdd) => {
                matches!(
                    classes[..],
                    [Class::Unit | Class::Near, Class::Uniform] | [Class::Uniform, Class::Unit | Class::Near]
                )
            }
            Meaning::Operation(Operation::SaturatingSub) => {
                matches!(classes[..], [Class::Unit | Class::Near, Class::Uniform])
            }
            Meaning::Operation(Operation::Clamp) => {
                matches!(classes[..], [Class::Unit | Class::Near, Class::Uniform, Class::Uniform])
            }
            _ => false,
        };
        match method {
            _ if classes.iter().all(|class| *class == Class::Uniform) => Class::Uniform,
            Some(method) if limits(method) => Class::Near,
            _ => Class::Varying,
        }
    }

    /// The sums on the way from the variable of the lane to a number that is [`Near`](Class::Near),
    /// and the slots of all operations there. Where none of the sums of integers wraps from the
    /// first lane to the last one, no lane is less than the one before. False if the way begins at
    /// a variable that is kept: what has wrapped in that is not among the sums.
    pub(super) fn way<'e>(
        &self,
        expr: &'e Expr,
        known: &BTreeMap<LocalId, &'e Expr>,
        (sums, slots): (&mut Vec<&'e Expr>, &mut Vec<SlotId>),
    ) -> bool {
        let next = match &expr.kind {
            ExprKind::Local(local) if Some(*local) == self.lane => return true,
            ExprKind::Local(local) => known.get(local).copied(),
            ExprKind::Receiver { place, .. } => Some(&**place),
            ExprKind::Array { elems, .. } => elems.last(),
            ExprKind::Binary { lhs, rhs, slot, .. } => {
                sums.push(expr);
                slots.push(*slot);
                [&**lhs, rhs].into_iter().find(|side| self.of(side) != Class::Uniform)
            }
            ExprKind::Call { callee: callee @ (Callee::Number { .. } | Callee::Method { .. }), args } => {
                if let Callee::Method { slot, .. } = callee {
                    slots.push(*slot);
                }
                args.iter().find(|arg| self.of(arg) != Class::Uniform)
            }
            _ => None,
        };
        next.is_some_and(|next| self.way(next, known, (sums, slots)))
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
