//! What floats have.

/// The operations of [`Float`](anabranch::Float).
macro_rules! float_rows {
    ($T:ident $generic:tt) => {
        operations! { floats $generic (x: $T, y: $T, z: $T, n: i32) -> $T {
            neg: -x,
            abs: x.abs(),
            sqrt: x.sqrt(),
            sqrt_path: $T::sqrt(y),
            signum: x.signum(),
            floor: x.floor(),
            ceil: x.ceil(),
            round: x.round(),
            round_ties_even: x.round_ties_even(),
            trunc: x.trunc(),
            fract: x.fract(),
            recip: x.recip(),
            next_up: x.next_up(),
            next_down: x.next_down(),
            to_degrees: x.to_degrees(),
            to_radians: x.to_radians(),
            copysign: x.copysign(y),
            mul_add: x.mul_add(y, z),
            mul_add_path: $T::mul_add(x, y, z),
            powi: x.powi(n),
            powi_small: x.powi(n % 8),
            // In std, either of two zeros comes.
            min: x.min(y).abs(),
            max: x.max(y).abs(),
            max_path: $T::max(y, x).abs(),
            epsilon: $T::EPSILON,
            infinity: $T::INFINITY,
            neg_infinity: $T::NEG_INFINITY,
            nan: $T::NAN,
            min_positive: $T::MIN_POSITIVE,
        } }
        // The bounds are CUDA's documented ones and one or two more for the C library that Rust
        // calls.
        operations! { rounded $generic (x: $T, y: $T) -> $T {
            cbrt within 3: x.cbrt(),
            exp within 3: x.exp(),
            exp2 within 3: x.exp2(),
            exp_m1 within 3: x.exp_m1(),
            ln within 2: x.ln(),
            ln_1p within 3: x.ln_1p(),
            log2 within 2: x.log2(),
            log10 within 4: x.log10(),
            sin within 3: x.sin(),
            cos within 3: x.cos(),
            tan within 5: x.tan(),
            asin within 5: x.asin(),
            acos within 4: x.acos(),
            atan within 3: x.atan(),
            sinh within 5: x.sinh(),
            cosh within 4: x.cosh(),
            tanh within 4: x.tanh(),
            // Where Rust's own formulas lose no digits; elsewhere CUDA's results are better.
            asinh within 8: (x % $T::from(100.0f32)).asinh(),
            acosh within 8: (x.abs() % $T::from(100.0f32) + $T::from(2.0f32)).acosh(),
            atanh within 8: (x % $T::from(0.5f32)).atanh(),
            asinh_of_ends: (x * $T::INFINITY).asinh(),
            acosh_of_ends: x.min($T::from(1.0f32)).acosh(),
            atanh_of_ends: x.ceil().atanh(),
            sin_of_both within 3: x.sin_cos().0,
            cos_of_both within 3: x.sin_cos().1,
            hypot within 4: x.hypot(y),
            atan2 within 4: x.atan2(y),
            powf within 10: x.powf(y),
            log within 6: x.log(y),
        } }
        operations! { float_tests $generic (x: $T) -> bool {
            is_nan: x.is_nan(),
            is_finite: x.is_finite(),
            is_infinite: x.is_infinite(),
            is_normal: x.is_normal(),
            is_subnormal: x.is_subnormal(),
            is_sign_negative: x.is_sign_negative(),
            is_sign_positive: x.is_sign_positive(),
        } }
    };
}

/// What only concrete types have.
macro_rules! concrete_float_rows {
    ($T:ident $Bits:ident) => {
        operations! { from_bits [] (bits: $Bits, x: $T) -> $T {
            from_bits: $T::from_bits(bits),
            there_and_back: $T::from_bits(x.to_bits()),
        } }
        operations! { to_bits [] (x: $T) -> $Bits {
            to_bits: x.to_bits(),
            // Which NaN a GPU makes of `-x` is not specified.
            to_bits_path: $T::to_bits(if x.is_nan() { x } else { -x }),
            digits: $T::DIGITS as $Bits,
            mantissa_digits: $T::MANTISSA_DIGITS as $Bits,
            radix: $T::RADIX as $Bits,
            exponents: ($T::MAX_EXP - $T::MIN_EXP) as $Bits,
            decimal_exponents: ($T::MAX_10_EXP - $T::MIN_10_EXP) as $Bits,
        } }
        operations! { constants [] (x: $T) -> $T {
            itself: x,
            e: core::$T::consts::E,
            frac_1_pi: core::$T::consts::FRAC_1_PI,
            frac_1_sqrt_2: core::$T::consts::FRAC_1_SQRT_2,
            frac_2_pi: core::$T::consts::FRAC_2_PI,
            frac_2_sqrt_pi: core::$T::consts::FRAC_2_SQRT_PI,
            frac_pi_2: core::$T::consts::FRAC_PI_2,
            frac_pi_3: core::$T::consts::FRAC_PI_3,
            frac_pi_4: core::$T::consts::FRAC_PI_4,
            frac_pi_6: core::$T::consts::FRAC_PI_6,
            frac_pi_8: core::$T::consts::FRAC_PI_8,
            ln_10: core::$T::consts::LN_10,
            ln_2: core::$T::consts::LN_2,
            log10_2: core::$T::consts::LOG10_2,
            log10_e: core::$T::consts::LOG10_E,
            log2_10: core::$T::consts::LOG2_10,
            log2_e: core::$T::consts::LOG2_E,
            pi: core::$T::consts::PI,
            sqrt_2: core::$T::consts::SQRT_2,
            tau: core::$T::consts::TAU,
        } }
    };
}

/// The constants of [`Float`](anabranch::Float), which a concrete type has in its module.
macro_rules! generic_constants {
    () => {
        operations! { constants [T: Float] (x: T) -> T {
            itself: x,
            e: T::E,
            frac_1_pi: T::FRAC_1_PI,
            frac_1_sqrt_2: T::FRAC_1_SQRT_2,
            frac_2_pi: T::FRAC_2_PI,
            frac_2_sqrt_pi: T::FRAC_2_SQRT_PI,
            frac_pi_2: T::FRAC_PI_2,
            frac_pi_3: T::FRAC_PI_3,
            frac_pi_4: T::FRAC_PI_4,
            frac_pi_6: T::FRAC_PI_6,
            frac_pi_8: T::FRAC_PI_8,
            ln_10: T::LN_10,
            ln_2: T::LN_2,
            log10_2: T::LOG10_2,
            log10_e: T::LOG10_E,
            log2_10: T::LOG2_10,
            log2_e: T::LOG2_E,
            pi: T::PI,
            sqrt_2: T::SQRT_2,
            tau: T::TAU,
        } }
    };
}
