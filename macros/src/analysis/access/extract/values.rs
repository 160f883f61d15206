//! What operations make of forms.

use super::super::extents::is_fixed;
use anabranch_core::facts::Value;
use anabranch_core::methods::{Meaning, Method, Type};

use super::super::{Atom, Bounded, Form, Operation, Step, Values};
use super::Extractor;
use crate::ir::{BinOp, Callee, Expr, ExprKind, LocalKind, Shape, SlotId};

impl<'b> Extractor<'b> {
    /// The result of an operation with a known interval.
    pub(super) fn operation(&mut self, operation: Operation, operands: Vec<Form>, ty: SlotId) -> Form {
        self.narrow_operation(operation, operands, ty, false)
    }

    pub(super) fn narrow_operation(
        &mut self,
        operation: Operation,
        operands: Vec<Form>,
        ty: SlotId,
        narrow: bool,
    ) -> Form {
        let atom = self.fresh();
        if self.limits(operation, &operands) {
            self.here.limited.insert(atom);
        }
        // Indexes are not negative; if the operand is, the launch will know.
        let (by, last) = match (operation, operands.as_slice()) {
            (Operation::Rem | Operation::RemEuclid, [_, divisor]) => (Some(divisor), divisor.sub(&Form::constant(1))),
            (Operation::And | Operation::Min, [a, b]) => {
                let by = [b, a].into_iter().find(|bound| is_fixed(bound));
                (by, by.cloned())
            }
            _ => (None, None),
        };
        // A number below 0 is one that has wrapped.
        if let Some(by) = by.filter(|by| is_fixed(by) && by.literal().is_none_or(|number| number >= 0)) {
            let values =
                Values { first: Some(Form::constant(0)), last, plain: by.casts.is_empty(), ..Values::default() };
            self.facts.bounded.insert(atom, Bounded { values, by: by.clone() });
        }
        if matches!(operation, Operation::Min | Operation::Max) {
            self.facts.chosen.insert(atom, (operation, operands.clone()));
        }
        self.here.steps.push(Step::Let { atom, value: Value { operation, operands, ty: ty.0, narrow } });
        Form::atom(atom)
    }

    /// The slot of an expression's type, where there is one.
    pub(in crate::analysis::access) fn ty(&self, expr: &Expr) -> Option<SlotId> {
        match &expr.kind {
            ExprKind::Int { slot, .. }
            | ExprKind::Constant { slot, .. }
            | ExprKind::Binary { slot, .. }
            | ExprKind::Unary { slot, .. }
            | ExprKind::Loaded { slot, .. }
            | ExprKind::Cast { slot, .. } => Some(*slot),
            ExprKind::Local(local) => (self.body[*local].kind == LocalKind::Value).then_some(self.body[*local].slot),
            ExprKind::Call { callee, args } => match callee {
                Callee::Number { method, .. } if method.result == Type::Same => self.own_type(method, args),
                Callee::Method { known: Some(method), slot, .. } if method.result == Type::Same => Some(*slot),
                Callee::Conversion { slot, .. } => Some(*slot),
                // That of its result.
                Callee::Function { slot, .. } | Callee::Associated { slot, .. } => Some(*slot),
                Callee::Number { .. } | Callee::Method { .. } | Callee::Closure(_) | Callee::Atomic { .. } => None,
            },
            ExprKind::Receiver { place, .. } => self.ty(place),
            ExprKind::Flow { flow, slot } => match flow.shape() {
                Shape::Straight { body, .. } => body.value.as_ref().and_then(|value| self.ty(value)),
                _ => *slot,
            },
            _ => None,
        }
    }

    /// Whether the form of an expression is a value of its type, because no arithmetic has made it.
    /// That of other variables is what has been bound to them, before it wrapped.
    pub(in crate::analysis::access) fn is_exact(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.known.counters.contains(local),
            ExprKind::Receiver { place, .. } => self.is_exact(place),
            ExprKind::Field { .. } | ExprKind::Element { .. } => self.portion(expr).is_some(),
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
            Some(product)
                if product.value.terms.iter().chain(&product.size.terms).all(|term| moves(&term.atoms) <= 1) =>
            {
                Some(product)
            }
            _ => {
                let narrow = self.is_limited(a) && self.is_limited(b);
                Some(self.narrow_operation(Operation::Mul, vec![a.clone(), b.clone()], ty, narrow))
            }
        }
    }

    /// The slot of the type that has a method: of one of the arguments that are of this type.
    pub(super) fn own_type(&self, method: &Method, args: &[Expr]) -> Option<SlotId> {
        let mut own = method.types().zip(args).filter(|(ty, _)| *ty == Type::Same);
        own.find_map(|(_, arg)| self.ty(arg))
    }

    /// The result of a method of a type, with this meaning.
    pub(super) fn method(
        &mut self,
        meaning: Meaning,
        args: Vec<Option<Form>>,
        ty: SlotId,
        narrow: bool,
    ) -> Option<Form> {
        match (meaning, args.as_slice()) {
            (Meaning::Unknown, _) => None,
            (Meaning::Operator(BinOp::Add), [Some(a), Some(b)]) => a.add(b),
            (Meaning::Operator(BinOp::Sub), [Some(a), Some(b)]) => a.sub(b),
            (Meaning::Operator(BinOp::Mul), [Some(a), Some(b)]) => self.product(a, b, ty),
            (Meaning::Operator(_), _) => None,
            (Meaning::Operation(operation), args) => {
                if args.iter().all(Option::is_none) {
                    return None;
                }
                let mut any = |arg: &Option<Form>| match arg {
                    Some(form) => form.clone(),
                    None => self.operation(Operation::Any, Vec::new(), ty),
                };
                let operands = args.iter().map(&mut any).collect();
                Some(self.narrow_operation(operation, operands, ty, narrow))
            }
        }
    }
}
