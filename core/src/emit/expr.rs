//! Expressions: text for a value, with statements written first where C++ cannot say it in an
//! expression.

use super::narrow::narrowed;
use super::nodes::{
    Block, Callee, ClosureParam, Expr, ExprKind, Flow, Format, LocalKind, Measure, Part, Shape, SlotId,
};
use super::ops::Method;
use super::writer::{Dest, Writer, begins, nothing};
use super::{MISSING, Member};
use crate::ir::effects::{self, Effects};
use crate::limits::TUPLE_WIDTH;

impl Writer<'_> {
    /// The text of an expression's value.
    pub(super) fn value(&mut self, expr: &Expr) -> String {
        self.wait_before(expr);
        match &expr.kind {
            ExprKind::Int { digits, slot, token: _ } => self.int(*slot, digits, false),
            ExprKind::Float { digits, slot, token: _ } => self.float(*slot, digits, false),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Words(_) => String::new(),
            ExprKind::Local(local) | ExprKind::Own { all: local, .. } => self.local(*local).to_owned(),
            ExprKind::Captured(capture) => self.capture(*capture).to_owned(),
            ExprKind::Len(view) => self.length(*view).to_owned(),
            ExprKind::Constant { slot, path: _, scope: _ } | ExprKind::FirstAtomic { slot, value: _ } => {
                self.types.constant(*slot)
            }
            ExprKind::Tuple { elems, slot } => {
                let elems = self.operands(&elems.iter().collect::<Vec<_>>());
                format!("{}{{{}}}", self.types.ty(*slot), elems.join(", "))
            }
            ExprKind::Array { elems, slot } => {
                let elems = self.operands(&elems.iter().collect::<Vec<_>>());
                format!("{}{{{{{}}}}}", self.types.ty(*slot), elems.join(", "))
            }
            ExprKind::Repeat { value, slot, len: _ } => {
                let value = self.value(value);
                format!("ab::filled<{}>({value})", self.types.ty(*slot))
            }
            ExprKind::Struct { fields, base, slot, path: _, called: _ } => {
                self.structure(fields, base.as_deref(), *slot)
            }
            ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::View { .. }
            | ExprKind::Range { .. } => self.place(expr),
            ExprKind::Reference { place, borrow: _ } => self.referred_to(place),
            ExprKind::Measure { base, what } => {
                let method = match what {
                    Measure::Len => "len",
                    Measure::IsEmpty => "is_empty",
                    Measure::Shape => "shape",
                };
                format!("{}.{method}()", self.place(base))
            }
            ExprKind::Unary { op, operand, slot } => self.unary(*op, *slot, operand),
            ExprKind::Binary { op, lhs, rhs, slot, site } => {
                let [lhs, rhs] = self.pair(lhs, rhs);
                self.binary(*op, *slot, *site, [&lhs, &rhs])
            }
            ExprKind::Compare { op, lhs, rhs, .. } if self.decided() && self.in_32_bits(expr).is_some() => {
                let [lhs, rhs] = match self.inline(expr) {
                    true => [self.narrow(lhs), self.narrow(rhs)],
                    false => self.pair(lhs, rhs).map(|wide| narrowed(&wide)),
                };
                format!("({lhs} {} {rhs})", op.symbol())
            }
            ExprKind::Compare { op, lhs, rhs, slot } => {
                let [lhs, rhs] = self.pair(lhs, rhs);
                self.comparison(*op, *slot, [&lhs, &rhs])
            }
            ExprKind::Logic { and, lhs, rhs } => self.logic(*and, lhs, rhs),
            ExprKind::Loaded { element, slot: _ } => self.value(element),
            ExprKind::Cast { operand, slot, ty: _ } => {
                let operand = self.value(operand);
                format!("ab::as<{}>({operand})", self.types.ty(*slot))
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
                // NVRTC 13 crashes on a choice between structs among the members of a struct,
                // unless a call is around it.
                let call = if self.types.scalar(*slot).is_none() { "ab::value" } else { "" };
                format!("{call}({cond} ? {then} : {otherwise})")
            }
            ExprKind::Flow { flow: Flow::Question { value, asked, result, conversion, closure: _ }, .. } => {
                let value = self.value(value);
                let variable = self.temporary(&value);
                self.question([*asked, *result, *conversion], &variable)
            }
            ExprKind::Flow { slot: Some(slot), .. } => {
                let name = self.namer.temporary();
                self.line(format!("{} {name}{};", self.types.ty(*slot), begins(expr)));
                self.lower(expr, &Dest::Assign(name.clone()));
                name
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

    /// `T { a: x, ..base }`
    fn structure(&mut self, fields: &[(String, Expr)], base: Option<&Expr>, slot: SlotId) -> String {
        let exprs: Vec<&Expr> = fields.iter().map(|(_, value)| value).chain(base).collect();
        let mut values = self.operands(&exprs);
        let base = match base {
            // It is mentioned once for each field that it gives.
            Some(base) => {
                let value = values.pop().unwrap_or_default();
                if is_name(base) { value } else { self.temporary(&value) }
            }
            None => String::new(),
        };
        let members = fields.iter().zip(values).map(|((name, expr), value)| {
            let effects = effects::of(expr, self.body);
            Member { name, value, acts: effects.stops || effects.writes }
        });
        self.types.made(slot, &base, &members.collect::<Vec<_>>())
    }

    /// Returns from the function if a variable has no value, which may have an error. The text of
    /// its value.
    fn question(&mut self, [asked, result, conversion]: [SlotId; 3], variable: &str) -> String {
        let convert = self.types.function(conversion).map(|function| self.checked_name(function));
        match self.types.question(asked, result, variable, convert.as_deref()) {
            Some(question) => {
                self.line(format!("if ({}) return {};", question.is_empty, question.returned));
                question.value
            }
            None => MISSING.to_owned(),
        }
    }

    /// A closure, which sees all variables around it. No `break` leaves it.
    fn lambda(&mut self, params: &[ClosureParam], body: &Block, result: SlotId) -> String {
        let params = params.iter().map(|ClosureParam { local, .. }| {
            let constness = if self.body[*local].mutable { "" } else { "const " };
            let how = if self.body[*local].kind == LocalKind::Value { "" } else { "&" };
            let ty = self.types.ty(self.body[*local].slot);
            format!("{constness}{ty}{how} {}", self.local(*local))
        });
        let params: Vec<String> = params.collect();
        let outer = std::mem::take(&mut self.out);
        let (loops, projects) = (std::mem::take(&mut self.loops), self.projects.take());
        self.indent += 1;
        self.block(body, &Dest::Return);
        if !body.value.as_ref().is_some_and(|value| self.returns(value)) {
            self.line("return {};");
        }
        self.indent -= 1;
        (self.loops, self.projects) = (loops, projects);
        let inside = std::mem::replace(&mut self.out, outer);
        let (params, result, indent) = (params.join(", "), self.types.ty(result), "    ".repeat(self.indent));
        format!("[&]({params}) -> {result} {{\n{inside}{indent}}}")
    }

    /// What a reference refers to: a place, or a value of its own, as `{ a }` is, also where its
    /// text is the name of a variable.
    fn referred_to(&mut self, expr: &Expr) -> String {
        let text = self.place(expr);
        if is_copied(expr) { format!("ab::value({text})") } else { text }
    }

    /// Values that are formatted, as one.
    pub(super) fn formatted(&mut self, format: &Format) -> String {
        let values = self.operands(&format.exprs().collect::<Vec<_>>());
        self.types.ty(format.slot) + &braces(values)
    }

    /// Operands in the order of Rust: a value that a later operand could change, or that must fail
    /// first, goes into a temporary.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Vec<String> {
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
                    let how = self.bound(&Method::new("", slot, None, expr));
                    self.line(format!("{how}{name} = {text};"));
                    name
                }
                (true, false) => self.temporary(&text),
                (true, true) => self.reference(&text),
            });
        }
        texts
    }

    fn pair(&mut self, lhs: &Expr, rhs: &Expr) -> [String; 2] {
        let mut texts = self.operands(&[lhs, rhs]).into_iter();
        [texts.next().unwrap_or_default(), texts.next().unwrap_or_default()]
    }

    /// `auto` is exact: every expression that we write has the type that the Rust expression has.
    pub(super) fn temporary(&mut self, value: &str) -> String {
        let name = self.namer.temporary();
        self.line(format!("const auto {name} = {value};"));
        name
    }

    /// A name for a place.
    pub(super) fn reference(&mut self, place: &str) -> String {
        let name = self.namer.temporary();
        self.line(format!("auto& {name} = {place};"));
        name
    }

    fn logic(&mut self, and: bool, lhs: &Expr, rhs: &Expr) -> String {
        let left = self.value(lhs);
        if self.inline(rhs) {
            let right = self.value(rhs);
            return match (and, self.in_32_bits(rhs)) {
                (false, _) => format!("({left} || {right})"),
                // Both at once: a branch costs more.
                (true, Some(true)) if self.decided() => format!("((bool)({left} & {right}))"),
                (true, _) => format!("({left} && {right})"),
            };
        }
        let name = self.namer.temporary();
        self.line(format!("bool {name} = {left};"));
        self.braced(&format!("if ({}{name})", if and { "" } else { "!" }), |w| {
            w.nested(rhs, &Dest::Assign(name.clone()));
        });
        self.line("}");
        name
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
            ExprKind::Range { base, .. } if !base.is_place() => false,
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
            place.is_place() && !matches!(place.kind, ExprKind::View { .. } | ExprKind::Range { .. })
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

/// Whether an expression is written as one name.
pub(super) fn is_name(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Local(_) | ExprKind::Own { .. } | ExprKind::Captured(_))
}

fn must_come_first(effects: &[Effects], at: usize) -> bool {
    effects[at + 1..].iter().any(|&later| effects::ordered(effects[at], later))
}

/// The members of a tuple, which may be nested: see [`TUPLE_WIDTH`].
fn braces(mut members: Vec<String>) -> String {
    while members.len() > TUPLE_WIDTH {
        members = members.chunks(TUPLE_WIDTH).map(|chunk| braces(chunk.to_vec())).collect();
    }
    format!("{{{}}}", members.join(", "))
}
