//! What a failed check is called: Rust's own words.

use crate::private::kernel::Check;

/// Marks of a range whose start or end is beyond the length.
const RANGE_START: u64 = 1 << 62;
const RANGE_END: u64 = 1 << 63;

/// The message of a failed check, from the payload words of its record (see [`Check`]).
pub(crate) fn describe_failure(check: Check, a: u64, b: u64) -> String {
    match (check, a) {
        (Check::Index, index) => format!("index out of bounds: the len is {b} but the index is {index}"),
        (Check::Range, at) => match (b & RANGE_START != 0, b & RANGE_END != 0) {
            (true, _) => format!("range start index {at} out of range for slice of length {}", b & !RANGE_START),
            (_, true) => format!("range end index {at} out of range for slice of length {}", b & !RANGE_END),
            _ if at == u64::MAX => "attempt to index slice up to maximum usize".to_owned(),
            _ => format!("slice index starts at {at} but ends at {b}"),
        },
        (Check::Div, 0) => "attempt to divide by zero".to_owned(),
        (Check::Div, _) => "attempt to divide with overflow".to_owned(),
        (Check::Rem, 0) => "attempt to calculate the remainder with a divisor of zero".to_owned(),
        (Check::Rem, _) => "attempt to calculate the remainder with overflow".to_owned(),
        (Check::Clamp, 0) => "min > max".to_owned(),
        (Check::Clamp, 1) => "min > max, or either was NaN".to_owned(),
        (Check::Clamp, _) => "assertion failed: min <= max".to_owned(),
        (Check::Log, 0) => "argument of integer logarithm must be positive".to_owned(),
        (Check::Log, _) => "base of integer logarithm must be at least 2".to_owned(),
        (Check::Message(words), _) => words.to_owned(),
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
        assert_eq!(describe_failure(ours.0, ours.1, ours.2), words);
    }

    #[test]
    fn the_words_are_rusts() {
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
