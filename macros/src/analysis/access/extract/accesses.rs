//! Accesses of elements, and the references to them that functions are given.

use anabranch_core::facts::Component;
use proc_macro2::Span;

use super::super::{Access, Atom, Form, Found, Step};
use super::Extractor;
use crate::ir::{BinOp, Callee, CaptureId, ElementOf, Expr, ExprKind, SiteId};
use crate::names::place;

/// The components of an index; of a slice it is one.
type Index = Vec<Component<Atom>>;

impl<'b> Extractor<'b> {
    /// Whether an index has the number of components that a grid has, as far as that shows. Where
    /// it has not, rustc says it best.
    pub(super) fn fits(&self, view: CaptureId, index: &Expr) -> bool {
        let dims = self.dims(view);
        match &index.kind {
            _ if dims == 0 => true,
            ExprKind::Array { elems, .. } => elems.len() == dims,
            ExprKind::Local(local) => !self.is_counter(*local),
            ExprKind::Int { .. } | ExprKind::Binary { .. } | ExprKind::Cast { ty: Some(_), .. } => false,
            _ => true,
        }
    }

    /// An access by an index that does not fit. Of a literal and a list of another length, rustc
    /// knows that. An operator of the user, a conversion, or a variable that only seems to be a
    /// number may make what rustc takes, and of that nothing is known.
    pub(super) fn misfit(&mut self, view: CaptureId, index: &'b Expr, mutable: bool, site: SiteId, span: Span) {
        self.expr(index);
        if !matches!(index.kind, ExprKind::Int { .. } | ExprKind::Array { .. }) {
            let any = self.fresh();
            self.facts.called.insert(any);
            let component = |len| Component { len, index: Some(Form::atom(any)) };
            let index = self.extents(view).into_iter().map(component).collect();
            self.access(view, index, None, mutable, Some(site), span);
        }
    }

    /// The element that an index names.
    pub(super) fn index(&mut self, view: CaptureId, index: &'b Expr) -> Index {
        let extents = self.extents(view);
        let components: Vec<Option<Form>> = match &index.kind {
            _ if self.dims(view) == 0 => vec![self.component(index)],
            ExprKind::Array { elems, .. } => elems.iter().map(|elem| self.component(elem)).collect(),
            ExprKind::Local(local) if let Some(components) = self.known.lists.get(local) => components.clone(),
            _ => {
                self.expr(index);
                Vec::new()
            }
        };
        // Of any other number of components rustc knows what is wrong.
        let component = |(dim, len): (usize, Atom)| Component { len, index: components.get(dim).cloned().flatten() };
        extents.into_iter().enumerate().map(component).collect()
    }

    /// The first element of a slice.
    fn first(&mut self, view: CaptureId, index: Option<Form>) -> Index {
        vec![Component { len: self.len(view), index }]
    }

    fn component(&mut self, index: &'b Expr) -> Option<Form> {
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
                if self.known.locals.contains_key(local)
                    && self.facts.info.indexing.insert(*local)
                    && let Some(init) = self.known.inits.get(local).copied()
                {
                    self.indexes(init);
                }
            }
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.indexes(lhs);
                self.indexes(rhs);
            }
            ExprKind::Cast { operand, .. } => self.indexes(operand),
            ExprKind::Receiver { place, .. } => self.indexes(place),
            ExprKind::Call { callee: Callee::Function { .. } | Callee::Associated { .. }, args } => {
                args.iter().for_each(|arg| self.indexes(arg));
            }
            ExprKind::Call { args, .. } if self.facts.info.is_plain(expr) => {
                args.iter().for_each(|arg| self.indexes(arg))
            }
            _ => {}
        }
    }

    /// What an assignment writes to, or what a device function may touch: `x[i]`, `x[i].pos`, `&x`,
    /// `&mut x[a..b]`. A part of an element counts as the element.
    pub(super) fn place(&mut self, mutable: bool, place: &'b Expr) {
        if self.of_shared(place, mutable) {
            return;
        }
        match &place.kind {
            ExprKind::View { view } => self.whole(*view, mutable, place.span),
            ExprKind::Index { view, index, site } if !self.fits(*view, index) => {
                self.misfit(*view, index, mutable, *site, place.span);
            }
            ExprKind::Index { view, index, site } => {
                let index = self.index(*view, index);
                self.access(*view, index, None, mutable, Some(*site), place.span);
            }
            ExprKind::Range { base, start, end, inclusive, site } => {
                let view = match base.kind {
                    ExprKind::View { view } => Some(view),
                    _ => self.of_parameter(base),
                };
                let Some(view) = view else {
                    // A part of a part is no more than that, and may be less.
                    let outer = std::mem::replace(&mut self.here.part, true);
                    self.place(mutable, base);
                    self.here.part = outer;
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
                let first = self.first(view, first);
                self.access(view, first, Some(past), mutable, Some(*site), place.span);
            }
            ExprKind::Element { base, index, of: ElementOf::Slice, site }
                if let Some(view) = self.of_parameter(base) =>
            {
                let index = self.index(view, index);
                self.access(view, index, None, mutable, Some(*site), place.span);
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
        if self.dims(view) == 0 {
            let (first, len) = (self.first(view, Some(Form::constant(0))), self.len(view));
            return self.access(view, first, Some(Some(Form::atom(len))), write, None, span);
        }
        let any = |len| Component { len, index: None };
        let index = self.extents(view).into_iter().map(any).collect();
        self.access(view, index, None, write, None, span);
    }

    pub(super) fn access(
        &mut self,
        view: CaptureId,
        index: Index,
        end: Option<Option<Form>>,
        write: bool,
        site: Option<SiteId>,
        span: Span,
    ) {
        let shared = view.0.checked_sub(self.body.captures.len()).filter(|_| self.params.is_empty());
        let number = self.facts.accesses.len();
        // Ranges are checked where they are made, and so is what no launch can decide.
        if let (Some(site), None) = (site, &end)
            && index.iter().all(|of| of.index.as_ref().is_some_and(|form| self.is_limited(form)))
        {
            self.facts.decided.insert(site, number);
        }
        let mut index = index.into_iter();
        let Component { len, index: first } =
            index.next().unwrap_or_else(|| Component { len: self.fresh(), index: None });
        self.here.steps.push(Step::Access(number));
        let always = self.here.sometimes == 0 && !self.here.left;
        let text = match site {
            Some(site) => self.body[site].text.clone(),
            None => match shared {
                Some(local) => self.body.locals[local].name.to_string(),
                None => self.name(view),
            },
        };
        let (line, column) = place(span);
        let guards = self.here.guards.clone().filter(|_| !self.here.lost && !self.here.failed);
        let known = !self.here.part && guards.as_ref().is_some_and(Vec::is_empty);
        // Whether it is decided and proved is known when the whole body is.
        let (decided, proved) = (false, false);
        self.facts.accesses.push(Found {
            access: Access {
                view: view.0,
                len,
                index: first,
                more: index.collect(),
                strides: Vec::new(),
                end,
                write,
                always,
                known,
                decided,
                proved,
                text,
                line,
                column,
            },
            unsafe_access: self.here.unsafe_depth > 0,
            part: self.here.part,
            site,
            span,
            loops: self.here.loops.clone(),
            conditions: self.here.conditions.clone(),
            guards,
        });
    }
}
