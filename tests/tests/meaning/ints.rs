//! What integers have: of every integer type, of signed and of unsigned ones, and of `u8`.

/// The operations of [`Int`](anabranch::Int).
macro_rules! int_rows {
    ($T:ident $generic:tt) => {
        operations! { ints $generic (x: $T, y: $T, n: u32) -> $T {
            and: x & y,
            or: x | y,
            xor: x ^ y,
            not: !x,
            and_assign: { let mut t = x; t &= y; t },
            or_assign: { let mut t = (x, y); t.1 |= x; t.1 },
            xor_assign: { let mut t = [y; 2]; t[1] ^= x; t[1] },
            shl: x << n => x.wrapping_shl(n),
            shr: x >> n => x.wrapping_shr(n),
            shl_assign: { let mut t = x; t <<= n; t } => x.wrapping_shl(n),
            shr_assign: { let mut t = [x]; t[0] >>= n; t[0] } => x.wrapping_shr(n),
            shl_i8: x << (n as i8) => x.wrapping_shl(n as i8 as u32),
            shl_i16: x << (n as i16) => x.wrapping_shl(n as i16 as u32),
            shl_i32: x << (n as i32) => x.wrapping_shl(n as i32 as u32),
            shl_i64: x << (n as i64) => x.wrapping_shl(n),
            shl_i128: x << (n as i128) => x.wrapping_shl(n),
            shl_isize: x << (n as isize) => x.wrapping_shl(n),
            shl_u8: x << (n as u8) => x.wrapping_shl(n as u8 as u32),
            shl_u16: x << (n as u16) => x.wrapping_shl(n as u16 as u32),
            shl_u64: x << (n as u64) => x.wrapping_shl(n),
            shl_u128: x << (n as u128) => x.wrapping_shl(n),
            shl_usize: x << (n as usize) => x.wrapping_shl(n),
            shr_i8: x >> (n as i8) => x.wrapping_shr(n as i8 as u32),
            shr_i16: x >> (n as i16) => x.wrapping_shr(n as i16 as u32),
            shr_i32: x >> (n as i32) => x.wrapping_shr(n as i32 as u32),
            shr_i64: x >> (n as i64) => x.wrapping_shr(n),
            shr_i128: x >> (n as i128) => x.wrapping_shr(n),
            shr_isize: x >> (n as isize) => x.wrapping_shr(n),
            shr_u8: x >> (n as u8) => x.wrapping_shr(n as u8 as u32),
            shr_u16: x >> (n as u16) => x.wrapping_shr(n as u16 as u32),
            shr_u64: x >> (n as u64) => x.wrapping_shr(n),
            shr_u128: x >> (n as u128) => x.wrapping_shr(n),
            shr_usize: x >> (n as usize) => x.wrapping_shr(n),
            min: x.min(y),
            max: x.max(y),
            min_path: $T::min(x, y),
            tuple_min: (x, y).min((y, x)).1,
            array_max: [x, y].max([y, x])[1],
            tuple_clamp: (x, n).clamp((y, n), (x, 7)).0,
            pow: x.pow(n) => x.wrapping_pow(n),
            pow_path: $T::pow(y, n % 8) => y.wrapping_pow(n % 8),
            isqrt: x.isqrt(),
            wrapping_add: x.wrapping_add(y),
            wrapping_sub: x.wrapping_sub(y),
            wrapping_mul: x.wrapping_mul(y),
            wrapping_neg: x.wrapping_neg(),
            wrapping_pow: x.wrapping_pow(n),
            wrapping_shl: x.wrapping_shl(n),
            wrapping_shr: x.wrapping_shr(n),
            wrapping_div: x.wrapping_div(y),
            wrapping_rem: x.wrapping_rem(y),
            wrapping_div_euclid: x.wrapping_div_euclid(y),
            wrapping_rem_euclid: x.wrapping_rem_euclid(y),
            saturating_add: x.saturating_add(y),
            saturating_sub: x.saturating_sub(y),
            saturating_mul: x.saturating_mul(y),
            saturating_pow: x.saturating_pow(n),
            saturating_div: x.saturating_div(y),
            overflowing_add: x.overflowing_add(y).0,
            overflowing_sub: x.overflowing_sub(y).0,
            overflowing_mul: x.overflowing_mul(y).0,
            overflowing_neg: x.overflowing_neg().0,
            overflowing_pow: x.overflowing_pow(n).0,
            overflowing_shl: x.overflowing_shl(n).0,
            overflowing_shr: x.overflowing_shr(n).0,
            overflowing_div: x.overflowing_div(y).0,
            overflowing_rem: x.overflowing_rem(y).0,
            overflowing_div_euclid: x.overflowing_div_euclid(y).0,
            overflowing_rem_euclid: x.overflowing_rem_euclid(y).0,
            strict_add: x.strict_add(y),
            strict_sub: x.strict_sub(y),
            strict_mul: x.strict_mul(y),
            strict_neg: x.strict_neg(),
            strict_pow: x.strict_pow(n),
            strict_shl: x.strict_shl(n),
            strict_shr: x.strict_shr(n),
            strict_div: x.strict_div(y),
            strict_rem: x.strict_rem(y),
            strict_div_euclid: x.strict_div_euclid(y),
            strict_rem_euclid: x.strict_rem_euclid(y),
            strict_add_path: $T::strict_add(y, x),
            unbounded_shl: x.unbounded_shl(n),
            unbounded_shr: x.unbounded_shr(n),
            rotate_left: x.rotate_left(n),
            rotate_right: x.rotate_right(n),
            swap_bytes: x.swap_bytes(),
            reverse_bits: x.reverse_bits(),
            to_be: x.to_be(),
            to_le: x.to_le(),
        } }
        operations! { overflows $generic (x: $T, y: $T, n: u32) -> bool {
            overflowing_add: x.overflowing_add(y).1,
            overflowing_sub: x.overflowing_sub(y).1,
            overflowing_mul: x.overflowing_mul(y).1,
            overflowing_neg: x.overflowing_neg().1,
            overflowing_pow: x.overflowing_pow(n).1,
            overflowing_shl: x.overflowing_shl(n).1,
            overflowing_shr: x.overflowing_shr(n).1,
            overflowing_div: x.overflowing_div(y).1,
            overflowing_rem: x.overflowing_rem(y).1,
            overflowing_div_euclid: x.overflowing_div_euclid(y).1,
            overflowing_rem_euclid: x.overflowing_rem_euclid(y).1,
        } }
        operations! { counts $generic (x: $T, y: $T) -> u32 {
            count_ones: x.count_ones(),
            count_zeros: x.count_zeros(),
            leading_zeros: x.leading_zeros(),
            leading_ones: x.leading_ones(),
            trailing_zeros: x.trailing_zeros(),
            trailing_ones: x.trailing_ones(),
            ilog: x.ilog(y),
            ilog2: x.ilog2(),
            ilog10: x.ilog10(),
            ilog_path: $T::ilog(y, x),
            bits_constant: $T::BITS,
        } }
    };
}

/// What only concrete types have: bytes, and functions without a receiver.
macro_rules! bytes_rows {
    ($T:ident) => {
        operations! { from_bytes [] (x: $T) -> $T {
            from_be_bytes: $T::from_be_bytes(x.to_le_bytes()),
            from_le_bytes: $T::from_le_bytes(x.to_be_bytes()),
            from_ne_bytes: $T::from_ne_bytes(x.to_be_bytes()),
        } }
        operations! { bytes [] (x: $T, n: usize) -> u8 {
            to_be_bytes: x.to_be_bytes()[n % x.to_be_bytes().len()],
            to_le_bytes: x.to_le_bytes()[n % x.to_le_bytes().len()],
            to_ne_bytes: x.to_ne_bytes()[n % x.to_ne_bytes().len()],
            beyond: x.to_be_bytes()[n],
        } }
    };
}

macro_rules! signed_rows {
    ($T:ident $Unsigned:ident) => {
        operations! { signed [] (x: $T, y: $T, u: $Unsigned) -> $T {
            neg: -x => x.wrapping_neg(),
            abs: x.abs() => x.wrapping_abs(),
            abs_path: $T::abs(y) => y.wrapping_abs(),
            signum: x.signum(),
            wrapping_abs: x.wrapping_abs(),
            saturating_neg: x.saturating_neg(),
            saturating_abs: x.saturating_abs(),
            overflowing_abs: x.overflowing_abs().0,
            strict_abs: x.strict_abs(),
            wrapping_add_unsigned: x.wrapping_add_unsigned(u),
            wrapping_sub_unsigned: x.wrapping_sub_unsigned(u),
            saturating_add_unsigned: x.saturating_add_unsigned(u),
            saturating_sub_unsigned: x.saturating_sub_unsigned(u),
            overflowing_add_unsigned: x.overflowing_add_unsigned(u).0,
            overflowing_sub_unsigned: x.overflowing_sub_unsigned(u).0,
            strict_add_unsigned: x.strict_add_unsigned(u),
            strict_sub_unsigned: x.strict_sub_unsigned(u),
            from_be: $T::from_be(x),
            from_le: $T::from_le(x),
        } }
        operations! { signed_tests [] (x: $T, u: $Unsigned) -> bool {
            is_positive: x.is_positive(),
            is_negative: x.is_negative(),
            overflowing_abs: x.overflowing_abs().1,
            overflowing_add_unsigned: x.overflowing_add_unsigned(u).1,
            overflowing_sub_unsigned: x.overflowing_sub_unsigned(u).1,
        } }
        operations! { to_unsigned [] (x: $T, y: $T) -> $Unsigned {
            abs_diff: x.abs_diff(y),
            unsigned_abs: x.unsigned_abs(),
            cast_unsigned: x.cast_unsigned(),
        } }
    };
}

macro_rules! unsigned_rows {
    ($T:ident $Signed:ident) => {
        operations! { unsigned [] (x: $T, y: $T, z: $T, s: $Signed, carry: bool) -> $T {
            abs_diff: x.abs_diff(y),
            div_ceil: x.div_ceil(y),
            next_multiple_of: x.next_multiple_of(y) => match x % y {
                0 => x,
                over => x.wrapping_add(y - over),
            },
            next_power_of_two: x.next_power_of_two() => x.checked_next_power_of_two().unwrap_or(0),
            wrapping_add_signed: x.wrapping_add_signed(s),
            wrapping_sub_signed: x.wrapping_sub_signed(s),
            saturating_add_signed: x.saturating_add_signed(s),
            saturating_sub_signed: x.saturating_sub_signed(s),
            overflowing_add_signed: x.overflowing_add_signed(s).0,
            overflowing_sub_signed: x.overflowing_sub_signed(s).0,
            strict_add_signed: x.strict_add_signed(s),
            strict_sub_signed: x.strict_sub_signed(s),
            carrying_add: x.carrying_add(y, carry).0,
            borrowing_sub: x.borrowing_sub(y, carry).0,
            carrying_mul_low: x.carrying_mul(y, z).0,
            carrying_mul_high: x.carrying_mul(y, z).1,
            carrying_mul_add_low: x.carrying_mul_add(y, z, x).0,
            carrying_mul_add_high: x.carrying_mul_add(y, z, x).1,
            from_be: $T::from_be(x),
            from_le: $T::from_le(x),
        } }
        operations! { unsigned_tests [] (x: $T, y: $T, s: $Signed, carry: bool) -> bool {
            is_power_of_two: x.is_power_of_two(),
            is_multiple_of: x.is_multiple_of(y),
            overflowing_add_signed: x.overflowing_add_signed(s).1,
            overflowing_sub_signed: x.overflowing_sub_signed(s).1,
            carrying_add: x.carrying_add(y, carry).1,
            borrowing_sub: x.borrowing_sub(y, carry).1,
        } }
        operations! { to_signed [] (x: $T) -> $Signed {
            cast_signed: x.cast_signed(),
        } }
    };
}

macro_rules! ascii_rows {
    () => {
        operations! { ascii [] (x: u8) -> bool {
            is_ascii: x.is_ascii(),
            is_ascii_alphabetic: x.is_ascii_alphabetic(),
            is_ascii_alphanumeric: x.is_ascii_alphanumeric(),
            is_ascii_control: x.is_ascii_control(),
            is_ascii_digit: x.is_ascii_digit(),
            is_ascii_graphic: x.is_ascii_graphic(),
            is_ascii_hexdigit: x.is_ascii_hexdigit(),
            is_ascii_lowercase: x.is_ascii_lowercase(),
            is_ascii_punctuation: x.is_ascii_punctuation(),
            is_ascii_uppercase: x.is_ascii_uppercase(),
            is_ascii_whitespace: x.is_ascii_whitespace(),
        } }
        operations! { ascii_case [] (x: u8) -> u8 {
            to_ascii_lowercase: x.to_ascii_lowercase(),
            to_ascii_uppercase: x.to_ascii_uppercase(),
        } }
    };
}
