//! The values of expressions, and the accesses in them.

use anabranch_core::facts::Member;

use super::Extractor;
use crate::analysis::access::conditions::Holds;
use crate::analysis::access::{Form, MOST_NARROW, Operation};
use crate::ir::{
    AssignOp, BinOp, Borrow, CaptureKind, ElementOf, Expr, ExprKind, Flow, LocalId, LocalKind, Measure, Part, SlotId,
    Space, UnOp,
};
use crate::names::extent;

impl<'b> Extractor<'b> {
    /// Any number of a type, which depends on the elements that an expression loads.
    pub(super) fn any(&mut self, expr: &Expr, slot: SlotId) -> Form {
        let any = self.operation(Operation::Any, Vec::new(), slot);
        let loads = Some(self.loads(expr)).filter(|loads| !loads.is_empty());
        let is_element = matches!(expr.kind, ExprKind::Index { .. });
        for atom in any.atoms() {
            self.facts.elements.extend(is_element.then_some(atom));
            self.facts.loaded.extend(loads.clone().map(|loads| (atom, loads)));
        }
        any
    }

    /// Walks an expression; its value, if something is known about it and it is a number.
    pub(in crate::analysis::access) fn expr(&mut self, expr: &'b Expr) -> Option<Form> {
        if self.of_shared(expr, false) {
            return None;
        }
        match &expr.kind {
            ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => {
                self.phase(phase, body, expr);
                None
            }
            ExprKind::Int { digits, .. } => digits.parse().ok().map(Form::constant),
            ExprKind::Local(local) => self.known.locals.get(local).cloned(),
            ExprKind::Own { .. } => None,
            ExprKind::Captured(id) => {
                let name = match self.body[*id].kind {
                    CaptureKind::Extent(grid, dim) => extent(&self.body[grid].name, dim),
                    CaptureKind::View(..) | CaptureKind::Value | CaptureKind::Stride(..) => {
                        self.body[*id].name.to_string()
                    }
                };
                Some(Form::atom(self.facts.symbols.capture(&name, *id)))
            }
            ExprKind::Constant { path, slot, scope } => {
                let text = crate::parse::spelling(path);
                Some(Form::atom(self.facts.symbols.constant(&text, *scope, *slot, Member::default())))
            }
            ExprKind::Len(view) => {
                let len = self.len(*view);
                Some(Form::atom(len))
            }
            ExprKind::Measure { base, what: Measure::Len } if let ExprKind::Local(local) = base.kind => {
                if let Some(view) = self.parameter(local) {
                    let len = self.len(view);
                    return Some(Form::atom(len));
                }
                self.known.arrays.get(&local).copied().map(Form::constant).or_else(|| self.length_in_type(local))
            }
            ExprKind::Unary { op: UnOp::Neg, operand, .. } => self.expr(operand)?.neg(),
            ExprKind::Binary { op, lhs, rhs, slot, .. } => {
                let (a, b) = (self.expr(lhs), self.expr(rhs));
                let known = |this: &mut Self, form: Option<Form>| {
                    form.unwrap_or_else(|| this.operation(Operation::Any, Vec::new(), *slot))
                };
                match op {
                    BinOp::Add => a?.add(&b?),
                    BinOp::Sub => a?.sub(&b?),
                    BinOp::Mul => self.product(&a?, &b?, *slot),
                    // A power of two, and fewer bits than any type has.
                    BinOp::Shl => {
                        let by = b?.exact_literal().filter(|by| (0..8).contains(by))?;
                        a?.mul(&Form::constant(1 << by))
                    }
                    BinOp::Div | BinOp::Rem => {
                        let (a, b) = (known(self, a), b?);
                        let name = if *op == BinOp::Div { Operation::Div } else { Operation::Rem };
                        let result = self.operation(name, vec![a.clone(), b.clone()], *slot);
                        self.divided(*op, lhs, rhs, (a, b), &result);
                        Some(result)
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor if a.is_some() || b.is_some() => {
                        let (a, b) = (known(self, a), known(self, b));
                        let operation = match op {
                            BinOp::And => Operation::And,
                            BinOp::Or => Operation::Or,
                            _ => Operation::Xor,
                        };
                        Some(self.operation(operation, vec![a, b], *slot))
                    }
                    BinOp::Shr => {
                        let a = known(self, a);
                        // The right side may be of another type.
                        let by = Form::constant(b?.exact_literal()?);
                        Some(self.operation(Operation::Shr, vec![a, by], *slot))
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor => None,
                }
            }
            ExprKind::Loaded { element, slot } => {
                self.expr(element);
                Some(self.any(element, *slot))
            }
            ExprKind::Cast { operand, slot, .. } => {
                let form = self.expr(operand)?;
                // The conversion of a large number may change it: `300 as u8`.
                if self.is_exact(operand) && form.literal().is_none_or(|number| number <= MOST_NARROW) {
                    self.facts.converted.extend(form.atoms());
                    return Some(form);
                }
                Some(form.cast(self.ty(operand)?.0, slot.0))
            }
            ExprKind::Call { callee, args } => self.called(expr, callee, args),
            ExprKind::Element { base, index, of: ElementOf::Slice, site }
                if let Some(view) = self.of_parameter(base) =>
            {
                let index = self.index(view, index);
                self.access(view, index, None, false, Some(*site), expr.span);
                None
            }
            ExprKind::Receiver { place, .. } if self.of_shared(place, false) => None,
            ExprKind::Receiver { place, .. } if self.portion(place).is_some() => self.expr(place),
            ExprKind::Receiver { place, .. } => match place.kind {
                ExprKind::Index { .. } | ExprKind::Element { .. } | ExprKind::Field { .. } => {
                    self.place(false, place);
                    None
                }
                _ => self.expr(place),
            },
            ExprKind::Field { .. } | ExprKind::Element { .. } => {
                self.parts(expr.parts());
                match self.portion(expr) {
                    Some(portion) => Some(self.member(&portion)),
                    None => self.listed(expr),
                }
            }
            ExprKind::Logic { .. } | ExprKind::Compare { .. } | ExprKind::Unary { op: UnOp::Not, .. } => {
                self.truth(expr);
                None
            }
            ExprKind::Index { view, index, site } if !self.fits(*view, index) => {
                self.misfit(*view, index, false, *site, expr.span);
                None
            }
            ExprKind::Index { view, index, site } => {
                let index = self.index(*view, index);
                self.access(*view, index, None, false, Some(*site), expr.span);
                None
            }
            ExprKind::Assign { place, value, op: None } => {
                let value = self.expr(value);
                match place.kind {
                    _ if self.of_shared(place, true) => {}
                    ExprKind::Local(local) => self.assign(local, value),
                    _ => self.place(true, place),
                }
                None
            }
            ExprKind::Assign { place, value, op: Some(AssignOp { op, slot, .. }) } => {
                let value = self.expr(value);
                match place.kind {
                    _ if self.of_shared(place, true) => {}
                    ExprKind::Local(local) => self.assign_op(local, *op, value, *slot),
                    _ => self.place(true, place),
                }
                None
            }
            ExprKind::Flow { flow, slot } => self.flow(flow.shape(), *slot),
            ExprKind::Panic { .. } => {
                self.parts(expr.parts());
                self.leave(true);
                None
            }
            ExprKind::Reference { borrow, place } => {
                self.place(*borrow == Borrow::Unique, place);
                None
            }
            // In a place that no walk has visited.
            ExprKind::View { view } => {
                let written = matches!(self.body[*view].kind, CaptureKind::View(_, crate::ir::Access::Write));
                self.whole(*view, written, expr.span);
                None
            }
            // Every thread evaluates its value: a phase that writes nothing. Of what comes out
            // nothing is known.
            ExprKind::Collective(_) => {
                self.parts(expr.parts());
                None
            }
            // It may be called any number of times, also never.
            ExprKind::Closure { params, body, .. } => {
                self.forget(body);
                self.branch(Holds::default(), false, |this| {
                    params.iter().for_each(|param| this.bind(param.local, None));
                    this.block(body);
                });
                None
            }
            ExprKind::Float { .. }
            | ExprKind::FirstAtomic { .. }
            | ExprKind::Bool(_)
            | ExprKind::Words(_)
            | ExprKind::Tuple { .. }
            | ExprKind::Array { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Deref(_)
            | ExprKind::Range { .. }
            | ExprKind::Measure { .. }
            | ExprKind::Print { .. }
            | ExprKind::Assert { .. } => {
                self.parts(expr.parts());
                None
            }
        }
    }

    /// Whether a variable counts a loop.
    pub(in crate::analysis::access) fn is_counter(&self, local: LocalId) -> bool {
        self.known.counters.contains(&local)
    }

    /// Whether a value may be another one where it is computed later.
    pub(in crate::analysis::access) fn changes(&self, value: &Expr) -> bool {
        value.any(&mut |expr| matches!(expr.kind, ExprKind::Local(local) if self.body[local].mutable))
    }

    pub(super) fn parts(&mut self, parts: Vec<Part<'b>>) {
        for part in parts {
            match part {
                Part::Expr(expr) => {
                    self.expr(expr);
                }
                Part::Block(block) => {
                    self.block(block);
                }
            }
        }
    }
}

impl Extractor<'_> {
    /// The length of a slice that borrows all of an array. The slot of the array has the type of
    /// exactly this variable, and only arrays and slices can be borrowed in this way (`Sliced`). If
    /// the type is no array, the launch gets no number.
    pub(super) fn length_in_type(&mut self, items: LocalId) -> Option<Form> {
        let ExprKind::Reference { place, .. } = &self.known.inits.get(&items)?.kind else { return None };
        let ExprKind::Range { base, start: None, end: None, .. } = &place.kind else { return None };
        let ExprKind::Local(array) = base.kind else { return None };
        let of = &self.body[array];
        if of.kind != LocalKind::Value || of.loose || of.space != Space::Own {
            return None;
        }
        let name = format!("{}.len()", crate::names::shown(&of.name));
        Some(Form::atom(self.facts.symbols.length(&name, array, of.slot)))
    }

    /// The length of an array, or of what borrows all of it, where it is plain.
    pub(super) fn array_len(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Array { elems, .. } => i64::try_from(elems.len()).ok(),
            ExprKind::Repeat { len: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }), .. } => {
                len.base10_parse().ok()
            }
            ExprKind::Reference { place, .. }
                if let ExprKind::Range { base, start: None, end: None, .. } = &place.kind
                    && let ExprKind::Local(local) = base.kind =>
            {
                self.known.arrays.get(&local).copied()
            }
            _ => None,
        }
    }
}
