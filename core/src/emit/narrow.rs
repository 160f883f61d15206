//! Index arithmetic in 32 bits, where the launch has shown that it fits. Signed, so that the
//! compiler may add to the address what is added to the index.

use super::nodes::{BinOp, Callee, CaptureId, Expr, ExprKind, LocalId, Part, SlotId};
use super::writer::Writer;
use super::{Proved, Version};
use crate::ir::effects;

impl Writer<'_> {
    /// Whether the launch has shown that the accesses that it decides are in bounds.
    pub(super) fn decided(&self) -> bool {
        self.proved == Proved::Accesses
    }

    /// The index of an access that the launch has shown to be in bounds.
    pub(super) fn decided_index(&mut self, index: &Expr) -> String {
        if self.inline(index) {
            return self.narrow(index);
        }
        // Statements before it come once, from its form in 64 bits.
        let inline = self.inline_in_32_bits(index);
        let wide = self.value(index);
        if inline { self.narrow(index) } else { narrowed(&wide) }
    }

    /// A value in 32 bits. None of its parts needs more.
    pub(super) fn narrow(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Local(local) if let Some(name) = &self.narrow[local.0] => name.clone(),
            ExprKind::Captured(capture) => self.narrow_capture(*capture),
            ExprKind::Int { digits, .. } if digits.parse::<i32>().is_ok() => digits.clone(),
            ExprKind::Binary { op: op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs, .. } => {
                let (lhs, rhs) = (self.narrow(lhs), self.narrow(rhs));
                format!("({lhs} {} {rhs})", op.symbol())
            }
            ExprKind::Cast { operand, .. } => self.narrow(operand),
            ExprKind::Call { callee, args }
                if let Some(method) = callee.known()
                    && self.info.is_some_and(|info| info.is_plain(expr)) =>
            {
                format!("ab::narrow_{}({})", method.name, self.narrow_list(args))
            }
            ExprKind::Receiver { place, .. } => self.narrow(place),
            ExprKind::Call { callee: Callee::Function { slot, .. }, args } => {
                self.called_in_32_bits(*slot, args).unwrap_or_else(|| narrowed(&self.value(expr)))
            }
            _ => narrowed(&self.value(expr)),
        }
    }

    fn narrow_list(&mut self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.narrow(expr)).collect::<Vec<_>>().join(", ")
    }

    /// A value that is no number gets any: the launch decides nothing with it.
    fn narrow_capture(&self, capture: CaptureId) -> String {
        match self.types.captured(capture).scalar {
            Some(_) => format!("(i32){}", self.capture(capture)),
            None => "0".to_owned(),
        }
    }

    /// A call of a function that exists in 32 bits, too.
    fn called_in_32_bits(&mut self, slot: SlotId, args: &[Expr]) -> Option<String> {
        let function = self.types.function(slot).filter(|function| function.is_index)?;
        let args = self.narrow_list(args);
        Some(format!("{}({args})", self.name_of(function, Version::Index)))
    }

    /// A value in 32 bits, beside the same in 64 bits, whose low half is `low`. Nothing is called
    /// twice.
    pub(super) fn narrow_once(&mut self, expr: &Expr, low: String) -> String {
        match &expr.kind {
            ExprKind::Call { callee: Callee::Function { slot, .. }, args }
                if !args.iter().any(|arg| self.calls(arg)) =>
            {
                self.called_in_32_bits(*slot, args).unwrap_or(low)
            }
            _ if self.calls(expr) => low,
            _ => self.narrow(expr),
        }
    }

    /// Whether an index needs no statement, or only one that its form in 32 bits has no part in:
    /// where that is used, the launch has shown that it is made of numbers.
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

    /// Whether an access whose check the launch decides is indexed with a variable.
    pub(super) fn indexes(&self, local: LocalId) -> bool {
        self.info.is_some_and(|info| info.indexing.contains(&local)) && !self.body[local].mutable
    }

    /// Whether a loop counts in 32 bits.
    pub(super) fn counts_in_32_bits(&self, var: LocalId) -> bool {
        self.decided() && self.info.is_some_and(|info| info.counted.contains(&var))
    }

    /// A variable of a value that is an expression in C++, too; in 32 bits, where there is index
    /// arithmetic with it.
    pub(super) fn let_value(&mut self, local: LocalId, init: &Expr) {
        // It is spelled twice then, so it may change nothing.
        let plain = self.info.is_some_and(|info| info.plain.contains(&local));
        let twice = self.decided()
            && self.inline_in_32_bits(init)
            && plain
            && self.indexes(local)
            && !effects::of(init, self.body).writes;
        // The initializer first: it may mention an older local of the same name.
        let value = self.value(init);
        let low = narrowed(self.local(local));
        let narrow = twice.then(|| self.narrow_once(init, low));
        self.define(local, &value);
        if let Some(narrow) = narrow {
            self.define_narrow(local, &narrow);
        }
    }

    /// The name of a variable in 32 bits.
    pub(super) fn narrow_name(&mut self, local: LocalId) -> String {
        let wide = self.local(local).to_owned();
        let name = self.namer.name(&format!("{wide}_32"));
        self.narrow[local.0] = Some(name.clone());
        name
    }

    /// `const i32 name_32 = value;`
    pub(super) fn define_narrow(&mut self, local: LocalId, value: &str) {
        let name = self.narrow_name(local);
        self.line(format!("const i32 {name} = {value};"));
    }
}

/// The low 32 bits of a value.
pub(super) fn narrowed(wide: &str) -> String {
    format!("(i32){wide}")
}
