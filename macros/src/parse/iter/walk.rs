//! What an iterator walks over: its slices and ranges, and the adaptors on them.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;

use super::{Item, Place, Walk, let_name, local_of, not_an_iterator, nothing};
use crate::ir::{Adaptor, BinOp, Borrow, Callee, Check, Expr, ExprKind, LocalKind, Measure, Site, Slot, Stmt};
use crate::names;
use crate::parse::body::{BodyParser, Want};
use crate::parse::{HostName, single_ident, strip};
use crate::report::{Code, error};
use anabranch_core::{check::message, methods};

impl BodyParser<'_> {
    /// An iterator. `None`: it was refused.
    pub(in crate::parse) fn walk(&mut self, expr: &syn::Expr) -> Option<Walk> {
        let syn::Expr::MethodCall(call) = strip(expr) else { return self.source(expr) };
        let (name, span) = (names::plain(&call.method), call.method.span());
        match (name.as_str(), call.args.len()) {
            ("iter" | "iter_mut", 0) => self.source(expr),
            ("rev", 0) => {
                let mut walk = self.walk(&call.receiver)?;
                walk.adaptors.push(Adaptor::Rev);
                Some(walk)
            }
            ("step_by", 1) => {
                let mut walk = self.walk(&call.receiver)?;
                let step = Box::new(self.expr(call.args.first()?, Want::Value));
                let check = Check::Message(message::STEP.into());
                let site = self.body.sites(Site { span, check, text: String::new() });
                walk.adaptors.push(Adaptor::StepBy { step, site });
                Some(walk)
            }
            ("enumerate", 0) => {
                let mut walk = self.walk(&call.receiver)?;
                let at = self.counter(&mut walk, &call.method)?;
                Some(Walk { item: Item::Pair(Box::new([Item::Counter(at), walk.item])), ..walk })
            }
            ("zip", 1) => {
                let mut first = self.walk(&call.receiver)?;
                let mut second = self.walk(call.args.first()?)?;
                let counter = self.counter(&mut first, &call.method)?;
                let at = self.counted(&mut second, &call.method)?;
                first.before.append(&mut second.before);
                let rounds = match second.start {
                    None => second.end,
                    Some(start) => self.sum(span, BinOp::Sub, second.end, start),
                };
                let first = self.limited(first, rounds, span, false)?;
                let Some(item) = second.item.moved(at).and_then(|item| item.moved(counter)) else {
                    return self.in_this_order(&call.method);
                };
                Some(Walk { item: Item::Pair(Box::new([first.item, item])), ..first })
            }
            ("take" | "skip", 1) => {
                let mut walk = self.walk(&call.receiver)?;
                let number = self.expr(call.args.first()?, Want::Value);
                self.counter(&mut walk, &call.method)?;
                let number = self.fixed(number, &mut walk.before);
                self.limited(walk, number, span, name == "skip")
            }
            ("copied" | "cloned", 0) => {
                let walk = self.walk(&call.receiver)?;
                let Item::Element { items, borrow: Borrow::Shared, copied: false, at } = walk.item else {
                    self.report.on(
                        &call.method,
                        error(Code::LoopRange, format!("`{name}` needs an iterator over references"))
                            .help(format!("write it right after `iter()`: `x.iter().{name}()`")),
                    );
                    return None;
                };
                Some(Walk { item: Item::Element { items, borrow: Borrow::Shared, copied: true, at }, ..walk })
            }
            _ => {
                self.report.on(&call.method, not_an_iterator());
                None
            }
        }
    }

    /// How the number of a round, from 0 on, comes from the one that the loop counts.
    fn counter(&mut self, walk: &mut Walk, method: &Ident) -> Option<Place> {
        match (walk.adaptors.as_slice(), walk.start.take()) {
            ([], None) => Some(Place::Same),
            ([], Some(start)) => {
                let start = self.fixed(start, &mut walk.before);
                let at = Place::After(local_of(&start)?);
                walk.start = Some(start);
                Some(at)
            }
            ([Adaptor::Rev], start) => {
                walk.start = start;
                let end = std::mem::replace(&mut walk.end, nothing(method.span()));
                walk.end = self.fixed(end, &mut walk.before);
                Some(Place::Before(local_of(&walk.end)?))
            }
            _ => self.in_this_order(method),
        }
    }

    /// The other way round: how what the loop would count comes from the number of a round.
    fn counted(&mut self, walk: &mut Walk, method: &Ident) -> Option<Place> {
        Some(match self.counter(walk, method)? {
            Place::After(start) => Place::Plus(start),
            at @ (Place::Same | Place::Before(_) | Place::Plus(_)) => at,
        })
    }

    fn in_this_order<T>(&mut self, method: &Ident) -> Option<T> {
        self.report.on(
            method,
            error(Code::LoopRange, format!("`{method}` cannot come after these methods in device code"))
                .help("write `step_by(k)` last, and `rev()` at most once")
                .help("loop over the indexes: `for i in 0..x.len() { … }`"),
        );
        None
    }

    /// The first so many rounds, or those after them.
    fn limited(&mut self, mut walk: Walk, number: Expr, span: Span, rest: bool) -> Option<Walk> {
        let reversed = !walk.adaptors.is_empty();
        if let (None, false, false) = (&walk.start, reversed, rest) {
            walk.end = self.smaller(span, walk.end, number)?;
            return Some(walk);
        }
        let end = self.fixed(walk.end, &mut walk.before);
        let again = || local_of(&end).map(|id| Expr::new(span, ExprKind::Local(id)));
        let all = match &walk.start {
            None => again()?,
            Some(start) => {
                let start = Expr::new(span, ExprKind::Local(local_of(start)?));
                self.sum(span, BinOp::Sub, again()?, start)
            }
        };
        let least = self.smaller(span, all, number)?;
        let border = match (reversed, walk.start.take()) {
            (true, start) => {
                walk.start = start;
                self.sum(span, BinOp::Sub, again()?, least)
            }
            (false, None) => least,
            (false, Some(start)) => {
                let first = Expr::new(span, ExprKind::Local(local_of(&start)?));
                walk.start = Some(start);
                self.sum(span, BinOp::Add, first, least)
            }
        };
        let border = self.fixed(border, &mut walk.before);
        // What is left out is behind the border or before it.
        if reversed == rest {
            walk.end = border;
        } else {
            (walk.start, walk.end) = (Some(border), end);
        }
        Some(walk)
    }

    /// A variable with the value of an expression.
    pub(super) fn fixed(&mut self, value: Expr, before: &mut Vec<Stmt>) -> Expr {
        if local_of(&value).is_some_and(|local| !self.body[local].mutable) {
            return value;
        }
        let span = value.span;
        let local = self.generated("end", span, Slot::Inferred, LocalKind::Value);
        before.push(let_name(local, span, value));
        Expr::new(span, ExprKind::Local(local))
    }

    pub(super) fn sum(&mut self, span: Span, op: BinOp, lhs: Expr, rhs: Expr) -> Expr {
        let slot = self.body.slots(Slot::Binary);
        let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
        Expr::new(span, ExprKind::Binary { op, lhs, rhs, slot, site: None })
    }

    fn smaller(&mut self, span: Span, a: Expr, b: Expr) -> Option<Expr> {
        let callee = Callee::Number { method: methods::find("min")?, owner: None, site: None };
        Some(Expr::new(span, ExprKind::Call { callee, args: vec![a, b] }))
    }

    /// `&x[a..b]`, `x.iter()`, `x.iter_mut()`, `row`.
    fn source(&mut self, expr: &syn::Expr) -> Option<Walk> {
        match strip(expr) {
            syn::Expr::Reference(reference) => {
                let borrow = if reference.mutability.is_some() { Borrow::Unique } else { Borrow::Shared };
                self.elements(&reference.expr, borrow)
            }
            syn::Expr::MethodCall(call) => {
                let borrow = if call.method == "iter_mut" { Borrow::Unique } else { Borrow::Shared };
                self.elements(&call.receiver, borrow)
            }
            other => {
                let name = single_ident(other);
                let local = name.and_then(|name| self.local(name)).map(|local| self.body[local].kind);
                let host = self.view_name(other).and_then(|name| self.host(name));
                let borrow = match (local, host) {
                    (Some(LocalKind::Slice(borrow) | LocalKind::Reference(borrow)), _) => borrow,
                    (_, Some(HostName::View { view, .. })) => view.borrow,
                    _ => {
                        self.report.on(other.to_token_stream(), not_an_iterator());
                        return None;
                    }
                };
                if let (Borrow::Unique, Some(name)) = (borrow, name) {
                    self.report.on(
                        name,
                        error(Code::LoopRange, format!("it does not show whether the loop writes `{name}`"))
                            .help(format!("to read the elements, write `{name}.iter()`"))
                            .help(format!("to change them, write `{name}.iter_mut()`")),
                    );
                    return None;
                }
                self.elements(other, borrow)
            }
        }
    }

    /// The elements of an array or slice, borrowed as a slice.
    fn elements(&mut self, base: &syn::Expr, borrow: Borrow) -> Option<Walk> {
        let (errors, span) = (self.report.len(), base.span());
        if self.is_atomic(base) {
            self.report.on(
                base,
                error(Code::AtomicUse, "a loop cannot visit atomics")
                    .help("loop over the indexes: `for i in 0..x.len() { … }`"),
            );
            return None;
        }
        let mut before = Vec::new();
        let (place, end) = match strip(self.through(base)) {
            syn::Expr::Index(index) if matches!(strip(&index.index), syn::Expr::Range(_)) => {
                let mut part = self.range(index, borrow.access());
                let end = self.ends(&mut part, &mut before);
                (part, end)
            }
            inner if let Some(name) = self.view_name(inner).cloned() => {
                let capture = self.capture_view(&name, borrow.access())?;
                if self.body[capture].dims > 0 {
                    self.report.on(
                        &name,
                        error(Code::LoopRange, format!("a loop cannot visit the elements of the grid `{name}`"))
                            .help("loop over the indexes: `for y in 0..g.shape()[0] { … }`"),
                    );
                    return None;
                }
                (Expr::new(span, ExprKind::View { view: capture }), Some(self.len(capture, span)))
            }
            inner if crate::parse::call::is_place(inner) => {
                let place = if borrow == Borrow::Unique { self.place(inner) } else { self.read_place(inner) };
                if self.report.len() > errors || self.is_unknown(inner) {
                    return None;
                }
                // What is borrowed must outlive the loop.
                let place = if let ExprKind::Constant { .. } = place.kind {
                    let local = self.generated("constant", span, Slot::Inferred, LocalKind::Value);
                    before.push(let_name(local, span, place));
                    Expr::new(span, ExprKind::Local(local))
                } else {
                    place
                };
                let site = self.body.sites(Site { span, check: Check::Range, text: crate::parse::text(base) });
                let kind = ExprKind::Range { base: Box::new(place), start: None, end: None, inclusive: false, site };
                (Expr::new(span, kind), None)
            }
            other => {
                self.report.on(
                    other.to_token_stream(),
                    error(Code::LoopRange, "a loop in device code visits the elements of a variable or a part of one")
                        .help("bind the array to a variable: `let array = …;`"),
                );
                return None;
            }
        };
        if self.report.len() > errors {
            return None;
        }
        // What is borrowed for writing is asked for its length before.
        let end = end.map(|end| {
            let local = self.generated("length", span, Slot::Inferred, LocalKind::Value);
            before.push(let_name(local, span, end));
            Expr::new(span, ExprKind::Local(local))
        });
        let items = self.generated("items", span, Slot::Inferred, LocalKind::Slice(borrow));
        let init = Expr::new(span, ExprKind::Reference { borrow, place: Box::new(place) });
        before.push(let_name(items, span, init));
        let end = end.unwrap_or_else(|| {
            let base = Box::new(Expr::new(span, ExprKind::Local(items)));
            Expr::new(span, ExprKind::Measure { base, what: Measure::Len })
        });
        let item = Item::Element { items, borrow, copied: false, at: Place::Same };
        Some(Walk { before, start: None, end, inclusive: false, adaptors: Vec::new(), item })
    }

    /// Binds the ends of a part of a kernel's slice to variables. Their difference is the number of
    /// elements, of which the launch knows more than of a length.
    fn ends(&mut self, part: &mut Expr, before: &mut Vec<Stmt>) -> Option<Expr> {
        let span = part.span;
        let ExprKind::Range { base, start, end, inclusive: false, .. } = &mut part.kind else { return None };
        let ExprKind::View { view } = base.kind else { return None };
        let mut named = |this: &mut Self, end: &mut Option<Box<Expr>>| {
            let end = end.as_mut()?;
            let local = this.generated("end", end.span, Slot::Inferred, LocalKind::Value);
            let name = Expr::new(end.span, ExprKind::Local(local));
            let init = std::mem::replace(&mut **end, name);
            before.push(let_name(local, init.span, init));
            Some(local)
        };
        let first = named(self, start);
        let past = named(self, end);
        let past = match past {
            Some(local) => Expr::new(span, ExprKind::Local(local)),
            None => self.len(view, span),
        };
        let Some(first) = first else { return Some(past) };
        let first = Box::new(Expr::new(span, ExprKind::Local(first)));
        let slot = self.body.slots(Slot::Binary);
        Some(Expr::new(span, ExprKind::Binary { op: BinOp::Sub, lhs: Box::new(past), rhs: first, slot, site: None }))
    }
}
