//! Calls of device functions: what the launch takes their summaries with.

use anabranch_core::facts::{Argument, Call};
use anabranch_core::methods::Meaning;
use proc_macro2::Span;

use super::super::{Atom, Form, Step};
use super::Extractor;
use crate::ir::{Borrow, Callee, CaptureId, Expr, ExprKind, LocalId, LocalKind, SlotId};
use crate::names::place;

impl<'b> Extractor<'b> {
    /// A slice that is a parameter of the function, as the captures of a loop are numbered.
    pub(super) fn parameter(&self, local: LocalId) -> Option<CaptureId> {
        let is_slice = matches!(self.body[local].kind, LocalKind::Slice(_)) && !self.body[local].mutable;
        self.params.iter().position(|param| *param == local && is_slice).map(CaptureId)
    }

    /// The same of an expression.
    pub(super) fn of_parameter(&self, base: &Expr) -> Option<CaptureId> {
        match base.kind {
            ExprKind::Local(local) => self.parameter(local),
            _ => None,
        }
    }

    /// The value of a call.
    pub(super) fn called(&mut self, call: &'b Expr, callee: &'b Callee, args: &'b [Expr]) -> Option<Form> {
        match callee {
            Callee::Conversion { name, slot } if name == "from" => {
                let arg = args.first()?;
                let form = self.expr(arg)?;
                Some(form.cast(self.ty(arg)?.0, slot.0))
            }
            Callee::Number { method, .. } => {
                let ty = self.own_type(method, args);
                let forms: Vec<Option<Form>> = args.iter().map(|arg| self.expr(arg)).collect();
                let narrow = self.facts.info.is_plain(call);
                self.method(method.meaning, forms, ty?, narrow)
            }
            // Whether it is the method of std, the launch knows by its slot.
            Callee::Method { known: Some(method), slot, .. } => {
                let forms: Vec<Option<Form>> = args.iter().map(|arg| self.expr(arg)).collect();
                let narrow = self.facts.info.is_plain(call);
                let form = self.method(method.meaning, forms, *slot, narrow)?;
                // Operands may cancel: then nothing else would say that they were numbers.
                Some(if let Meaning::Operator(_) = method.meaning { form.cast(slot.0, slot.0) } else { form })
            }
            Callee::Method { known: None, name, slot, .. } => {
                let length = self.array_behind(args).filter(|_| name == "len");
                let Some(length) = length else { return Some(self.call(name.to_string(), *slot, args, call.span)) };
                self.parts(call.parts());
                // An array may have a `len` of the user's, too.
                Some(Form::constant(length).cast(slot.0, slot.0))
            }
            Callee::Function { path, slot, .. } | Callee::Associated { path, slot, .. } => {
                let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                Some(self.call(name, *slot, args, call.span))
            }
            Callee::Conversion { .. } | Callee::Closure(_) | Callee::Atomic { .. } => {
                self.parts(call.parts());
                None
            }
        }
    }

    /// The length of the array that a method is called on.
    fn array_behind(&self, args: &[Expr]) -> Option<i64> {
        let ExprKind::Receiver { place, .. } = &args.first()?.kind else { return None };
        let ExprKind::Local(local) = place.kind else { return None };
        self.known.arrays.get(&local).copied()
    }

    /// A call of a device function. Its value has a number at the launch, if it has one at all.
    fn call(&mut self, name: String, slot: SlotId, args: &'b [Expr], span: Span) -> Form {
        let (mut unlimited, mut lends) = (0, false);
        let args = args.iter().enumerate().map(|(at, arg)| {
            let arg = self.argument(arg);
            lends |= matches!(arg, Argument::Elements(_));
            let known = match &arg {
                Argument::Value(form) => self.is_limited(form),
                Argument::Elements(_) => true,
                Argument::Other => false,
            };
            if !known {
                unlimited |= 1u64.checked_shl(at as u32).unwrap_or(u64::MAX);
            }
            arg
        });
        let args: Vec<Argument<Atom>> = args.collect();
        let result = self.fresh();
        // If it is a form at all, that of its arguments limits it.
        if args.iter().all(|arg| !matches!(arg, Argument::Value(form) if !self.is_limited(form))) {
            self.here.limited.insert(result);
        }
        self.facts.called.insert(result);
        if lends {
            // A condition may be walked more than once.
            *self.facts.info.calls.entry(slot).or_default() |= unlimited;
        }
        let (line, _) = place(span);
        let always = self.here.sometimes == 0 && !self.here.left;
        let (ty, text) = (None, format!("{name}(…)"));
        let call = Call { callee: slot.0, args, result, ty, always, decides: lends, unlimited, text, line };
        self.here.steps.push(Step::Call(call));
        Form::atom(result)
    }

    /// A variable has the result of a call, and its type.
    pub(super) fn typed(&mut self, form: &Form, slot: SlotId) {
        let made = self.here.steps.iter_mut().rev().find_map(|step| match step {
            Step::Call(call) if *form == Form::atom(call.result) => Some(call),
            _ => None,
        });
        if let Some(call) = made {
            call.ty = Some(slot.0);
        }
    }

    fn argument(&mut self, arg: &'b Expr) -> Argument<Atom> {
        let before = self.facts.accesses.len();
        match &arg.kind {
            ExprKind::Reference { borrow, place } => {
                if let Some(view) = self.of_parameter(place) {
                    self.whole(view, *borrow == Borrow::Unique, arg.span);
                } else {
                    self.place(*borrow == Borrow::Unique, place);
                }
                // A slice: all of a view, or a part of one.
                match place.kind {
                    ExprKind::View { .. } | ExprKind::Local(_) if self.facts.accesses.len() > before => {
                        Argument::Elements(before)
                    }
                    ExprKind::Range { ref base, .. } if self.is_view(base) => {
                        Argument::Elements(self.facts.accesses.len() - 1)
                    }
                    _ => Argument::Other,
                }
            }
            ExprKind::Local(local) if let Some(view) = self.parameter(*local) => {
                self.whole(view, self.body[*local].kind == LocalKind::Slice(Borrow::Unique), arg.span);
                Argument::Elements(before)
            }
            ExprKind::Local(local) if self.body[*local].kind != LocalKind::Value => Argument::Other,
            _ => self.expr(arg).map_or(Argument::Other, Argument::Value),
        }
    }

    fn is_view(&self, base: &Expr) -> bool {
        matches!(base.kind, ExprKind::View { .. }) || self.of_parameter(base).is_some()
    }
}
