//! Numeric methods whose result is the same on every machine. Left out: methods that round as they like, and uses that
//! show the sign of NaN or which of two zeros `min` takes; the latter are steered around with a neighbouring operation.

use anabranch_core::ops::BinOp;

use super::Generator;
use crate::generate::features::Feature;
use crate::make::method;
use crate::program::{Expr, Kind};
use crate::types::Scalar;

impl Generator<'_> {
    /// A method with a result of this type.
    pub(super) fn method(&mut self, scalar: Scalar) -> Expr {
        if scalar == Scalar::Bool {
            return self.question();
        }
        if scalar.is_float() {
            return self.float_method(scalar);
        }
        let unsigned = !scalar.is_signed();
        let counts = if scalar == Scalar::U32 { 30 } else { 0 };
        let bits = match scalar {
            Scalar::U32 | Scalar::U64 if self.on(Feature::Floats) => 10,
            _ => 0,
        };
        match self.rng.weighted(&[(60, 0), (if unsigned { 12 } else { 0 }, 1), (counts, 2), (bits, 3)]) {
            0 => self.int_method(scalar),
            1 => self.difference(scalar),
            2 => {
                let names =
                    ["count_ones", "count_zeros", "leading_zeros", "trailing_zeros", "leading_ones", "trailing_ones"];
                let name = *self.rng.pick(&names);
                let receiver = self.int();
                if !self.rng.chance(20) {
                    return self.call_method(name, &[receiver]);
                }
                // Of 0, and of what is below, it would be a panic.
                let of = receiver.unsigned();
                let any = Expr::bin(BinOp::Or, self.expr(&of.into()), Expr::int(1, of));
                let name = *self.rng.pick(&["ilog2", "ilog10"]);
                self.with_args(name, vec![any])
            }
            _ => {
                let float = if scalar == Scalar::U32 { Scalar::F32 } else { Scalar::F64 };
                let number = self.number(float);
                Expr::method("to_bits", vec![number])
            }
        }
    }

    fn call_method(&mut self, name: &str, args: &[Scalar]) -> Expr {
        let args = args
            .iter()
            .enumerate()
            .map(|(at, &ty)| if at == 0 { self.expr(&ty.into()) } else { self.pinned(&ty.into()) })
            .collect();
        self.with_args(name, args)
    }

    fn with_args(&mut self, name: &str, args: Vec<Expr>) -> Expr {
        let mut call = Expr::method(name, args);
        if let Kind::Method { path, .. } = &mut call.kind {
            *path = self.on(Feature::Paths) && self.rng.chance(25);
        }
        call
    }

    fn int_method(&mut self, t: Scalar) -> Expr {
        let count = Scalar::U32;
        let any: &[(&str, usize)] = &[
            ("min", 1),
            ("max", 1),
            ("wrapping_add", 1),
            ("wrapping_sub", 1),
            ("wrapping_mul", 1),
            ("wrapping_neg", 0),
            ("saturating_add", 1),
            ("saturating_sub", 1),
            ("saturating_mul", 1),
            ("swap_bytes", 0),
            ("reverse_bits", 0),
            ("midpoint", 1),
            ("to_be", 0),
        ];
        match self.rng.weighted(&[(40, 0), (12, 1), (12, 2), (6, 3), (if t.is_signed() { 10 } else { 0 }, 4), (10, 5)])
        {
            0 => {
                let (name, more) = *self.rng.pick(any);
                self.call_method(name, &vec![t; more + 1])
            }
            1 => {
                let names = [
                    "pow",
                    "wrapping_shl",
                    "wrapping_shr",
                    "rotate_left",
                    "rotate_right",
                    "wrapping_pow",
                    "saturating_pow",
                    "unbounded_shl",
                    "unbounded_shr",
                ];
                let name = *self.rng.pick(&names);
                self.call_method(name, &[t, count])
            }
            2 => {
                let mut names = vec![
                    "rem_euclid",
                    "div_euclid",
                    "wrapping_div",
                    "wrapping_rem",
                    "saturating_div",
                    "wrapping_rem_euclid",
                ];
                if !t.is_signed() {
                    names.push("div_ceil");
                }
                let name = *self.rng.pick(&names);
                let receiver = self.expr(&t.into());
                let divisor = self.divisor(t);
                self.with_args(name, vec![receiver, divisor])
            }
            3 => {
                let receiver = self.expr(&t.into());
                let (lo, hi) = if self.on(Feature::Panics) && self.rng.chance(20) {
                    (self.pinned(&t.into()), self.pinned(&t.into()))
                } else {
                    let (lo, hi) = (self.rng.below(50), 50 + self.rng.below(50));
                    (Expr::int(lo as i128, t), Expr::int(hi as i128, t))
                };
                self.with_args("clamp", vec![receiver, lo, hi])
            }
            4 => {
                let name = *self.rng.pick(&["abs", "signum", "wrapping_abs", "saturating_neg", "saturating_abs"]);
                self.call_method(name, &[t])
            }
            _ => self.with_the_other_sign(t),
        }
    }

    /// Of operands of which one has a sign and the other has none.
    fn with_the_other_sign(&mut self, t: Scalar) -> Expr {
        let (names, other) = match t.is_signed() {
            true => (["wrapping_add_unsigned", "saturating_sub_unsigned", "cast_signed"], Some(t.unsigned())),
            false => (["wrapping_add_signed", "saturating_add_signed", "cast_unsigned"], t.signed()),
        };
        match (*self.rng.pick(&names), other) {
            (name, Some(other)) if name.starts_with("cast") => self.call_method(name, &[other]),
            (name, Some(other)) => self.call_method(name, &[t, other]),
            (_, None) => self.call_method("wrapping_neg", &[t]),
        }
    }

    /// Results of the unsigned type of the same width.
    fn difference(&mut self, t: Scalar) -> Expr {
        match t.signed() {
            Some(signed) if self.rng.chance(40) => self.call_method("unsigned_abs", &[signed]),
            Some(signed) if self.rng.chance(50) => self.call_method("abs_diff", &[signed, signed]),
            _ => self.call_method("abs_diff", &[t, t]),
        }
    }

    fn question(&mut self) -> Expr {
        let float = if self.on(Feature::Floats) { 10 } else { 0 };
        match self.rng.weighted(&[(10, 0), (float, 1)]) {
            0 => {
                let int = self.int();
                let name =
                    if int.is_signed() { *self.rng.pick(&["is_positive", "is_negative"]) } else { "is_power_of_two" };
                self.call_method(name, &[int])
            }
            _ => {
                let float = *self.rng.pick(&[Scalar::F32, Scalar::F64]);
                if self.rng.chance(30) {
                    let name = *self.rng.pick(&["is_sign_negative", "is_sign_positive"]);
                    let number = self.number(float);
                    return self.with_args(name, vec![number]);
                }
                let name = *self.rng.pick(&["is_nan", "is_finite", "is_infinite", "is_normal", "is_subnormal"]);
                self.call_method(name, &[float])
            }
        }
    }

    fn float_method(&mut self, t: Scalar) -> Expr {
        let unary = ["abs", "sqrt", "floor", "ceil", "round", "round_ties_even", "trunc", "fract", "recip", "signum"];
        match self.rng.weighted(&[(30, 0), (8, 1), (4, 2), (4, 3), (4, 4), (4, 5)]) {
            0 => {
                let name = *self.rng.pick(&unary);
                self.call_method(name, &[t])
            }
            1 => {
                let name = *self.rng.pick(&["min", "max"]);
                let args = vec![self.no_negative_zero(t), self.no_negative_zero(t)];
                self.with_args(name, args)
            }
            2 => self.call_method("mul_add", &[t, t, t]),
            3 => {
                let receiver = self.expr(&t.into());
                let sign = self.number(t);
                self.with_args("copysign", vec![receiver, sign])
            }
            4 => {
                let name = *self.rng.pick(&["rem_euclid", "div_euclid"]);
                self.call_method(name, &[t, t])
            }
            _ if self.rng.chance(50) => {
                let receiver = self.expr(&t.into());
                let (lo, hi) = (Expr::float("-2.5", t), Expr::float("100.25", t));
                self.with_args("clamp", vec![receiver, lo, hi])
            }
            _ => {
                let bits = self.expr(&t.unsigned().into());
                Expr::new(t, Kind::Associated(method("from_bits"), Box::new(bits)))
            }
        }
    }

    /// A float that is not NaN.
    fn number(&mut self, t: Scalar) -> Expr {
        Expr::method("max", vec![self.expr(&t.into()), Expr::float("-1.5", t)])
    }

    fn no_negative_zero(&mut self, t: Scalar) -> Expr {
        Expr::bin(BinOp::Add, self.expr(&t.into()), Expr::float("0.0", t))
    }
}
