//! Expressions: text for a value, with statements written first where C++ cannot say it in an expression.

use super::text::{Piece, Text};
use super::writer::{Dest, Writer, binary};
use crate::analysis::effects::{self, Effects};
use crate::ir::{BinOp, Block, CompareOp, Expr, ExprKind, SiteId, SlotId, UnOp};

impl Writer<'_> {
    /// The text of an expression's value.
    pub(super) fn value(&mut self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Int { digits, slot, token: _ } => Text::new().hole(Piece::Int(*slot, digits.clone())),
            ExprKind::Float { digits, slot, token: _ } => Text::new().hole(Piece::Float(*slot, digits.clone())),
            ExprKind::Bool(value) => Text::from(if *value { "true" } else { "false" }),
            ExprKind::Local(local) => Text::new().text(self.local(*local)),
            ExprKind::Captured(capture) => Text::new().text(self.capture(*capture)),
            ExprKind::Len(view) => Text::new().text(self.length(*view)),
            ExprKind::Index { view, index, site } => {
                let index = self.value(index);
                self.element(*view, index, *site)
            }
            ExprKind::Unary { op, operand, slot } => {
                let operand = self.value(operand);
                unary(*op, *slot, operand)
            }
            ExprKind::Binary { op, lhs, rhs, slot, site } => {
                let [lhs, rhs] = self.pair(lhs, rhs);
                match site {
                    None => binary(*op, *slot, lhs, rhs),
                    Some(_) => Text::new()
                        .hole(Piece::Open(*op, *slot, *site))
                        .then(lhs)
                        .hole(Piece::Mid(*op, *slot))
                        .then(rhs)
                        .hole(Piece::Close(*op, *slot)),
                }
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let [lhs, rhs] = self.pair(lhs, rhs);
                Text::from("(").then(lhs).text(format!(" {} ", compare(*op))).then(rhs).text(")")
            }
            ExprKind::Logic { and, lhs, rhs } => self.logic(*and, lhs, rhs),
            ExprKind::Cast { operand, slot, ty: _ } => {
                let operand = self.value(operand);
                Text::from("ab::as<").hole(Piece::Type(*slot)).text(">(").then(operand).text(")")
            }
            ExprKind::Method { method, args, site } => {
                let args = self.operands(&args.iter().collect::<Vec<_>>());
                let context = site.map(|site| Text::from("ab_cx, ").hole(Piece::Site(site)));
                Text::new()
                    .text(format!("ab::{}(", method.name))
                    .then(Text::list(context.into_iter().chain(args)))
                    .text(")")
            }
            ExprKind::Associated { name, arg, slot, ty: _ } => {
                let arg = self.value(arg);
                Text::new().text(format!("ab::{name}<")).hole(Piece::Type(*slot)).text(">(").then(arg).text(")")
            }
            ExprKind::Call { args, slot, path: _ } => {
                let args = self.operands(&args.iter().collect::<Vec<_>>());
                let args = [Text::from("ab_cx")].into_iter().chain(args);
                Text::new().hole(Piece::Call(*slot)).text("(").then(Text::list(args)).text(")")
            }
            ExprKind::Block(block) => {
                // Names are unique in the function, so the statements need no scope of their own.
                self.statements(block);
                match &block.value {
                    Some(value) => self.value(value),
                    None => nothing(),
                }
            }
            ExprKind::If { cond, then, otherwise: Some(otherwise), slot: Some(_) } if self.inline(expr) => {
                let cond = self.value(cond);
                let then = then.value.as_ref().map_or_else(nothing, |v| self.value(v));
                let otherwise = self.value(otherwise);
                Text::from("(").then(cond).text(" ? ").then(then).text(" : ").then(otherwise).text(")")
            }
            ExprKind::If { slot: Some(slot), .. } | ExprKind::Loop { slot: Some(slot), .. } => {
                let name = self.namer.temporary();
                self.line(Text::new().hole(Piece::Type(*slot)).text(format!(" {name};")));
                self.lower(expr, &Dest::Assign(name.clone()));
                Text::new().text(name)
            }
            ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_) => {
                self.lower(expr, &Dest::Discard);
                nothing()
            }
        }
    }

    fn element(&self, view: crate::ir::CaptureId, index: Text, site: SiteId) -> Text {
        Text::new()
            .text(format!("{}.at(ab_cx, ", self.capture(view)))
            .hole(Piece::Site(site))
            .text(", ")
            .then(index)
            .text(")")
    }

    /// Operands in the order of Rust: a value that a later operand could change, or that must fail first, goes into a
    /// temporary.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Vec<Text> {
        let effects: Vec<Effects> = exprs.iter().map(|e| effects::of(e, self.body)).collect();
        let mut texts = Vec::new();
        for (at, expr) in exprs.iter().enumerate() {
            let text = self.value(expr);
            texts.push(if must_come_first(&effects, at) { self.temporary(text) } else { text });
        }
        texts
    }

    fn pair(&mut self, lhs: &Expr, rhs: &Expr) -> [Text; 2] {
        let mut texts = self.operands(&[lhs, rhs]).into_iter();
        [texts.next().unwrap_or_default(), texts.next().unwrap_or_default()]
    }

    /// `auto` is exact: every expression that we write has the type that the Rust expression has.
    fn temporary(&mut self, value: Text) -> Text {
        let name = self.namer.temporary();
        self.line(Text::new().text(format!("const auto {name} = ")).then(value).text(";"));
        Text::new().text(name)
    }

    fn logic(&mut self, and: bool, lhs: &Expr, rhs: &Expr) -> Text {
        let left = self.value(lhs);
        if self.inline(rhs) {
            let right = self.value(rhs);
            return Text::from("(").then(left).text(if and { " && " } else { " || " }).then(right).text(")");
        }
        let name = self.namer.temporary();
        self.line(Text::new().text(format!("bool {name} = ")).then(left).text(";"));
        self.braced(Text::new().text(format!("if ({}{name})", if and { "" } else { "!" })), |w| {
            w.nested(rhs, &Dest::Assign(name.clone()));
        });
        self.line("}".into());
        Text::new().text(name)
    }

    /// Whether [`value`](Self::value) writes no statement.
    pub(super) fn inline(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Captured(_)
            | ExprKind::Len(_) => true,
            ExprKind::Index { index: operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::Associated { arg: operand, .. } => self.inline(operand),
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Compare { lhs, rhs, .. } => self.inline_all(&[lhs, rhs]),
            ExprKind::Logic { lhs, rhs, .. } => self.inline(lhs) && self.inline(rhs),
            ExprKind::Method { args, .. } | ExprKind::Call { args, .. } => {
                self.inline_all(&args.iter().collect::<Vec<_>>())
            }
            ExprKind::Block(block) => self.inline_block(block),
            ExprKind::If { cond, then, otherwise, slot } => {
                slot.is_some()
                    && self.inline(cond)
                    && self.inline_block(then)
                    && otherwise.as_ref().is_some_and(|e| self.inline(e))
            }
            ExprKind::While { .. }
            | ExprKind::Loop { .. }
            | ExprKind::For { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_) => false,
        }
    }

    fn inline_block(&self, block: &Block) -> bool {
        block.stmts.is_empty() && block.value.as_ref().is_some_and(|v| self.inline(v))
    }

    fn inline_all(&self, exprs: &[&Expr]) -> bool {
        let effects: Vec<Effects> = exprs.iter().map(|e| effects::of(e, self.body)).collect();
        exprs.iter().enumerate().all(|(at, e)| self.inline(e) && !must_come_first(&effects, at))
    }

    pub(super) fn assign(&mut self, place: &Expr, value: &Expr) {
        // An assignment from control flow goes right into the variable.
        if let (ExprKind::Local(local), ExprKind::If { .. } | ExprKind::Loop { .. }) = (&place.kind, &value.kind)
            && !self.inline(value)
        {
            let name = self.local(*local).to_owned();
            return self.lower(value, &Dest::Assign(name));
        }
        let (place, value) = self.place_and_value(place, value, true);
        self.line(place.text(" = ").then(value).text(";"));
    }

    pub(super) fn assign_op(&mut self, op: BinOp, place: &Expr, value: &Expr, slot: SlotId, site: Option<SiteId>) {
        let (place, value) = self.place_and_value(place, value, false);
        self.line(
            Text::new()
                .hole(Piece::OpenAssign(op, slot, site))
                .then(place)
                .hole(Piece::MidAssign(op, slot))
                .then(value)
                .hole(Piece::CloseAssign(op, slot))
                .text(";"),
        );
    }

    /// The value is evaluated first. C++17 promises that for `=`, whose right side may so stay where it is unless the
    /// place needs statements; a compound assignment may become a call, whose arguments have no order.
    fn place_and_value(&mut self, place: &Expr, value: &Expr, sequenced: bool) -> (Text, Text) {
        match &place.kind {
            ExprKind::Index { view, index, site } => {
                let mut text = self.value(value);
                let stays = sequenced && self.inline(index);
                if !stays && effects::ordered(effects::of(value, self.body), effects::of(place, self.body)) {
                    text = self.temporary(text);
                }
                let index = self.value(index);
                (self.element(*view, index, *site), text)
            }
            _ => {
                let value = self.value(value);
                (self.value(place), value)
            }
        }
    }
}

fn must_come_first(effects: &[Effects], at: usize) -> bool {
    effects[at + 1..].iter().any(|&later| effects::ordered(effects[at], later))
}

fn unary(op: UnOp, slot: SlotId, operand: Text) -> Text {
    Text::new().hole(Piece::OpenUnary(op, slot)).then(operand).hole(Piece::CloseUnary(op, slot))
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// Stands where control never comes, or where rustc has already refused a `()`.
fn nothing() -> Text {
    "0".into()
}
