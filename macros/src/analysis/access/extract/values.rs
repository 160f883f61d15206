//! What operations make of forms.

use super::super::ends::is_fixed;
use super::super::{Atom, Bounded, Form, Interval, Step};
use super::Walk;
use crate::analysis::jumps::{leaves, may_leave};
use crate::ir::{Block, Expr, ExprKind, LocalKind, SlotId};

impl<'b> Walk<'b> {
    /// The result of an operation of which only an interval is known.
    pub(super) fn operation(&mut self, operation: &'static str, operands: Vec<Form>, ty: SlotId) -> Form {
        self.narrow_operation(operation, operands, ty, false)
    }

    pub(super) fn narrow_operation(
        &mut self,
        operation: &'static str,
        operands: Vec<Form>,
        ty: SlotId,
        narrow: bool,
    ) -> Form {
        let atom = self.fresh();
        if self.limits(operation, &operands) {
            self.limited.insert(atom);
        }
        // Indexes are not negative; if the operand is, the launch will know.
        let (by, last) = match (operation, operands.as_slice()) {
            ("Rem" | "RemEuclid", [_, divisor]) => (Some(divisor), divisor.sub(&Form::constant(1))),
            ("And" | "Min", [a, b]) => {
                let by = [b, a].into_iter().find(|bound| is_fixed(bound));
                (by, by.cloned())
            }
            _ => (None, None),
        };
        // A number below 0 is one that has wrapped.
        if let Some(by) = by.filter(|by| is_fixed(by) && by.literal().is_none_or(|number| number >= 0)) {
            let values = Interval {
                first: Some(Form::constant(0)),
                last,
                plain: by.casts.is_empty(),
                certain: self.facts.symbols.are_certain(by),
                ..Interval::default()
            };
            self.facts.bounded.insert(atom, Bounded { values, by: by.clone() });
        }
        if matches!(operation, "Min" | "Max") {
            self.facts.chosen.insert(atom, (operation, operands.clone()));
        }
        self.steps.push(Step::Let { atom, operation, operands, ty, narrow });
        Form::atom(Atom::Other(atom))
    }

    /// The slot of an expression's type, where there is one.
    pub(in crate::analysis::access) fn ty(&self, expr: &Expr) -> Option<SlotId> {
        match &expr.kind {
            ExprKind::Int { slot, .. }
            | ExprKind::Constant { slot, .. }
            | ExprKind::Binary { slot, .. }
            | ExprKind::Unary { slot, .. }
            | ExprKind::Cast { slot, .. }
            | ExprKind::GenericCast { slot, .. }
            | ExprKind::Associated { slot, .. }
            | ExprKind::Call { slot, .. } => Some(*slot),
            ExprKind::If { slot, .. } | ExprKind::Match { slot, .. } | ExprKind::Loop { slot, .. } => *slot,
            ExprKind::Local(local) => (self.body[*local].kind == LocalKind::Value).then_some(self.body[*local].slot),
            ExprKind::Method { method, args, .. } if OF_ONE_TYPE.contains(&method.name) => {
                args.iter().find_map(|arg| self.ty(arg))
            }
            ExprKind::Block(block) => block.value.as_ref().and_then(|value| self.ty(value)),
            _ => None,
        }
    }

    /// Whether the form of an expression is a value of its type, because no arithmetic has made it. That of other variables
    /// is what has been bound to them, before it wrapped.
    pub(in crate::analysis::access) fn is_exact(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.counters.contains(local),
            kind => matches!(
                kind,
                ExprKind::Captured(_) | ExprKind::Constant { .. } | ExprKind::Len(_) | ExprKind::Int { .. }
            ),
        }
    }

    /// A product, as a form where at most one factor of each term depends on the iteration.
    pub(super) fn product(&mut self, a: &Form, b: &Form, ty: SlotId) -> Option<Form> {
        let moves = |atoms: &[Atom]| atoms.iter().filter(|atom| !matches!(atom, Atom::Symbol(_))).count();
        match a.mul(b) {
            Some(product) if product.terms.keys().chain(product.size.keys()).all(|atoms| moves(atoms) <= 1) => {
                Some(product)
            }
            _ => {
                let narrow = self.is_limited(a) && self.is_limited(b);
                Some(self.narrow_operation("Mul", vec![a.clone(), b.clone()], ty, narrow))
            }
        }
    }

    pub(super) fn method(&mut self, name: &str, args: Vec<Option<Form>>, ty: SlotId, narrow: bool) -> Option<Form> {
        let operation = match name {
            "wrapping_add" => return args[0].as_ref()?.add(args.get(1)?.as_ref()?),
            "wrapping_sub" => return args[0].as_ref()?.sub(args.get(1)?.as_ref()?),
            "wrapping_mul" => {
                let (a, b) = (args[0].clone()?, args.get(1)?.clone()?);
                return self.product(&a, &b, ty);
            }
            "min" => "Min",
            "max" => "Max",
            "clamp" => "Clamp",
            "saturating_sub" => "SaturatingSub",
            "saturating_add" => "SaturatingAdd",
            "abs_diff" => "AbsDiff",
            "rem_euclid" => "RemEuclid",
            _ => return None,
        };
        if args.iter().all(Option::is_none) {
            return None;
        }
        let mut operands = Vec::new();
        for arg in args {
            operands.push(arg.unwrap_or_else(|| self.operation("Any", Vec::new(), ty)));
        }
        Some(self.narrow_operation(operation, operands, ty, narrow))
    }

    pub(super) fn choice(
        &mut self,
        cond: &'b Expr,
        then: &'b Block,
        otherwise: Option<&'b Expr>,
        slot: Option<SlotId>,
    ) -> Option<Form> {
        let truth = self.truth(cond);
        let joined = slot.filter(|_| otherwise.is_some()).map(|ty| (self.fresh(), ty));
        if let Some((atom, _)) = joined {
            self.steps.push(Step::Declare { atom });
        }
        let (mut known, mut limited) = (joined.is_some(), true);
        let mut way = |this: &mut Self, holds, inside: &mut dyn FnMut(&mut Self) -> Option<Form>| {
            this.branch(holds, false, |this| match (inside(this), joined) {
                (Some(value), Some((atom, ty))) => {
                    limited &= this.is_limited(&value);
                    this.steps.push(Step::Join { atom, value, ty });
                }
                _ => known = false,
            });
        };
        way(self, truth.holds, &mut |this| this.block(then));
        if let Some(otherwise) = otherwise {
            way(self, truth.fails, &mut |this| this.expr(otherwise));
        }
        self.leave(leaves(then) || otherwise.is_some_and(may_leave));
        if limited {
            self.limited.extend(joined.map(|(atom, _)| atom));
        }
        joined.filter(|_| known).map(|(atom, _)| Form::atom(Atom::Other(atom)))
    }
}

/// Methods whose result has the type of their arguments, which all have one.
const OF_ONE_TYPE: [&str; 11] = [
    "min",
    "max",
    "clamp",
    "saturating_sub",
    "saturating_add",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "rem_euclid",
    "div_euclid",
    "wrapping_neg",
];
