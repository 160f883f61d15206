//! Places: elements, fields and what assignments write to.

use super::expr::nothing;
use super::nodes::{AssignOp, BinOp, Callee, CaptureId, ElementOf, Expr, ExprKind, Part, SiteId};
use super::writer::{Dest, Writer, goes_into_its_place};
use super::{Node, Text};
use crate::ir::effects;

impl Writer<'_> {
    /// The text of a place: an lvalue where the base is one.
    pub(super) fn place(&mut self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::View { view } => Text::new().text(self.capture(*view)),
            ExprKind::Index { view, index, site } if self.body[*view].dims > 0 => {
                self.grid_element(*view, index, *site)
            }
            ExprKind::Index { view, index, site } => {
                let inline = self.inline_in_32_bits(index);
                let wide = self.value(index);
                let view_name = Text::new().text(self.capture(*view));
                let checked = self.at(view_name, *site, wide.clone());
                if !self.decides(*site) {
                    return checked;
                }
                // Statements before it would be there twice.
                let narrow = if inline { self.narrow(index) } else { narrowed(wide) };
                let decided = Text::new().text(&self.captures[view.0].pointer).text("[").then(narrow).text("]");
                Text::new().hole(Node::Either(decided, checked))
            }
            ExprKind::Element { base, index, site, of } => {
                let base = self.base(base, &[index], matches!(of, ElementOf::Value(_)));
                match of {
                    ElementOf::Grid => checked_by("at".into(), base, *site, Text::list(self.grid_index(index))),
                    ElementOf::Slice => {
                        let inline = self.inline_in_32_bits(index);
                        let wide = self.value(index);
                        // A slice is a part of a view, whose length the launch has compared, or of an array.
                        let checked = self.at(base.clone(), *site, wide.clone());
                        if !self.decides(*site) {
                            return checked;
                        }
                        let narrow = if inline { self.narrow(index) } else { narrowed(wide) };
                        let told = base.text(".p[").then(narrow).text("]");
                        Text::new().hole(Node::Either(told, checked))
                    }
                    ElementOf::Value(slot) => {
                        let index = self.value(index);
                        let (slot, number) = (slot.number(), site.number());
                        Text::new().hole(match self.info.is_some_and(|info| info.within.contains(site)) {
                            true => Node::Within(slot, number, base, index),
                            false => Node::Element(slot, number, base, index),
                        })
                    }
                }
            }
            ExprKind::Field { base, member } => self.place(base).text(format!(".{}", member)),
            // A C++ reference needs no dereference.
            ExprKind::Deref(reference) => self.place(reference),
            ExprKind::Range { base, start, end, inclusive, site } => {
                let ends: Vec<&Expr> = start.iter().chain(end).map(|e| &**e).collect();
                let start_first = self.start_comes_first(start.as_deref(), *inclusive);
                let base = if is_place(base) {
                    self.base(base, &ends, start_first)
                } else {
                    // The slice points into it.
                    let value = self.value(base);
                    self.temporary(value)
                };
                let mut texts = self.operands(&ends).into_iter();
                let first = match start {
                    Some(_) if start_first => {
                        let first = texts.next().unwrap_or_else(nothing);
                        self.temporary(first)
                    }
                    Some(_) => texts.next().unwrap_or_else(nothing),
                    None => "0ull".into(),
                };
                let how = if end.is_some() { "range" } else { "from" };
                let head = base.text(format!(".{how}(ab_cx, ")).hole(Node::Site(site.number())).text(", ").then(first);
                match (texts.next(), inclusive) {
                    (Some(end), false) => head.text(", ").then(end).text(")"),
                    (Some(end), true) => {
                        head.text(", ab::past(ab_cx, ").hole(Node::Site(site.number())).text(", ").then(end).text("))")
                    }
                    (None, _) => head.text(")"),
                }
            }
            _ => self.value(expr),
        }
    }

    /// An element of a captured grid. Where the launch has decided, nothing is left but the element's place.
    fn grid_element(&mut self, view: CaptureId, index: &Expr, site: SiteId) -> Text {
        let inline = self.inline_in_32_bits(index);
        let wide = self.grid_index(index);
        let grid = Text::new().text(self.capture(view));
        let checked = self.at(grid, site, Text::list(wide.clone()));
        if !self.decides(site) {
            return checked;
        }
        let narrow: Vec<Text> = match &index.kind {
            // Statements before it would be there twice.
            ExprKind::Array { elems, .. } if inline => elems.iter().map(|elem| self.narrow(elem)).collect(),
            ExprKind::Array { .. } => wide.into_iter().map(narrowed).collect(),
            _ => {
                let array = self.value(index);
                (0..self.body[view].dims).map(|at| narrowed(array.clone().text(format!(".e[{at}]")))).collect()
            }
        };
        let strides: Vec<Text> = self.body.strides(view).map(|s| Text::new().text(self.capture(s))).collect();
        let mut components = narrow.into_iter();
        let place = strides
            .into_iter()
            .zip(components.by_ref())
            .fold(Text::new(), |place, (stride, part)| place.then(part).text(" * ").then(narrowed(stride)).text(" + "));
        let place = place.then(components.next().unwrap_or_default());
        let decided = Text::new().text(&self.captures[view.0].pointer).text("[").then(place).text("]");
        Text::new().hole(Node::Either(decided, checked))
    }

    /// Whether the launch may decide an access.
    fn decides(&self, site: SiteId) -> bool {
        self.info.is_some_and(|info| info.decided.contains(&site))
    }

    /// A checked element. Only a body with facts has a program apart for what the launch has shown.
    fn at(&self, base: Text, site: SiteId, index: Text) -> Text {
        let at = if self.info.is_some() { Text::new().hole(Node::At) } else { "at".into() };
        checked_by(at, base, site, index)
    }

    /// The arguments that an index of a grid is: its components, or the one array.
    fn grid_index(&mut self, index: &Expr) -> Vec<Text> {
        match &index.kind {
            ExprKind::Array { elems, .. } => self.operands(&elems.iter().collect::<Vec<_>>()),
            _ => vec![self.value(index)],
        }
    }

    /// The base of a projection. C++ evaluates it before the index, as Rust does, unless the index needs statements, or a function is called
    /// with both: then it comes first by a reference to it, or by a copy of what is no place.
    fn base(&mut self, base: &Expr, indexes: &[&Expr], called: bool) -> Text {
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
        if is_place(base) && !is_part { self.reference(text) } else { self.temporary(text) }
    }

    /// Whether the start of a range is evaluated in a statement: after it, the last index of `..=` can fail to have a successor.
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
        self.line(place.text(" = ").then(value).text(";"));
    }

    pub(super) fn assign_op(&mut self, AssignOp { op, slot, site }: AssignOp, place: &Expr, value: &Expr) {
        let (place, value) = self.place_and_value(place, value, false);
        self.line(Text::assignment(op, slot, site, place, value).text(";"));
    }

    /// The value is evaluated first. C++17 promises that for `=`, whose right side may so stay where it is unless the
    /// place needs statements; a compound assignment may become a call, whose arguments have no order.
    fn place_and_value(&mut self, place: &Expr, value: &Expr, sequenced: bool) -> (Text, Text) {
        let mut text = self.value(value);
        let stays = sequenced && self.inline(place);
        if !stays && effects::ordered(effects::of(value, self.body), effects::of(place, self.body)) {
            text = self.temporary(text);
        }
        (self.place(place), text)
    }
}

impl Writer<'_> {
    /// An index in 32 bits, where the launch has shown that none of its parts needs more. Signed, so that the compiler may
    /// add to the address what is added to the index.
    pub(super) fn narrow(&mut self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Local(local) if let Some(name) = &self.narrow[local.0] => Text::new().text(name),
            ExprKind::Captured(capture) => {
                Text::new().hole(Node::Narrow(capture.number(), self.capture(*capture).to_owned()))
            }
            ExprKind::Int { digits, .. } if digits.parse::<i32>().is_ok() => Text::new().text(digits),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let op = match op {
                    BinOp::Add => " + ",
                    BinOp::Sub => " - ",
                    BinOp::Mul => " * ",
                    _ => {
                        let wide = self.value(expr);
                        return narrowed(wide);
                    }
                };
                let (lhs, rhs) = (self.narrow(lhs), self.narrow(rhs));
                Text::from("(").then(lhs).text(op).then(rhs).text(")")
            }
            ExprKind::Cast { operand, .. } => self.narrow(operand),
            ExprKind::Call { callee, args }
                if let Some(method) = callee.known()
                    && self.info.is_some_and(|info| info.is_plain(expr)) =>
            {
                let args: Vec<Text> = args.iter().map(|arg| self.narrow(arg)).collect();
                Text::new().text(format!("ab::narrow_{}(", method.name)).then(Text::list(args)).text(")")
            }
            ExprKind::Receiver { place, .. } => self.narrow(place),
            ExprKind::Call { callee: Callee::Function { slot, .. }, args } => {
                let wide = self.value(expr);
                let args: Vec<Text> = args.iter().map(|arg| self.narrow(arg)).collect();
                Text::new().hole(Node::NarrowResult(slot.number(), Text::list(args), narrowed(wide)))
            }
            _ => {
                let wide = self.value(expr);
                narrowed(wide)
            }
        }
    }
}

impl Writer<'_> {
    /// Whether an index needs no statement, or only one that its form in 32 bits has no part in: where that is used, the launch has shown that it is
    /// made of numbers.
    pub(super) fn inline_in_32_bits(&self, expr: &Expr) -> bool {
        self.inline(expr) || !self.waits_before(expr) && self.is_plain_sum(expr)
    }

    /// Of what [`narrow`](Self::narrow) takes apart, the parts; the rest it evaluates once more.
    fn is_plain_sum(&self, expr: &Expr) -> bool {
        let is_plain = || self.info.is_some_and(|info| info.is_plain(expr));
        match &expr.kind {
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.is_plain_sum(lhs) && self.is_plain_sum(rhs)
            }
            ExprKind::Array { elems, .. } => elems.iter().all(|elem| self.is_plain_sum(elem)),
            ExprKind::Cast { operand, .. } => self.is_plain_sum(operand),
            ExprKind::Call { callee, args } if callee.known().is_some() && is_plain() => {
                args.iter().all(|arg| self.is_plain_sum(arg))
            }
            ExprKind::Receiver { place, .. } => self.is_plain_sum(place),
            _ => {
                let effects = effects::of(expr, self.body);
                self.inline(expr) && (is_plain() || !effects.stops && !effects.writes)
            }
        }
    }

    /// Whether an expression calls what may do more than to compute a value.
    pub(super) fn calls(&self, expr: &Expr) -> bool {
        let here = match &expr.kind {
            ExprKind::Call { callee: Callee::Number { .. } | Callee::Conversion { .. }, .. } => false,
            ExprKind::Call { callee: Callee::Method { .. }, .. } => !self.info.is_some_and(|info| info.is_plain(expr)),
            ExprKind::Call { .. } | ExprKind::Closure { .. } | ExprKind::Flow { .. } => true,
            _ => false,
        };
        let inside = |part: Part<'_>| match part {
            Part::Expr(expr) => self.calls(expr),
            Part::Block(_) => true,
        };
        here || expr.parts().into_iter().any(inside)
    }

    /// An index in 32 bits, beside the same in 64 bits, whose low half this is. Nothing is called twice.
    pub(super) fn narrow_once(&mut self, expr: &Expr, low: Text) -> Text {
        match &expr.kind {
            ExprKind::Call { callee: Callee::Function { slot, .. }, args }
                if !args.iter().any(|arg| self.calls(arg)) =>
            {
                let args: Vec<Text> = args.iter().map(|arg| self.narrow(arg)).collect();
                Text::new().hole(Node::NarrowResult(slot.number(), Text::list(args), low))
            }
            _ if self.calls(expr) => low,
            _ => self.narrow(expr),
        }
    }
}

/// The low 32 bits of a value.
pub(super) fn narrowed(wide: Text) -> Text {
    Text::from("(i32)").then(wide)
}

/// Whether an expression names something that outlives the statement.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_)
        | ExprKind::Own { .. }
        | ExprKind::Captured(_)
        | ExprKind::View { .. }
        | ExprKind::Index { .. }
        | ExprKind::Deref(_) => true,
        ExprKind::Element { base, .. } | ExprKind::Field { base, .. } | ExprKind::Range { base, .. } => is_place(base),
        _ => false,
    }
}

fn checked_by(at: Text, base: Text, site: SiteId, index: Text) -> Text {
    base.text(".").then(at).text("(ab_cx, ").hole(Node::Site(site.number())).text(", ").then(index).text(")")
}
