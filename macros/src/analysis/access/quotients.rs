//! `a / b * b + a % b` is `a`.

use super::extract::Extractor;
use super::{Atom, Form};
use crate::ir::{BinOp, Expr, ExprKind};

/// `a / b` or `a % b`, of numbers that the machine has as they are.
#[derive(Clone)]
pub(super) struct Division {
    atom: Atom,
    is_quotient: bool,
    operands: (Form, Form),
}

impl Extractor<'_> {
    /// The result of a division, for [`rejoined`](Self::rejoined).
    pub(super) fn divided(&mut self, op: BinOp, lhs: &Expr, rhs: &Expr, forms: (Form, Form), result: &Form) {
        if let (true, Some(atom)) = (self.is_value(lhs) && self.is_value(rhs), result.atoms().next()) {
            self.known.divisions.push(Division { atom, is_quotient: op == BinOp::Div, operands: forms });
        }
    }

    /// Whether the form of an expression is the machine's number, and not what has wrapped to it.
    fn is_value(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary { op: BinOp::Div | BinOp::Rem, .. } => true,
            ExprKind::Local(local) if let Some(init) = self.known.inits.get(local) => {
                let is_result = matches!(init.kind, ExprKind::Binary { op: BinOp::Div | BinOp::Rem, .. });
                is_result || !self.changes(init) && self.is_value(init)
            }
            _ => self.is_exact(expr),
        }
    }

    /// An index with dividends in the place of quotients and remainders.
    pub(super) fn rejoined(&self, mut index: Form) -> Form {
        let (quotients, remainders): (Vec<_>, Vec<_>) = self.known.divisions.iter().partition(|of| of.is_quotient);
        // A dividend may be a quotient itself.
        while let Some(joined) = remainders.iter().find_map(|remainder| {
            let (factor, rest) = index.split(remainder.atom).filter(|(f, _)| !f.value.is_zero())?;
            let (dividend, divisor) = &remainder.operands;
            quotients.iter().filter(|quotient| quotient.operands == remainder.operands).find_map(|quotient| {
                let (by, rest) = rest.split(quotient.atom)?;
                (by.value == factor.mul(divisor)?.value).then(|| rest.add(&factor.mul(dividend)?))?
            })
        }) {
            // The machine computes it as it is written.
            index = Form { value: joined.value, ..index };
        }
        index
    }
}
