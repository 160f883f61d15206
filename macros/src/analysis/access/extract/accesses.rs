//! Accesses of elements, and the references to them that functions are given.

use proc_macro2::Span;

use super::super::{Access, Form, Found, Step};
use super::Extractor;
use crate::ir::{BinOp, CaptureId, Expr, ExprKind, SiteId};
use crate::launch::place;

impl<'b> Extractor<'b> {
    pub(super) fn index(&mut self, index: &'b Expr) -> Option<Form> {
        let form = self.expr(index)?;
        let form = self.rejoined(form);
        if self.is_limited(&form) {
            self.indexes(index);
        }
        Some(form)
    }

    /// The variables that an index is made of whose access the launch decides.
    pub(super) fn indexes(&mut self, expr: &'b Expr) {
        match &expr.kind {
            ExprKind::Local(local) => {
                if self.locals.contains_key(local)
                    && self.facts.indexing.insert(*local)
                    && let Some(init) = self.inits.get(local).copied()
                {
                    self.indexes(init);
                }
            }
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.indexes(lhs);
                self.indexes(rhs);
            }
            ExprKind::Cast { operand, .. } | ExprKind::GenericCast { operand, .. } => self.indexes(operand),
            ExprKind::Method { args, .. } if self.facts.is_plain(expr) => args.iter().for_each(|arg| self.indexes(arg)),
            ExprKind::Resolved { receiver, args, .. } if self.facts.is_plain(expr) => {
                self.indexes(receiver);
                args.iter().for_each(|arg| self.indexes(arg));
            }
            ExprKind::Receiver { place, .. } => self.indexes(place),
            _ => {}
        }
    }

    /// What an assignment writes to, or what a device function may touch: `x[i]`, `x[i].pos`, `&x`, `&mut x[a..b]`. A part of an element
    /// counts as the element.
    pub(super) fn place(&mut self, mutable: bool, place: &'b Expr) {
        match &place.kind {
            ExprKind::View { view } => self.whole(*view, mutable, place.span),
            ExprKind::Index { view, index, site } => {
                let form = self.index(index);
                self.access(*view, form, None, mutable, Some(*site), place.span);
            }
            ExprKind::Range { base, start, end, inclusive, site } => {
                let ExprKind::View { view } = base.kind else {
                    // A part of a part is no more than that.
                    self.place(mutable, base);
                    return [start, end].into_iter().flatten().for_each(|end| {
                        self.expr(end);
                    });
                };
                let first = match start {
                    Some(start) => self.expr(start),
                    None => Some(Form::constant(0)),
                };
                let past = match end {
                    Some(end) if *inclusive => self.expr(end).and_then(|end| end.add(&Form::constant(1))),
                    Some(end) => self.expr(end),
                    None => {
                        let len = self.len(view);
                        Some(Form::atom(len))
                    }
                };
                self.access(view, first, Some(past), mutable, Some(*site), place.span);
            }
            ExprKind::Field { base, member: _ } => self.place(mutable, base),
            ExprKind::Element { base, index, .. } => {
                self.place(mutable, base);
                self.expr(index);
            }
            _ => {
                self.expr(place);
            }
        }
    }

    /// All elements of a view.
    pub(super) fn whole(&mut self, view: CaptureId, write: bool, span: Span) {
        let len = self.len(view);
        let end = Some(Some(Form::atom(len)));
        self.access(view, Some(Form::constant(0)), end, write, None, span);
    }

    pub(super) fn access(
        &mut self,
        view: CaptureId,
        index: Option<Form>,
        end: Option<Option<Form>>,
        write: bool,
        site: Option<SiteId>,
        span: Span,
    ) {
        let len = self.len(view);
        let number = self.facts.accesses.len();
        // Ranges are checked where they are made, and so is what no launch can decide.
        if let (Some(site), Some(index), None) = (site, &index, &end)
            && self.is_limited(index)
        {
            self.facts.decided.insert(site, number);
        }
        self.steps.push(Step::Access(number));
        let always = self.sometimes == 0 && !self.left;
        let text = match site {
            Some(site) => self.body[site].text.clone(),
            None => self.body[view].name.to_string(),
        };
        let (line, column) = place(span);
        // Whether it is decided and proved is known when the whole body is.
        let (decided, proved) = (false, false);
        self.facts.accesses.push(Found {
            access: Access { view: view.0, len, index, end, write, always, decided, proved, text, line, column },
            unsafe_access: self.unsafe_depth > 0,
            site,
            span,
            loops: self.loops.clone(),
            conditions: self.conditions.clone(),
            guards: self.guards.clone().filter(|_| !self.lost),
        });
    }
}
