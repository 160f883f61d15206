//! Expressions: text for a value, with statements written first where C++ cannot say it in an expression.

use super::Method;
use super::nodes::{
    Block, Callee, ClosureParam, Expr, ExprKind, Flow, Format, LocalKind, Measure, Part, Shape, SiteId, SlotId,
};
use super::place::is_place;
use super::writer::{Dest, Writer, begins};
use super::{Node, Text};
use crate::ir::effects::{self, Effects};
use crate::limits::TUPLE_WIDTH;

impl Writer<'_> {
    /// The text of an expression's value.
    pub(super) fn value(&mut self, expr: &Expr) -> Text {
        self.wait_before(expr);
        match &expr.kind {
            ExprKind::Int { digits, slot, token: _ } => Text::new().hole(Node::Int(slot.number(), digits.clone())),
            ExprKind::Float { digits, slot, token: _ } => Text::new().hole(Node::Float(slot.number(), digits.clone())),
            ExprKind::Bool(value) => Text::from(if *value { "true" } else { "false" }),
            ExprKind::Words(_) => Text::new(),
            ExprKind::Local(local) | ExprKind::Own { all: local, .. } => Text::new().text(self.local(*local)),
            ExprKind::Captured(capture) => Text::new().text(self.capture(*capture)),
            ExprKind::Len(view) => Text::new().text(self.length(*view)),
            ExprKind::Constant { slot, path: _, scope: _ } | ExprKind::FirstAtomic { slot, value: _ } => {
                Text::new().hole(Node::Constant(slot.number()))
            }
            ExprKind::Tuple { elems, slot } => {
                let elems = self.operands(&elems.iter().collect::<Vec<_>>());
                Text::new().hole(Node::Type(slot.number())).text("{").then(Text::list(elems)).text("}")
            }
            ExprKind::Array { elems, slot } => {
                let elems = self.operands(&elems.iter().collect::<Vec<_>>());
                Text::new().hole(Node::Type(slot.number())).text("{{").then(Text::list(elems)).text("}}")
            }
            ExprKind::Repeat { value, slot, len: _ } => {
                let value = self.value(value);
                Text::from("ab::filled<").hole(Node::Type(slot.number())).text(">(").then(value).text(")")
            }
            ExprKind::Struct { fields, base, slot, path: _, called: _ } => {
                let values: Vec<&Expr> = fields.iter().map(|(_, value)| value).chain(base.as_deref()).collect();
                let mut values = self.operands(&values);
                let base = match base {
                    // It is mentioned once for each field that it gives.
                    Some(base) => {
                        let value = values.pop().unwrap_or_default();
                        if is_name(base) { value } else { self.temporary(value) }
                    }
                    None => Text::new(),
                };
                let members = fields.iter().zip(values).fold(Text::new(), |members, ((member, _), value)| {
                    members.hole(Node::Member(member.clone(), value))
                });
                Text::new().hole(Node::Make(slot.number(), base, members))
            }
            ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::View { .. }
            | ExprKind::Range { .. } => self.place(expr),
            ExprKind::Reference { place, borrow: _ } => self.referred_to(place),
            ExprKind::Measure { base, what } => self.place(base).text(match what {
                Measure::Len => ".len()",
                Measure::IsEmpty => ".is_empty()",
                Measure::Shape => ".shape()",
            }),
            ExprKind::Unary { op, operand, slot } => {
                let operand = self.value(operand);
                Text::unary(*op, *slot, operand)
            }
            ExprKind::Binary { op, lhs, rhs, slot, site } => {
                let [lhs, rhs] = self.pair(lhs, rhs);
                Text::binary(*op, *slot, *site, lhs, rhs)
            }
            ExprKind::Compare { op, lhs, rhs, slot } => {
                let [left, right] = self.pair(lhs, rhs);
                let wide = Text::comparison(*op, *slot, left, right);
                if self.in_32_bits(expr).is_none() {
                    return wide;
                }
                let narrow = Text::from("(").then(self.narrow(lhs)).text(format!(" {} ", op.symbol()));
                Text::new().hole(Node::Either(narrow.then(self.narrow(rhs)).text(")"), wide))
            }
            ExprKind::Logic { and, lhs, rhs } => self.logic(*and, lhs, rhs),
            ExprKind::Loaded { element, slot: _ } => self.value(element),
            ExprKind::Cast { operand, slot, ty: _ } => {
                let operand = self.value(operand);
                Text::from("ab::as<").hole(Node::Type(slot.number())).text(">(").then(operand).text(")")
            }
            ExprKind::Receiver { place, .. } => self.referred_to(place),
            ExprKind::Call { callee, args } => self.call(callee, args),
            ExprKind::Collective(collective) => self.collective(collective),
            ExprKind::Closure { params, output: _, body, result } => self.lambda(params, body, *result),
            ExprKind::Flow { flow, .. } if let Shape::Straight { body, .. } = flow.shape() => {
                // Names are unique in the function, so the statements need no scope of their own.
                self.statements(body);
                match &body.value {
                    Some(value) => self.value(value),
                    None => nothing(),
                }
            }
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise: Some(otherwise) }, slot: Some(slot) }
                if self.inline(expr) =>
            {
                let cond = self.value(cond);
                let then = then.value.as_ref().map_or_else(nothing, |v| self.value(v));
                let otherwise = self.value(otherwise);
                let chosen = Text::from("(").then(cond).text(" ? ").then(then).text(" : ").then(otherwise).text(")");
                Text::new().hole(Node::Chosen(slot.number(), chosen))
            }
            ExprKind::Flow { flow: Flow::Question { value, asked, result, conversion, closure: _ }, .. } => {
                let value = self.value(value);
                let name = self.namer.temporary();
                self.line(Text::new().text(format!("const auto {name} = ")).then(value).text(";"));
                let slots = [asked.number(), result.number(), conversion.number()];
                self.line(Text::new().hole(Node::Propagate(slots, name.clone())));
                Text::new().hole(Node::Answer(asked.number(), name))
            }
            ExprKind::Flow { slot: Some(slot), .. } => {
                let name = self.namer.temporary();
                let begins = begins(expr);
                self.line(Text::new().hole(Node::Type(slot.number())).text(format!(" {name}{begins};")));
                self.lower(expr, &Dest::Assign(name.clone()));
                Text::new().text(name)
            }
            ExprKind::Flow { .. }
            | ExprKind::Panic { .. }
            | ExprKind::Print { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Assign { .. } => {
                self.lower(expr, &Dest::Discard);
                nothing()
            }
        }
    }

    /// What a reference refers to: a place, or a value of its own, as `{ a }` is, also where its text is the name of a variable.
    fn referred_to(&mut self, expr: &Expr) -> Text {
        let text = self.place(expr);
        if is_copied(expr) { Text::from("ab::value(").then(text).text(")") } else { text }
    }

    /// A closure, which sees all variables around it. No `break` leaves it.
    fn lambda(&mut self, params: &[ClosureParam], body: &Block, result: SlotId) -> Text {
        let params = params.iter().map(|ClosureParam { local, .. }| {
            let constness = if self.body[*local].mutable { "" } else { "const " };
            let how = if self.body[*local].kind == LocalKind::Value { "" } else { "&" };
            let name = self.local(*local).to_owned();
            Text::from(constness).hole(Node::Type(self.body[*local].slot.number())).text(format!("{how} {name}"))
        });
        let params: Vec<Text> = params.collect();
        let outer = std::mem::take(&mut self.out);
        let (loops, projects) = (std::mem::take(&mut self.loops), self.projects.take());
        self.indent += 1;
        self.block(body, &Dest::Return);
        if !body.value.as_ref().is_some_and(|value| self.returns(value)) {
            self.line("return {};".into());
        }
        self.indent -= 1;
        (self.loops, self.projects) = (loops, projects);
        let inside = std::mem::replace(&mut self.out, outer);
        let head = Text::from("[&](").then(Text::list(params)).text(") -> ").hole(Node::Type(result.number()));
        head.text(" {\n").then(inside).text("    ".repeat(self.indent)).text("}")
    }

    /// Values that are formatted, as one.
    pub(super) fn formatted(&mut self, format: &Format) -> Text {
        let values = self.operands(&format.exprs().collect::<Vec<_>>());
        Text::new().hole(Node::Type(format.slot.number())).then(braces(values))
    }

    /// Operands in the order of Rust: a value that a later operand could change, or that must fail first, goes into a
    /// temporary.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Vec<Text> {
        let effects: Vec<Effects> = exprs.iter().map(|e| effects::of(e, self.body)).collect();
        let waits: Vec<bool> = exprs.iter().map(|e| self.waits_before(e)).collect();
        let mut texts = Vec::new();
        for (at, expr) in exprs.iter().enumerate() {
            let text = self.value(expr);
            // What is read before a barrier may have changed after it.
            let first = must_come_first(&effects, at) || effects[at].reads && waits[at + 1..].contains(&true);
            texts.push(match (first, refers_to_a_place(expr)) {
                (false, _) => text,
                (true, _) if let ExprKind::Receiver { slot, .. } = expr.kind => {
                    let name = self.namer.temporary();
                    let bind = Text::new().hole(Node::Bind(method(slot, None, expr)));
                    self.line(bind.text(format!("{name} = ")).then(text).text(";"));
                    Text::new().text(name)
                }
                (true, false) => self.temporary(text),
                (true, true) => self.reference(text),
            });
        }
        texts
    }

    fn pair(&mut self, lhs: &Expr, rhs: &Expr) -> [Text; 2] {
        let mut texts = self.operands(&[lhs, rhs]).into_iter();
        [texts.next().unwrap_or_default(), texts.next().unwrap_or_default()]
    }

    /// `auto` is exact: every expression that we write has the type that the Rust expression has.
    pub(super) fn temporary(&mut self, value: Text) -> Text {
        let name = self.namer.temporary();
        self.line(Text::new().text(format!("const auto {name} = ")).then(value).text(";"));
        Text::new().text(name)
    }

    /// A name for a place.
    pub(super) fn reference(&mut self, place: Text) -> Text {
        let name = self.namer.temporary();
        self.line(Text::new().text(format!("auto& {name} = ")).then(place).text(";"));
        Text::new().text(name)
    }

    fn logic(&mut self, and: bool, lhs: &Expr, rhs: &Expr) -> Text {
        let left = self.value(lhs);
        if self.inline(rhs) {
            let right = self.value(rhs);
            let one_by_one = |op: &str| Text::from("(").then(left.clone()).text(op).then(right.clone()).text(")");
            return match (and, self.in_32_bits(rhs)) {
                (false, _) => one_by_one(" || "),
                // Both at once: a branch costs more.
                (true, Some(true)) => {
                    let both = Text::from("((bool)").then(one_by_one(" & ")).text(")");
                    Text::new().hole(Node::Either(both, one_by_one(" && ")))
                }
                (true, _) => one_by_one(" && "),
            };
        }
        let name = self.namer.temporary();
        self.line(Text::new().text(format!("bool {name} = ")).then(left).text(";"));
        self.braced(Text::new().text(format!("if ({}{name})", if and { "" } else { "!" })), |w| {
            w.nested(rhs, &Dest::Assign(name.clone()));
        });
        self.line("}".into());
        Text::new().text(name)
    }

    /// Of a comparison in 32 bits, whether it may come before what stands left of its `&&`.
    fn in_32_bits(&self, cond: &Expr) -> Option<bool> {
        let ExprKind::Compare { slot, .. } = &cond.kind else { return None };
        self.info?.compared.get(slot).copied()
    }

    /// Whether [`value`](Self::value) writes no statement.
    pub(super) fn inline(&self, expr: &Expr) -> bool {
        match &expr.kind {
            // A barrier is a statement.
            _ if self.waits_before(expr) => false,
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, slot } => {
                slot.is_some()
                    && self.inline(cond)
                    && self.inline_block(then)
                    && otherwise.as_ref().is_some_and(|e| self.inline(e))
            }
            ExprKind::Flow { flow, .. } if let Shape::Straight { body, .. } = flow.shape() => self.inline_block(body),
            ExprKind::Logic { lhs, rhs, .. } => self.inline(lhs) && self.inline(rhs),
            ExprKind::Call { callee: Callee::Function { slot, .. } | Callee::Associated { slot, .. }, args }
                if self.info.is_some_and(|info| info.calls.contains_key(slot))
                    && args.iter().any(|arg| self.calls(arg)) =>
            {
                false
            }
            ExprKind::Range { base, .. } if !is_place(base) => false,
            ExprKind::Range { start, inclusive, .. } if self.start_comes_first(start.as_deref(), *inclusive) => false,
            ExprKind::Struct { base: Some(base), .. } if !is_name(base) => false,
            ExprKind::Flow { .. }
            | ExprKind::Collective(_)
            | ExprKind::Panic { .. }
            | ExprKind::Print { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Assign { .. } => false,
            _ => {
                let operands: Vec<&Expr> = expr
                    .parts()
                    .into_iter()
                    .filter_map(|part| match part {
                        Part::Expr(expr) => Some(expr),
                        Part::Block(_) => None,
                    })
                    .collect();
                self.inline_all(&operands)
            }
        }
    }

    fn inline_block(&self, block: &Block) -> bool {
        block.stmts.is_empty() && block.value.as_ref().is_some_and(|v| self.inline(v))
    }

    fn inline_all(&self, exprs: &[&Expr]) -> bool {
        let effects: Vec<Effects> = exprs.iter().map(|e| effects::of(e, self.body)).collect();
        exprs.iter().enumerate().all(|(at, e)| self.inline(e) && !must_come_first(&effects, at))
    }
}

/// Whether a function is given the place itself. A slice is a value that points to its elements.
pub(super) fn refers_to_a_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Reference { place, .. } => {
            is_place(place) && !matches!(place.kind, ExprKind::View { .. } | ExprKind::Range { .. })
        }
        _ => false,
    }
}

/// Whether it is a copy of what it names. Constants need none: nobody changes them.
fn is_copied(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Flow { .. } => true,
        ExprKind::Field { base, .. } | ExprKind::Element { base, .. } => is_copied(base),
        _ => false,
    }
}

/// A method with its receiver.
pub(super) fn method(slot: SlotId, site: Option<SiteId>, receiver: &Expr) -> Method {
    let (place, changing) = match &receiver.kind {
        ExprKind::Receiver { place, changing, .. } => (is_place(place), *changing),
        _ => (true, false),
    };
    Method { slot: slot.number(), site: site.map(SiteId::number), place, changing }
}

/// Whether an expression is written as one name.
pub(super) fn is_name(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Local(_) | ExprKind::Own { .. } | ExprKind::Captured(_))
}

fn must_come_first(effects: &[Effects], at: usize) -> bool {
    effects[at + 1..].iter().any(|&later| effects::ordered(effects[at], later))
}

/// The members of a tuple, which may be nested: see [`TUPLE_WIDTH`].
fn braces(mut members: Vec<Text>) -> Text {
    while members.len() > TUPLE_WIDTH {
        members = members.chunks(TUPLE_WIDTH).map(|chunk| braces(chunk.to_vec())).collect();
    }
    Text::from("{").then(Text::list(members)).text("}")
}

/// The value of an expression without one: `()`. It also fills places that control never reaches.
pub(super) fn nothing() -> Text {
    "ab::tuple<>{}".into()
}
