//! Checks that can fail at run time, and what std says when they do.

/// What is checked at a place of the source. A failure carries two words, `a` and `b`, whose
/// meaning depends on the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check<M = &'static str> {
    /// `a` is the index, `b` the length.
    Index,
    /// `a` is the index along this dimension of a grid, `b` the number of elements along it.
    Dimension(u32),
    /// The ends of a range of elements: see [`RANGE_START`].
    Range,
    /// `a` is 0 for a zero divisor, 1 for `MIN / -1`.
    Div,
    /// `a` is 0 for a zero divisor, 1 for `MIN % -1`.
    Rem,
    /// `clamp` with `lo > hi`, or one of them NaN: `a` is 0 for ints, 1 for floats, 2 for anything
    /// else.
    Clamp,
    /// A logarithm: `a` is 0 for a bad argument, 1 for a bad base.
    Log,
    /// Anything else, which fails with this message.
    Message(M),
    /// Fails with a message, or prints a line, that the function in this slot makes of the values
    /// of the place.
    Formatted(u32),
}

/// A bit of `b`: the start `a` of a range is greater than the length, which is the rest of `b`. If
/// neither bit is set, the range starts at `a` and ends at `b`; if `a` is `u64::MAX`, there is no
/// index after the end.
pub const RANGE_START: u64 = 1 << 62;
/// A bit of `b`: the end `a` of a range is greater than the length, which is the rest of `b`.
pub const RANGE_END: u64 = 1 << 63;

/// The messages of std's panics.
pub mod message {
    #![allow(missing_docs)] // they speak for themselves
    pub const ADD: &str = "attempt to add with overflow";
    pub const SUB: &str = "attempt to subtract with overflow";
    pub const MUL: &str = "attempt to multiply with overflow";
    pub const NEG: &str = "attempt to negate with overflow";
    pub const SHL: &str = "attempt to shift left with overflow";
    pub const SHR: &str = "attempt to shift right with overflow";
    pub const DIV_BY_ZERO: &str = "attempt to divide by zero";
    pub const DIV_OVERFLOW: &str = "attempt to divide with overflow";
    pub const REM_BY_ZERO: &str = "attempt to calculate the remainder with a divisor of zero";
    pub const REM_OVERFLOW: &str = "attempt to calculate the remainder with overflow";
    pub const LOG_ARGUMENT: &str = "argument of integer logarithm must be positive";
    pub const LOG_BASE: &str = "base of integer logarithm must be at least 2";
    pub const ROOT: &str = "argument of integer square root cannot be negative";
    pub const STEP: &str = "assertion failed: step != 0";
    /// Of ints. std adds the operands, for which a record of the device has no room.
    pub const CLAMP_INT: &str = "min > max";
    /// Of floats.
    pub const CLAMP_FLOAT: &str = "min > max, or either was NaN";
    /// Of whatever else is ordered.
    pub const CLAMP_ORD: &str = "assertion failed: min <= max";
    /// In the place of a message whose values are larger than a record.
    pub const LARGE_VALUES: &str =
        "a check failed (its message has more values than a GPU's record of a failure holds)";
}

impl<M> Check<M> {
    /// The name of the variant, by which generated code refers to it.
    pub const fn variant(&self) -> &'static str {
        match self {
            Check::Index => "Index",
            Check::Dimension(_) => "Dimension",
            Check::Range => "Range",
            Check::Div => "Div",
            Check::Rem => "Rem",
            Check::Clamp => "Clamp",
            Check::Log => "Log",
            Check::Message(_) => "Message",
            Check::Formatted(_) => "Formatted",
        }
    }

    /// The same check with another kind of message.
    pub fn map<N>(self, message: impl FnOnce(M) -> N) -> Check<N> {
        match self {
            Check::Index => Check::Index,
            Check::Dimension(dimension) => Check::Dimension(dimension),
            Check::Range => Check::Range,
            Check::Div => Check::Div,
            Check::Rem => Check::Rem,
            Check::Clamp => Check::Clamp,
            Check::Log => Check::Log,
            Check::Message(words) => Check::Message(message(words)),
            Check::Formatted(slot) => Check::Formatted(slot),
        }
    }
}

impl Check {
    /// What std says when the check fails with these words. Of a message with values, the values
    /// are missing.
    pub fn describe(self, a: u64, b: u64) -> String {
        let words = match (self, a) {
            (Check::Index, index) => return format!("index out of bounds: the len is {b} but the index is {index}"),
            (Check::Dimension(dimension), index) => {
                return format!(
                    "index out of bounds: the len of dimension {dimension} is {b} but the index is {index}"
                );
            }
            (Check::Range, at) => return describe_range(at, b),
            (Check::Div, 0) => message::DIV_BY_ZERO,
            (Check::Div, _) => message::DIV_OVERFLOW,
            (Check::Rem, 0) => message::REM_BY_ZERO,
            (Check::Rem, _) => message::REM_OVERFLOW,
            (Check::Clamp, 0) => message::CLAMP_INT,
            (Check::Clamp, 1) => message::CLAMP_FLOAT,
            (Check::Clamp, _) => message::CLAMP_ORD,
            (Check::Log, 0) => message::LOG_ARGUMENT,
            (Check::Log, _) => message::LOG_BASE,
            (Check::Message(words), _) => words,
            (Check::Formatted(_), _) => message::LARGE_VALUES,
        };
        words.to_owned()
    }
}

fn describe_range(at: u64, b: u64) -> String {
    match (b & RANGE_START != 0, b & RANGE_END != 0) {
        (true, _) => format!("range start index {at} out of range for slice of length {}", b & !RANGE_START),
        (_, true) => format!("range end index {at} out of range for slice of length {}", b & !RANGE_END),
        _ if at == u64::MAX => "attempt to index slice up to maximum usize".to_owned(),
        _ => format!("slice index starts at {at} but ends at {b}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::panic::catch_unwind;

    fn check(ours: (Check, u64, u64), rusts: impl FnOnce() + std::panic::UnwindSafe) {
        let payload = catch_unwind(rusts).expect_err("the operation panics");
        let words = payload.downcast_ref::<String>().cloned();
        let words = words.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).unwrap();
        // Rust adds the operands of a float clamp, which a record has no room for
        let words = words.split(". min = ").next().unwrap();
        assert_eq!(ours.0.describe(ours.1, ours.2), words);
    }

    #[test]
    fn failures_have_the_words_of_std() {
        let (zero, minus_one, min) = (black_box(0i32), black_box(-1i32), black_box(i32::MIN));
        check((Check::Index, 7, 3), || _ = black_box(black_box([1, 2, 3].as_slice())[black_box(7)]));
        check((Check::Div, 0, 0), || _ = black_box(1 / zero));
        check((Check::Div, 1, 0), || _ = black_box(min / minus_one));
        check((Check::Div, 0, 0), || _ = black_box(1i32.div_euclid(zero)));
        check((Check::Div, 1, 0), || _ = black_box(min.div_euclid(minus_one)));
        check((Check::Div, 0, 0), || _ = black_box(1i32.wrapping_div(zero)));
        check((Check::Div, 0, 0), || _ = black_box(1u32.div_ceil(zero as u32)));
        check((Check::Rem, 0, 0), || _ = black_box(1 % zero));
        check((Check::Rem, 1, 0), || _ = black_box(min % minus_one));
        check((Check::Rem, 0, 0), || _ = black_box(1i32.rem_euclid(zero)));
        check((Check::Rem, 1, 0), || _ = black_box(min.rem_euclid(minus_one)));
        check((Check::Rem, 0, 0), || _ = black_box(1i32.wrapping_rem(zero)));
        check((Check::Log, 0, 0), || _ = black_box(zero.ilog(10)));
        check((Check::Log, 1, 0), || _ = black_box(5i32.ilog(zero)));
        check((Check::Clamp, 0, 0), || _ = black_box(5.clamp(zero, minus_one)));
        check((Check::Clamp, 2, 0), || _ = black_box(true.clamp(black_box(true), false)));
        check((Check::Clamp, 2, 0), || _ = black_box((1, 2).clamp((3, 4), (zero, zero))));
        check((Check::Clamp, 1, 0), || _ = black_box(5.0f32.clamp(black_box(2.0), 1.0)));
        check((Check::Clamp, 1, 0), || _ = black_box(5.0f64.clamp(black_box(f64::NAN), 1.0)));
    }
}
