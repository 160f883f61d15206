//! What expressions are in a state: numbers that are exact in their types, or unknown.

use std::collections::BTreeMap;

use super::types::Types;
use crate::ir::{BinOp, CompareOp, Expr, ExprKind, LocalId, Part, UnOp};

/// A value that is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    /// Not negative, and of an integer type that holds it.
    Int(i64),
    Bool(bool),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int(number) => write!(f, "{number}"),
            Value::Bool(value) => write!(f, "{value}"),
        }
    }
}

/// What is known at a place of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    /// The values of variables; all others are unknown.
    pub(super) values: BTreeMap<LocalId, Value>,
    /// Every condition on the way here was known.
    pub(super) certain: bool,
}

impl State {
    pub(super) fn unsure(mut self) -> Self {
        self.certain = false;
        self
    }
}

impl Types<'_> {
    /// The value of a plain expression.
    pub(super) fn value(&self, expr: &Expr, state: &State) -> Option<Value> {
        match &expr.kind {
            ExprKind::Int { digits, .. } => {
                let number = digits.parse().ok()?;
                (number <= self.limit(expr)?).then_some(Value::Int(number))
            }
            ExprKind::Bool(value) => Some(Value::Bool(*value)),
            ExprKind::Local(local) => state.values.get(local).copied(),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                self.operation(*op, expr, self.value(lhs, state)?, self.value(rhs, state)?)
            }
            ExprKind::Compare { op, lhs, rhs, .. } => match (self.value(lhs, state)?, self.value(rhs, state)?) {
                (Value::Int(lhs), Value::Int(rhs)) => Some(Value::Bool(match op {
                    CompareOp::Eq => lhs == rhs,
                    CompareOp::Ne => lhs != rhs,
                    CompareOp::Lt => lhs < rhs,
                    CompareOp::Le => lhs <= rhs,
                    CompareOp::Gt => lhs > rhs,
                    CompareOp::Ge => lhs >= rhs,
                })),
                _ => None,
            },
            ExprKind::Unary { op: UnOp::Not, operand, .. } => match self.value(operand, state)? {
                Value::Bool(value) => Some(Value::Bool(!value)),
                Value::Int(_) => None,
            },
            ExprKind::Logic { and, lhs, rhs } => {
                let decides = Some(Value::Bool(!and));
                match (self.value(lhs, state), self.value(rhs, state)) {
                    (lhs, _) if lhs == decides => decides,
                    (Some(Value::Bool(_)), rhs) => rhs,
                    (_, rhs) => rhs.filter(|_| rhs == decides),
                }
            }
            ExprKind::Cast { operand, .. } => {
                let number = match self.value(operand, state)? {
                    Value::Int(number) => number,
                    Value::Bool(value) => value.into(),
                };
                (number <= self.limit(expr)?).then_some(Value::Int(number))
            }
            _ => None,
        }
    }

    /// Whether the evaluation of a plain expression may fail, or wrap, for its numbers.
    pub(super) fn fails(&self, expr: &Expr, state: &State) -> bool {
        let own = match &expr.kind {
            ExprKind::Binary { lhs, rhs, .. } => {
                self.value(expr, state).is_none()
                    && [lhs, rhs].into_iter().all(|operand| self.value(operand, state).is_some())
            }
            _ => false,
        };
        let within = |part: Part<'_>| matches!(part, Part::Expr(part) if self.fails(part, state));
        own || expr.parts().into_iter().any(within)
    }

    /// What an operator makes of two numbers, if that is exact in the type of the result, which is
    /// that of an expression.
    pub(super) fn operation(&self, op: BinOp, result: &Expr, lhs: Value, rhs: Value) -> Option<Value> {
        let (Value::Int(lhs), Value::Int(rhs)) = (lhs, rhs) else { return None };
        let limit = self.limit(result)?;
        // Every integer type has more bits than its numbers here.
        let shift = |by: i64| u32::try_from(by).ok().filter(|by| 1_i64 << by.min(&62) <= limit);
        let number = match op {
            BinOp::Add => lhs + rhs,
            BinOp::Sub => lhs - rhs,
            BinOp::Mul => lhs * rhs,
            BinOp::Div => lhs.checked_div(rhs)?,
            BinOp::Rem => lhs.checked_rem(rhs)?,
            BinOp::And => lhs & rhs,
            BinOp::Or => lhs | rhs,
            BinOp::Xor => lhs ^ rhs,
            BinOp::Shl => lhs << shift(rhs)?,
            BinOp::Shr => lhs >> shift(rhs)?,
        };
        (0..=limit).contains(&number).then_some(Value::Int(number))
    }
}
