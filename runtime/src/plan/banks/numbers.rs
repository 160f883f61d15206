//! Numbers of an access: their values, and what happens to them where one grows that is not known.

use anabranch_core::banks::Op;
use anabranch_core::facts::Member;
use anabranch_core::ops::{BinOp, CompareOp};

use crate::model::banks::Number;
use crate::model::description::SlotValue;

/// Deeper expressions are not known.
const MOST_DEPTH: usize = 16;
/// Longer periods are as good as none.
const MOST_PERIOD: i128 = 1 << 12;
/// What an array of a block may be indexed with.
const MOST_INDEX: i128 = 1 << 31;

/// What numbers are made of.
pub(super) struct Values<'v> {
    pub(super) slots: &'v [SlotValue],
    /// The place of an iteration.
    pub(super) place: [i128; 3],
    pub(super) common: &'v [i128],
    /// Nothing stands for a number that is not known. Then a number below 0 has wrapped.
    pub(super) exact: bool,
}

impl Values<'_> {
    /// The value, over the integers. Division rounds down, so that it is right to a multiple of the divisor.
    pub(super) fn of(&self, number: Number) -> Option<i128> {
        let (mut stack, mut depth) = ([None; MOST_DEPTH], 0usize);
        for op in number {
            let takes = matches!(op, Op::Binary(_) | Op::Compare(_)).then_some(2);
            let takes = takes.unwrap_or(usize::from(matches!(op, Op::Cast(_))));
            let first = depth.checked_sub(takes)?;
            let (a, b) = (*stack.get(first)?, stack.get(first + 1).copied().flatten());
            stack[first] = match op {
                Op::Int(value) => Some(i128::from(*value)),
                Op::Constant(slot) => constant(self.slots, *slot),
                Op::Place(dim) => self.place.get(*dim as usize).copied(),
                Op::Common(at) => self.common.get(*at as usize).copied(),
                Op::Binary(op) => a.zip(b).and_then(|(a, b)| self.binary(*op, a, b)),
                Op::Compare(op) => a.zip(b).and_then(|(a, b)| compare(*op, a, b)),
                Op::Cast(slot) => a.filter(|a| (0..MOST_INDEX).contains(a) && is_wide(self.slots, *slot)),
            };
            depth = first + 1;
        }
        if depth == 1 { stack[0] } else { None }
    }

    fn binary(&self, op: BinOp, a: i128, b: i128) -> Option<i128> {
        let whole = |value: i128| if self.exact && value < 0 { i128::from(value as u64) } else { value };
        match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mul => a.checked_mul(b),
            BinOp::Div => whole(a).checked_div_euclid(whole(b)),
            BinOp::Rem => whole(a).checked_rem_euclid(whole(b)),
            BinOp::And => Some(a & b),
            BinOp::Or => Some(a | b),
            BinOp::Xor => Some(a ^ b),
            BinOp::Shl => a.checked_mul(power(b)?),
            BinOp::Shr => whole(a).checked_div_euclid(power(b)?),
        }
    }
}

/// Only of numbers that no type is too small for.
fn compare(op: CompareOp, a: i128, b: i128) -> Option<i128> {
    let plain = |value: i128| (0..MOST_INDEX).contains(&value);
    let holds = match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    };
    (plain(a) && plain(b)).then_some(i128::from(holds))
}

fn power(by: i128) -> Option<i128> {
    (0..64).contains(&by).then(|| 1 << by)
}

fn constant(slots: &[SlotValue], slot: u32) -> Option<i128> {
    match slots.get(slot as usize)? {
        SlotValue::Constant(_, _, number) => number(&Member { path: Vec::new(), greatest: false }),
        SlotValue::Type(_) | SlotValue::Format(..) | SlotValue::Variant(..) | SlotValue::Function(_) => None,
    }
}

/// Whether a type has all numbers that index arrays of a block.
fn is_wide(slots: &[SlotValue], slot: u32) -> bool {
    match slots.get(slot as usize) {
        Some(SlotValue::Type(ty)) => ty.integer().is_some() && ty.layout().0 >= 4,
        _ => false,
    }
}

/// How a number follows one of those that threads have in common: if that is `period` more, it is `by` more, in all threads.
#[derive(Clone, Copy)]
pub(super) struct Course {
    pub(super) period: i128,
    pub(super) by: i128,
    literal: Option<i128>,
}

impl Course {
    /// Of what does not follow it.
    pub(super) const NONE: Course = Course { period: 1, by: 0, literal: None };

    /// `None` if it follows in some other way.
    pub(super) fn of(number: Number, common: usize, slots: &[SlotValue]) -> Option<Course> {
        let mut stack: Vec<Option<Course>> = Vec::new();
        for op in number {
            let course = match op {
                Op::Int(value) => Some(Course { literal: Some(i128::from(*value)), ..Course::NONE }),
                Op::Constant(slot) => Some(Course { literal: constant(slots, *slot), ..Course::NONE }),
                Op::Place(_) => Some(Course::NONE),
                Op::Common(at) => Some(Course { by: i128::from(*at as usize == common), ..Course::NONE }),
                Op::Binary(op) => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    a.zip(b).and_then(|(a, b)| a.then(*op, b))
                }
                Op::Compare(_) => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    a.zip(b).and_then(|(a, b)| a.still(b))
                }
                Op::Cast(_) => stack.pop()?,
            };
            stack.push(course);
        }
        stack.pop().flatten().filter(|course| course.period <= MOST_PERIOD)
    }

    /// The same for a multiple of its period, by which it moves a multiple of a number.
    pub(super) fn to_multiple(self, of: i128) -> Option<Course> {
        let times = of / gcd(self.by, of);
        let (period, by) = (self.period.checked_mul(times)?, self.by.checked_mul(times)?);
        (period <= MOST_PERIOD).then_some(Course { period, by, literal: None })
    }

    /// Of a sum.
    pub(super) fn plus(self, other: Course, factor: i128) -> Option<Course> {
        let period = self.period / gcd(self.period, other.period) * other.period;
        let by = self.by.checked_mul(period / self.period)?;
        let more = other.by.checked_mul(period / other.period)?.checked_mul(factor)?;
        Some(Course { period, by: by.checked_add(more)?, literal: None })
    }

    /// Of something that is made of two numbers that do not move.
    fn still(self, other: Course) -> Option<Course> {
        if self.by == 0 && other.by == 0 { self.plus(other, 1) } else { None }
    }

    fn then(self, op: BinOp, other: Course) -> Option<Course> {
        if self.by == 0 && other.by == 0 {
            return self.still(other);
        }
        match (op, other.literal) {
            (BinOp::Add, _) => self.plus(other, 1),
            (BinOp::Sub, _) => self.plus(other, -1),
            (BinOp::Mul, Some(by)) => self.times(by),
            (BinOp::Mul, None) => other.times(self.literal?),
            (BinOp::Shl, Some(by)) => self.times(power(by)?),
            (BinOp::Shr, Some(by)) => self.divided(power(by)?),
            (BinOp::Div, Some(by)) => self.divided(by),
            (BinOp::Rem, Some(by)) => self.remainder(by),
            (BinOp::And, Some(mask)) => {
                self.remainder(i128::from(u64::try_from(mask).ok()?.checked_add(1)?.checked_next_power_of_two()?))
            }
            _ => None,
        }
    }

    fn times(self, factor: i128) -> Option<Course> {
        Some(Course { by: self.by.checked_mul(factor)?, literal: None, ..self })
    }

    fn divided(self, by: i128) -> Option<Course> {
        let whole = self.to_multiple(Some(by).filter(|by| *by > 0)?)?;
        Some(Course { by: whole.by / by, ..whole })
    }

    fn remainder(self, by: i128) -> Option<Course> {
        Some(Course { by: 0, ..self.to_multiple(Some(by).filter(|by| *by > 0)?)? })
    }
}

/// Not below 0; of 0 and a number, that number.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
