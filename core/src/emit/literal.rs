//! Literals, written so that C++ gives them the same type and bits as rustc.

use crate::scalar::ScalarType;

/// A literal of decimal digits, negated or not.
pub fn int(ty: ScalarType, digits: &str, negative: bool) -> String {
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    // rustc has accepted the digits, so they fit
    let value: u128 = digits.parse().unwrap_or_default();
    let sign = if negative { "-" } else { "" };
    let name = ty.c_name();
    match ty {
        ScalarType::F32 | ScalarType::F64 => float(ty, &digits, negative),
        // Rust has no literals of these types.
        ScalarType::F16 | ScalarType::Bf16 => format!("{name}({sign}{value}.0f)"),
        ScalarType::Bool => (value != 0).to_string(),
        // the magnitude of MIN is not a value of the type: Rust accepts it only after a minus
        ScalarType::I32 if value == 1 << 31 => "(-2147483647 - 1)".to_owned(),
        ScalarType::I64 | ScalarType::Isize if value == 1 << 63 => "(-9223372036854775807ll - 1)".to_owned(),
        ScalarType::I32 => format!("{sign}{value}"),
        ScalarType::I64 | ScalarType::Isize => format!("{sign}{value}ll"),
        ScalarType::I8 | ScalarType::I16 => format!("{name}({sign}{value})"),
        ScalarType::U8 | ScalarType::U16 if !negative => format!("{name}({value})"),
        ScalarType::U32 if !negative => format!("{value}u"),
        ScalarType::U64 | ScalarType::Usize if !negative => format!("{value}ull"),
        ScalarType::I128 if value < 1 << 63 => format!("{name}({sign}{value}ll)"),
        ScalarType::U128 if value < 1 << 64 && !negative => format!("{name}({value}ull)"),
        ScalarType::U8
        | ScalarType::U16
        | ScalarType::U32
        | ScalarType::U64
        | ScalarType::Usize
        | ScalarType::I128
        | ScalarType::U128 => {
            // wide, or a negated unsigned literal, which rustc rejects
            let value = if negative { value.wrapping_neg() } else { value };
            format!("{name}(u128({}ull) << 64 | {}ull)", (value >> 64) as u64, value as u64)
        }
    }
}

/// A float literal in Rust's spelling, negated or not. C++ has no literal for infinity.
pub fn float(ty: ScalarType, digits: &str, negative: bool) -> String {
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    let sign = if negative { "-" } else { "" };
    match ty {
        ScalarType::F32 => {
            let value: f32 = digits.parse().unwrap_or_default();
            if value.is_infinite() {
                return format!("{sign}ab::from_bits<f32>({}u)", value.to_bits());
            }
            let short = format!("{value:?}");
            // a compiler may parse the digits as a double first, and round twice
            let exact = short.parse::<f64>().is_ok_and(|double| (double as f32).to_bits() == value.to_bits());
            if exact { format!("{sign}{short}f") } else { format!("{sign}{:?}f", f64::from(value)) }
        }
        _ => {
            let value: f64 = digits.parse().unwrap_or_default();
            if value.is_infinite() {
                return format!("{sign}ab::from_bits<f64>({}ull)", value.to_bits());
            }
            format!("{sign}{value:?}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::*;

    #[test]
    fn ints_have_the_type_of_their_slot() {
        let check = |ty, digits, expected: &str| assert_eq!(int(ty, digits, false), expected);
        check(I32, "2", "2");
        check(U32, "1_000", "1000u");
        check(I64, "2", "2ll");
        check(Isize, "2", "2ll");
        check(U64, "18446744073709551615", "18446744073709551615ull");
        check(Usize, "2", "2ull");
        check(I8, "2", "i8(2)");
        check(I16, "2", "i16(2)");
        check(U8, "255", "u8(255)");
        check(U16, "2", "u16(2)");
        check(I128, "2", "i128(2ll)");
        check(U128, "18446744073709551615", "u128(18446744073709551615ull)");
        check(U128, "18446744073709551617", "u128(u128(1ull) << 64 | 1ull)");
        check(
            I128,
            "170141183460469231731687303715884105727",
            "i128(u128(9223372036854775807ull) << 64 | 18446744073709551615ull)",
        );
    }

    #[test]
    fn negative_ints_reach_the_minimum() {
        let check = |ty, digits, expected: &str| assert_eq!(int(ty, digits, true), expected);
        check(I32, "2", "-2");
        check(I32, "2147483647", "-2147483647");
        check(I32, "2147483648", "(-2147483647 - 1)");
        check(I8, "128", "i8(-128)");
        check(I16, "32768", "i16(-32768)");
        check(I64, "9223372036854775808", "(-9223372036854775807ll - 1)");
        check(I128, "5", "i128(-5ll)");
        check(I128, "9223372036854775808", "i128(u128(18446744073709551615ull) << 64 | 9223372036854775808ull)");
        check(I128, "170141183460469231731687303715884105728", "i128(u128(9223372036854775808ull) << 64 | 0ull)");
    }

    #[test]
    fn floats_keep_their_bits() {
        let check = |ty, digits, expected: &str| assert_eq!(float(ty, digits, false), expected);
        check(F32, "2.0", "2.0f");
        check(F32, "1.", "1.0f");
        check(F32, "0.1", "0.1f");
        check(F32, "16777217.0", "16777216.0f");
        check(F32, "1_0.5e-3", "0.0105f");
        check(F32, "3.4028235e38", "3.4028235e38f");
        check(F32, "1e-45", "1e-45f");
        check(F32, "1e-60", "0.0f");
        check(F64, "2.0", "2.0");
        check(F64, "1E300", "1e300");
        // rustc turns these into infinities, if the lint is allowed.
        check(F32, "1e39", "ab::from_bits<f32>(2139095040u)");
        check(F64, "1e309", "ab::from_bits<f64>(9218868437227405312ull)");
        check(F64, "0.1", "0.1");
        check(F64, "5", "5.0");
        assert_eq!(float(F32, "2.5", true), "-2.5f");
        assert_eq!(float(F64, "0.0", true), "-0.0");
    }

    #[test]
    fn every_f32_survives_being_read_as_a_double_first() {
        // the shortest digits of this number are half-way between two f32, after rounding to a
        // double
        assert_ne!("7.038531e-26".parse::<f64>().unwrap() as f32, 7.038531e-26f32);
        let text = float(F32, "7.038531e-26", false);
        assert_eq!(text.trim_end_matches('f').parse::<f64>().unwrap() as f32, 7.038531e-26f32, "{text}");
        let mut bits = 1u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            let value = f32::from_bits(bits & 0x7fff_ffff);
            if value.is_finite() {
                let text = float(F32, &format!("{value:e}"), false);
                let double: f64 = text.trim_end_matches('f').parse().unwrap();
                assert_eq!((double as f32).to_bits(), value.to_bits(), "{text}");
            }
        }
    }
}
