//! A rough cost of an iteration on the CPU, so that the CPU device runs small loops inline: waking
//! a thread costs as much as tens of thousands of operations.
//!
//! **Rule.** One operation a node that computes, loads or stores; a loop with literal ends
//! multiplies. A loop of unknown length or a call makes the body *unbounded*: the runtime measures
//! such a body instead of believing us.

use crate::ir::{Block, Callee, Expr, ExprKind, Part, Shape};

/// What an iteration costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cost {
    /// Operations, saturating.
    pub(crate) operations: u32,
    /// Nobody knows.
    pub(crate) unbounded: bool,
}

impl Cost {
    const UNKNOWN: Cost = Cost { operations: 0, unbounded: true };

    fn one() -> Cost {
        Cost { operations: 1, unbounded: false }
    }

    fn and(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations.saturating_add(other.operations),
            unbounded: self.unbounded || other.unbounded,
        }
    }

    fn times(self, n: u32) -> Cost {
        Cost { operations: self.operations.saturating_mul(n), ..self }
    }
}

/// The cost of a block.
pub(crate) fn of_block(block: &Block) -> Cost {
    within(block.parts())
}

fn within(parts: Vec<Part<'_>>) -> Cost {
    parts.into_iter().fold(Cost::default(), |cost, part| {
        cost.and(match part {
            Part::Expr(expr) => of(expr),
            Part::Block(block) => of_block(block),
        })
    })
}

fn of(expr: &Expr) -> Cost {
    let parts = || within(expr.parts());
    match &expr.kind {
        // Where the value is, or what it is from the start.
        ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Words(_)
        | ExprKind::Captured(_)
        | ExprKind::Constant { .. }
        | ExprKind::FirstAtomic { .. }
        | ExprKind::Local(_)
        | ExprKind::Own { .. }
        | ExprKind::Field { .. }
        | ExprKind::Deref(_)
        | ExprKind::Reference { .. }
        | ExprKind::Receiver { .. }
        | ExprKind::Loaded { .. }
        | ExprKind::View { .. }
        | ExprKind::Len(_)
        | ExprKind::Measure { .. }
        | ExprKind::Panic { .. } => parts(),
        // Each thread evaluates its value, and a few operations follow.
        ExprKind::Collective(collective) => parts().and(Cost::one().times(4)).times(collective.threads),
        ExprKind::Call { callee, .. } => parts().and(match callee {
            Callee::Conversion { .. } => Cost::one(),
            // Square roots and the like: an order of magnitude more than an addition.
            Callee::Number { .. } | Callee::Method { known: Some(_), .. } | Callee::Atomic { .. } => {
                Cost::one().times(4)
            }
            Callee::Method { known: None, .. }
            | Callee::Function { .. }
            | Callee::Associated { .. }
            | Callee::Closure(_) => Cost::UNKNOWN,
        }),
        ExprKind::Closure { .. } | ExprKind::Print { .. } => parts().and(Cost::UNKNOWN),
        ExprKind::Flow { flow, .. } => match flow.shape() {
            Shape::Straight { .. } | Shape::Phase(_) | Shape::Labelled(_) | Shape::Jump(_) => parts(),
            Shape::If { .. } | Shape::Match { .. } | Shape::Question(_) => parts().and(Cost::one()),
            Shape::Round { .. } => parts().and(Cost::UNKNOWN),
            Shape::Counted { range, body, .. } => match (literal(&range.start), literal(&range.end)) {
                (Some(start), Some(end)) => {
                    let trips = end.saturating_add(u32::from(range.inclusive)).saturating_sub(start);
                    of_block(body).and(Cost::one()).times(trips)
                }
                _ => parts().and(Cost::UNKNOWN),
            },
        },
        _ => parts().and(Cost::one()),
    }
}

fn literal(expr: &Expr) -> Option<u32> {
    match &expr.kind {
        ExprKind::Int { digits, .. } => digits.parse().ok(),
        _ => None,
    }
}
