//! Which atoms a launch can limit, and so which accesses it can decide.
//!
//! A launch knows host values, and what follows from them. Of an element that was loaded, and of
//! the variable of an inner loop that ends at an element, it knows the type, which holds more
//! values than any buffer has elements. An index with such an atom is in bounds at no launch,
//! unless a condition or an operation limits it: `if k < n`, `k.min(n - 1)`, `k % n`, `k & 15`.
//! Where nothing does, the device checks that access, and the rest of the loop does not pay for it.
//!
//! This need not be exact. What is called limited and is not, the launch finds out: the loop runs
//! with all its checks. What is called unlimited and is not has a check too many. Only upper limits
//! are asked for: most indexes are unsigned.

use anabranch_core::facts::Term;

use super::super::{Atom, Comparison, Condition, Form, Operation};
use super::Extractor;

impl Extractor<'_> {
    /// Whether a launch can know how large a form gets.
    pub(super) fn is_limited(&self, form: &Form) -> bool {
        form.atoms().all(|atom| self.knows(atom))
    }

    fn knows(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(_) | Atom::Symbol(_) => true,
            Atom::Other(_) => self.here.limited.contains(&atom),
        }
    }

    /// The same of the result of an operation.
    pub(super) fn limits(&self, operation: Operation, operands: &[Form]) -> bool {
        let is_limited = |at: usize| operands.get(at).is_some_and(|operand| self.is_limited(operand));
        match operation {
            Operation::Div | Operation::SaturatingSub => is_limited(0),
            Operation::Rem | Operation::RemEuclid | Operation::And | Operation::Min => is_limited(0) || is_limited(1),
            // The high half of a `u32` is as small as a `u16`.
            Operation::Shr => is_limited(0) || operands.get(1).and_then(Form::literal).is_some_and(|by| by >= 16),
            Operation::Clamp => is_limited(2),
            Operation::Listed => true,
            Operation::Mul
            | Operation::Max
            | Operation::Or
            | Operation::Xor
            | Operation::SaturatingAdd
            | Operation::AbsDiff => is_limited(0) && is_limited(1),
            Operation::Any => false,
        }
    }

    /// Takes in what conditions limit.
    pub(super) fn limit(&mut self, conditions: &[Condition]) {
        // What one says may help another: `a <= b && b < n`.
        for _ in conditions {
            for Condition { lhs, comparison, rhs, ty: _ } in conditions {
                let below = |low: &Form, high: &Form| self.alone(low).filter(|_| self.is_limited(high));
                let limited = match comparison {
                    Comparison::Less | Comparison::LessOrEqual => below(lhs, rhs),
                    Comparison::Equal => below(lhs, rhs).or_else(|| below(rhs, lhs)),
                    Comparison::NotEqual => None,
                };
                self.here.limited.extend(limited);
            }
        }
    }

    /// The atom that a side of a condition is, if it is not limited yet. `k + 1 < n` says nothing
    /// of a `k` that is any number, because the sum may wrap, unless it was widened before.
    fn alone(&self, side: &Form) -> Option<Atom> {
        let mut unknown = side.value.terms.iter().filter(|term| !term.atoms.iter().all(|atom| self.knows(*atom)));
        let (Some(Term { atoms, factor }), None) = (unknown.next(), unknown.next()) else { return None };
        let &[atom @ Atom::Other(_)] = atoms.as_slice() else { return None };
        (*factor > 0 && (side.size.terms.len() == 1 || !side.casts.is_empty())).then_some(atom)
    }
}
