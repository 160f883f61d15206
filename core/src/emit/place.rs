//! Places: elements, fields and what assignments write to.

use super::Proved;
use super::narrow::narrowed;
use super::nodes::{AssignOp, CaptureId, ElementOf, Expr, ExprKind, SiteId};
use super::writer::{Dest, Writer, goes_into_its_place, nothing};
use crate::ir::effects;

impl Writer<'_> {
    /// The text of a place: an lvalue where the base is one.
    pub(super) fn place(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::View { view } => self.capture(*view).to_owned(),
            ExprKind::Index { view, index, site } if self.body[*view].dims > 0 => {
                self.grid_element(*view, index, *site)
            }
            ExprKind::Index { view, index, site } if self.is_decided(*site) => {
                let index = self.decided_index(index);
                format!("{}[{index}]", self.captures[view.0].pointer)
            }
            ExprKind::Index { view, index, site } => {
                let index = self.value(index);
                let base = self.capture(*view).to_owned();
                self.at(&base, *site, &index)
            }
            ExprKind::Element { base, index, site, of } => {
                let base = self.base(base, &[index], matches!(of, ElementOf::Value(_)));
                match of {
                    ElementOf::Grid => {
                        let index = self.grid_index(index).join(", ");
                        format!("{base}.at(ab_cx, {}, {index})", self.site(*site))
                    }
                    // A slice is a part of a view, whose length the launch has compared, or of an
                    // array.
                    ElementOf::Slice if self.is_decided(*site) => format!("{base}.p[{}]", self.decided_index(index)),
                    ElementOf::Slice => {
                        let index = self.value(index);
                        self.at(&base, *site, &index)
                    }
                    ElementOf::Value(slot) => {
                        let index = self.value(index);
                        let within = self.info.is_some_and(|info| info.within.contains(site));
                        match self.types.function(*slot) {
                            Some(function) => format!("{}(ab_cx, {base}, {index})", self.checked_name(function)),
                            // A thread that goes on after a failed check must not write.
                            None if within && !self.form.goes_on => format!("{base}.e[(u32)({index})]"),
                            None => format!("{base}.at(ab_cx, {}, {index})", self.site(*site)),
                        }
                    }
                }
            }
            ExprKind::Field { base, member } => self.place(base) + "." + member,
            // A C++ reference needs no dereference.
            ExprKind::Deref(reference) => self.place(reference),
            ExprKind::Range { base, start, end, inclusive, site } => {
                let ends: Vec<&Expr> = start.iter().chain(end).map(|e| &**e).collect();
                let start_first = self.start_comes_first(start.as_deref(), *inclusive);
                let base = if base.is_place() {
                    self.base(base, &ends, start_first)
                } else {
                    // The slice points into it.
                    let value = self.value(base);
                    self.temporary(&value)
                };
                let mut texts = self.operands(&ends).into_iter();
                let first = match start {
                    Some(_) if start_first => {
                        let first = texts.next().unwrap_or_else(nothing);
                        self.temporary(&first)
                    }
                    Some(_) => texts.next().unwrap_or_else(nothing),
                    None => "0ull".to_owned(),
                };
                let how = if end.is_some() { "range" } else { "from" };
                let site = self.site(*site);
                match (texts.next(), inclusive) {
                    (Some(end), false) => format!("{base}.{how}(ab_cx, {site}, {first}, {end})"),
                    (Some(end), true) => {
                        format!("{base}.{how}(ab_cx, {site}, {first}, ab::past(ab_cx, {site}, {end}))")
                    }
                    (None, _) => format!("{base}.{how}(ab_cx, {site}, {first})"),
                }
            }
            _ => self.value(expr),
        }
    }

    /// An element of a captured grid. Where the launch has decided, nothing is left but the
    /// element's place.
    fn grid_element(&mut self, view: CaptureId, index: &Expr, site: SiteId) -> String {
        if !self.is_decided(site) {
            let index = self.grid_index(index).join(", ");
            let grid = self.capture(view).to_owned();
            return self.at(&grid, site, &index);
        }
        let components: Vec<String> = match &index.kind {
            ExprKind::Array { elems, .. } if self.inline(index) => elems.iter().map(|elem| self.narrow(elem)).collect(),
            ExprKind::Array { elems, .. } => {
                // Statements before it come once, from its form in 64 bits.
                let inline = self.inline_in_32_bits(index);
                let wide = self.grid_index(index);
                match inline {
                    true => elems.iter().map(|elem| self.narrow(elem)).collect(),
                    false => wide.iter().map(|wide| narrowed(wide)).collect(),
                }
            }
            _ => {
                let array = self.value(index);
                (0..self.body[view].dims).map(|at| narrowed(&format!("{array}.e[{at}]"))).collect()
            }
        };
        let strides = self.body.strides(view).map(|stride| narrowed(self.capture(stride)));
        let mut strides = strides.collect::<Vec<_>>().into_iter();
        let terms = components.into_iter().map(|component| match strides.next() {
            Some(stride) => format!("{component} * {stride}"),
            None => component,
        });
        format!("{}[{}]", self.captures[view.0].pointer, terms.collect::<Vec<_>>().join(" + "))
    }

    /// Whether the launch has decided an access.
    fn is_decided(&self, site: SiteId) -> bool {
        self.decided() && self.info.is_some_and(|info| info.decided.contains(&site))
    }

    /// A checked element. Where the lengths of slices fit 32 bits, the low half of the index is
    /// compared.
    fn at(&mut self, base: &str, site: SiteId, index: &str) -> String {
        let at = if self.proved == Proved::Nothing { "at" } else { "at_narrow" };
        format!("{base}.{at}(ab_cx, {}, {index})", self.site(site))
    }

    /// The arguments that an index of a grid is: its components, or the one array.
    fn grid_index(&mut self, index: &Expr) -> Vec<String> {
        match &index.kind {
            ExprKind::Array { elems, .. } => self.operands(&elems.iter().collect::<Vec<_>>()),
            _ => vec![self.value(index)],
        }
    }

    /// The base of a projection. C++ evaluates it before the index, as Rust does, unless the index
    /// needs statements, or a function is called with both: then it comes first by a reference to
    /// it, or by a copy of what is no place.
    fn base(&mut self, base: &Expr, indexes: &[&Expr], called: bool) -> String {
        let text = self.place(base);
        let named = matches!(
            base.kind,
            ExprKind::Local(_)
                | ExprKind::Own { .. }
                | ExprKind::Captured(_)
                | ExprKind::View { .. }
                | ExprKind::Deref(_)
        );
        let effects = |expr| effects::of(expr, self.body);
        let ordered = called && indexes.iter().any(|index| effects::ordered(effects(base), effects(index)));
        if named || !ordered && indexes.iter().all(|index| self.inline(index)) {
            return text;
        }
        // The part of a slice is a value.
        let is_part = matches!(base.kind, ExprKind::Range { .. });
        if base.is_place() && !is_part { self.reference(&text) } else { self.temporary(&text) }
    }

    /// Whether the start of a range is evaluated in a statement: after it, the last index of `..=`
    /// can fail to have a successor.
    pub(super) fn start_comes_first(&self, start: Option<&Expr>, inclusive: bool) -> bool {
        inclusive && start.is_some_and(|start| effects::of(start, self.body).stops)
    }

    pub(super) fn assign(&mut self, place: &Expr, value: &Expr) {
        // An assignment from control flow goes right into the variable.
        if let ExprKind::Local(local) | ExprKind::Own { all: local, .. } = place.kind
            && goes_into_its_place(value)
            && !self.inline(value)
        {
            let name = self.local(local).to_owned();
            return self.lower(value, &Dest::Assign(name));
        }
        let (place, value) = self.place_and_value(place, value, true);
        self.line(format!("{place} = {value};"));
    }

    pub(super) fn assign_op(&mut self, AssignOp { op, slot, site }: AssignOp, place: &Expr, value: &Expr) {
        let (place, value) = self.place_and_value(place, value, false);
        let assignment = self.compound(op, slot, site, [&place, &value]);
        self.line(assignment + ";");
    }

    /// The value is evaluated first. C++17 promises that for `=`, whose right side may so stay
    /// where it is unless the place needs statements; a compound assignment may become a call,
    /// whose arguments have no order.
    fn place_and_value(&mut self, place: &Expr, value: &Expr, sequenced: bool) -> (String, String) {
        let mut text = self.value(value);
        let stays = sequenced && self.inline(place);
        if !stays && effects::ordered(effects::of(value, self.body), effects::of(place, self.body)) {
            text = self.temporary(&text);
        }
        (self.place(place), text)
    }
}
