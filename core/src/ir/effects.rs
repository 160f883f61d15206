//! What evaluating an expression may do, and so where its evaluation order can be seen.
//!
//! **Rule.** Rust evaluates operands from left to right; C++ in any order. An operand must be
//! evaluated into a temporary of its own when it or a later operand writes something that the other
//! one reads, or when both may fail (the first failure is the one that is reported) or write.

use super::{
    Adaptor, Body, Borrow, Callee, CaptureKind, ElementOf, Expr, ExprKind, LocalKind, Measure, Part, Shape, SiteId,
    Slot, Tokens,
};

/// What an evaluation may do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Effects {
    /// May not come to its end: a failing check, a jump, an endless loop.
    pub stops: bool,
    /// Changes a variable or an element.
    pub writes: bool,
    /// Depends on something that can change: a `mut` variable or an element.
    pub reads: bool,
}

impl Effects {
    const NONE: Effects = Effects { stops: false, writes: false, reads: false };
    const ANY: Effects = Effects { stops: true, writes: true, reads: true };

    fn and(self, other: Effects) -> Effects {
        Effects {
            stops: self.stops || other.stops,
            writes: self.writes || other.writes,
            reads: self.reads || other.reads,
        }
    }
}

/// Whether an operand must be evaluated before the operands after it.
pub fn ordered(operand: Effects, later: Effects) -> bool {
    (later.writes && (operand.reads || operand.writes || operand.stops))
        || (later.stops && (operand.stops || operand.writes))
        || (later.reads && operand.writes)
}

/// The effects of an expression.
pub fn of<S: Tokens>(expr: &Expr<S>, body: &Body<S>) -> Effects {
    within(expr.parts(), body).and(own(expr, body))
}

/// The effects of some parts.
fn within<S: Tokens>(parts: Vec<Part<'_, S>>, body: &Body<S>) -> Effects {
    parts.into_iter().fold(Effects::NONE, |effects, part| {
        effects.and(match part {
            Part::Expr(expr) => of(expr, body),
            // A variable of the block is new: a write to it is not visible outside.
            Part::Block(block) => within(block.parts(), body),
        })
    })
}

/// What an expression adds to its parts.
fn own<S: Tokens>(expr: &Expr<S>, body: &Body<S>) -> Effects {
    let stops = Effects { stops: true, ..Effects::NONE };
    let writes = Effects { writes: true, ..Effects::NONE };
    let reads = Effects { reads: true, ..Effects::NONE };
    let fails = |site: &Option<SiteId>| if site.is_some() { stops } else { Effects::NONE };
    let handed = |borrow| match borrow {
        Borrow::Shared => reads,
        Borrow::Atomic | Borrow::Unique => writes,
    };
    let passed = |args: &[Expr<S>]| {
        args.iter().fold(Effects::NONE, |effects, arg| {
            effects.and(match &arg.kind {
                ExprKind::Reference { borrow, .. } => handed(*borrow),
                ExprKind::Receiver { .. } if changes_receiver(arg, body) => reads.and(writes),
                ExprKind::Receiver { .. } => reads,
                // A reference that is passed on.
                ExprKind::Local(local) => match body[*local].kind {
                    LocalKind::Value => Effects::NONE,
                    LocalKind::Closure => reads.and(writes),
                    LocalKind::Reference(borrow) | LocalKind::Slice(borrow) | LocalKind::Grid(borrow, _) => {
                        handed(borrow)
                    }
                },
                _ => Effects::NONE,
            })
        })
    };
    match &expr.kind {
        ExprKind::Local(local) => match body[*local].kind {
            LocalKind::Value => Effects { reads: body[*local].mutable, ..Effects::NONE },
            LocalKind::Reference(_) | LocalKind::Slice(_) | LocalKind::Grid(..) | LocalKind::Closure => Effects::NONE,
        },
        ExprKind::Deref(_) | ExprKind::Own { .. } => reads,
        // Through a reference: its name alone reads nothing.
        ExprKind::Field { base, .. }
            if let ExprKind::Local(local) = base.kind
                && body[local].kind != LocalKind::Value =>
        {
            reads
        }
        // An index operator for writing has its receiver by `&mut`.
        ExprKind::Element { of: ElementOf::Value(slot), .. } if matches!(body[*slot], Slot::IndexMut) => Effects::ANY,
        ExprKind::Index { .. } | ExprKind::Element { .. } => stops.and(reads),
        ExprKind::Range { .. } | ExprKind::Panic { .. } => stops,
        ExprKind::Unary { operand: of, .. } if is_number(of, body) => Effects::NONE,
        ExprKind::Binary { lhs, rhs, site, .. } if is_number(lhs, body) && is_number(rhs, body) => fails(site),
        ExprKind::Compare { lhs, rhs, .. } if is_number(lhs, body) && is_number(rhs, body) => Effects::NONE,
        // It may be a function of the user's type.
        ExprKind::Unary { .. } | ExprKind::Binary { .. } | ExprKind::Compare { .. } => stops,
        ExprKind::Collective(collective) => fails(&collective.of.as_ref().map(|(_, site)| *site)),
        ExprKind::Assert { check, cond: _ } => {
            if check.is_some() {
                stops
            } else {
                Effects::NONE
            }
        }
        ExprKind::Call { callee, args } => match callee {
            Callee::Number { site, .. } => fails(site),
            Callee::Conversion { .. } => Effects::NONE,
            // A method with the name of one of std may be the user's.
            Callee::Method { .. } | Callee::Function { .. } | Callee::Associated { .. } => stops.and(passed(args)),
            // What it changes is around it, wherever that is.
            Callee::Closure(_) => Effects::ANY,
            Callee::Atomic { .. } => writes.and(reads),
        },
        // What is printed is in the order of the program.
        ExprKind::Assign { op: None, .. } | ExprKind::Print { .. } => writes,
        ExprKind::Assign { op: Some(_), .. } => writes.and(stops),
        ExprKind::Flow { flow, .. } => match flow.shape() {
            Shape::Round { ends: false, .. } | Shape::Labelled(_) | Shape::Jump(_) | Shape::Question(_) => stops,
            // A step of 0 fails.
            Shape::Counted { range, .. } if range.adaptors.iter().any(|a| matches!(a, Adaptor::StepBy { .. })) => stops,
            Shape::Counted { .. } | Shape::Round { ends: true, .. } => Effects::NONE,
            Shape::Straight { .. } | Shape::Phase(_) | Shape::If { .. } | Shape::Match { .. } => Effects::NONE,
        },
        ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Words(_)
        | ExprKind::Captured(_)
        | ExprKind::Constant { .. }
        | ExprKind::FirstAtomic { .. }
        | ExprKind::Tuple { .. }
        | ExprKind::Array { .. }
        | ExprKind::Repeat { .. }
        | ExprKind::Struct { .. }
        | ExprKind::Field { .. }
        | ExprKind::Reference { .. }
        | ExprKind::Receiver { .. }
        | ExprKind::Closure { .. }
        | ExprKind::View { .. }
        | ExprKind::Len(_)
        | ExprKind::Measure { .. }
        | ExprKind::Logic { .. }
        | ExprKind::Loaded { .. }
        | ExprKind::Cast { .. } => Effects::NONE,
    }
}

/// Whether something is a number whatever types the user has: an operator of two of them calls
/// nothing.
fn is_number<S: Tokens>(expr: &Expr<S>, body: &Body<S>) -> bool {
    match &expr.kind {
        ExprKind::Int { .. } | ExprKind::Float { .. } | ExprKind::Bool(_) => true,
        ExprKind::Len(_) | ExprKind::Cast { ty: Some(_), .. } | ExprKind::Logic { .. } => true,
        ExprKind::Measure { what, .. } => *what != Measure::Shape,
        ExprKind::Local(local) => body[*local].counts,
        ExprKind::Captured(capture) => matches!(body[*capture].kind, CaptureKind::Extent(..) | CaptureKind::Stride(..)),
        ExprKind::Unary { operand, .. } => is_number(operand, body),
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Compare { lhs, rhs, .. } => {
            is_number(lhs, body) && is_number(rhs, body)
        }
        _ => false,
    }
}

/// Whether something is a receiver that its method may change.
pub fn changes_receiver<S: Tokens>(expr: &Expr<S>, body: &Body<S>) -> bool {
    match &expr.kind {
        ExprKind::Receiver { place, std_name, changing, lent: false, .. } => {
            (!std_name || *changing) && changes(place, body)
        }
        _ => false,
    }
}

/// Whether a method may change a place. The twin borrows elements for reading only.
fn changes<S: Tokens>(place: &Expr<S>, body: &Body<S>) -> bool {
    match &place.kind {
        ExprKind::Local(local) | ExprKind::Own { all: local, .. } => match body[*local].kind {
            LocalKind::Value | LocalKind::Closure => body[*local].mutable,
            LocalKind::Reference(borrow) | LocalKind::Slice(borrow) | LocalKind::Grid(borrow, _) => {
                borrow == Borrow::Unique
            }
        },
        ExprKind::Field { base, .. } | ExprKind::Deref(base) => changes(base, body),
        _ => false,
    }
}
