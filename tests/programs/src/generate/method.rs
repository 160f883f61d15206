//! The methods of `core`'s table whose result is the same on every machine. Uses that show the sign
//! of NaN or which of two zeros `min` takes are steered around with a neighbouring operation.

use anabranch_core::check::Check;
use anabranch_core::methods::{Class, METHODS, Method, Type};
use anabranch_core::ops::BinOp;

use super::Generator;
use super::features::Feature;
use crate::program::{Expr, Kind};
use crate::types::{Scalar, Ty};

/// Methods that round as the platform does.
const ROUNDED: [&str; 26] = [
    "cbrt", "hypot", "powi", "powf", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log2", "log10", "log", "sin", "cos",
    "sin_cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
];

/// What of a method's result has a type: all of it, or a part of a pair.
#[derive(Clone, Copy)]
enum Gives {
    All,
    Part(usize),
}

impl Generator<'_> {
    /// A method with a result of this type.
    pub(super) fn method(&mut self, wanted: Scalar) -> Expr {
        let risky = self.on(Feature::Panics) && self.rng.chance(10);
        let mut types = self.scalars.clone();
        types.extend([Some(wanted), Some(wanted.unsigned()), wanted.signed()].into_iter().flatten());
        let weight = |method: &'static Method| match self.profile.methods {
            Some(all) => all.iter().find(|(_, name)| *name == method.name).map_or(0, |(weight, _)| *weight),
            None => usize::from(!ROUNDED.contains(&method.name)),
        };
        let calls = |method: &'static Method| {
            let weight = Some(weight(method)).filter(|weight| *weight > 0)?;
            let fits =
                |of: &Scalar| of.has(method) && (risky || !fails(method, *of)) && arguments(method, *of).is_some();
            let found: Vec<_> =
                types.iter().filter(|of| fits(of)).filter_map(|of| Some((*of, gives(method, *of, wanted)?))).collect();
            (!found.is_empty()).then_some((weight, (method, found)))
        };
        let calls: Vec<_> = METHODS.iter().filter_map(calls).collect();
        let places: Vec<_> = calls.iter().enumerate().map(|(at, (weight, _))| (*weight, at)).collect();
        let (method, found) = &calls[self.rng.weighted(&places)].1;
        let (of, gives) = self.pick(found);
        let call = self.call_of(method, of, wanted, gives);
        match gives {
            Gives::All => call,
            Gives::Part(at) => Expr::new(wanted, Kind::Field(Box::new(call), at)),
        }
    }

    fn call_of(&mut self, method: &'static Method, of: Scalar, wanted: Scalar, gives: Gives) -> Expr {
        let types = arguments(method, of).unwrap_or_default();
        let mut args: Vec<Expr> = types.iter().enumerate().map(|(at, ty)| self.argument(method, at, *ty)).collect();
        let ty = match gives {
            Gives::All => wanted.into(),
            Gives::Part(_) if method.result == Type::SameAndBool => Ty::Tuple(vec![of.into(), Scalar::Bool.into()]),
            Gives::Part(_) => Ty::Tuple(vec![of.into(), of.into()]),
        };
        if method.is_associated {
            return Expr::new(ty, Kind::Associated(method, Box::new(args.remove(0))));
        }
        // Those of `u8` take references.
        let path = method.class != Class::U8 && self.on(Feature::Paths) && self.rng.chance(25);
        Expr::new(ty, Kind::Method { method, args, path })
    }

    fn argument(&mut self, method: &Method, at: usize, ty: Scalar) -> Expr {
        match (method.name, at) {
            ("min" | "max", _) if ty.is_float() => Expr::bin(BinOp::Add, self.expr(&ty.into()), Expr::float("0.0", ty)),
            ("to_bits" | "is_sign_negative" | "is_sign_positive", 0) | ("copysign", 1) => {
                // Not NaN.
                Expr::method("max", vec![self.expr(&ty.into()), Expr::float("-1.5", ty)])
            }
            ("clamp", 1 | 2) if ty.is_float() => Expr::float(["-2.5", "100.25"][at - 1], ty),
            ("clamp", 1 | 2) if ty == Scalar::Bool => Expr::bool(at == 2),
            ("clamp", 1 | 2) if !(self.on(Feature::Panics) && self.rng.chance(10)) => {
                let far = self.profile.divisors.1 / 2;
                Expr::int((far * (at - 1) + self.rng.below(far)) as i128, ty)
            }
            ("ilog", 1) => Expr::int(2 + self.rng.below(9) as i128, ty),
            (_, 0) if matches!(method.check, Some(Check::Message(_) | Check::Log)) && !ty.is_signed() => {
                // Of 0 there is no logarithm.
                Expr::bin(BinOp::Or, self.expr(&ty.into()), Expr::int(1, ty))
            }
            (_, 0) => self.expr(&ty.into()),
            // Often small: what is near an end of a range.
            _ if self.rng.chance(self.profile.small_arguments) => Expr::int(1 + self.rng.below(6) as i128, ty),
            _ if matches!(method.check, Some(Check::Div | Check::Rem)) && ty.is_int() => self.divisor(ty),
            _ => self.pinned(&ty.into()),
        }
    }
}

/// Whether most operands of a type make it panic.
fn fails(method: &Method, of: Scalar) -> bool {
    match method.check {
        Some(Check::Message(_) | Check::Log) => of.is_signed() || method.name.starts_with("strict_"),
        _ => false,
    }
}

/// The types of all that a call is given, if they are scalars.
fn arguments(method: &Method, of: Scalar) -> Option<Vec<Scalar>> {
    method.types().map(|ty| of.resolve(ty)).collect()
}

fn gives(method: &Method, of: Scalar, wanted: Scalar) -> Option<Gives> {
    let pair = match method.result {
        Type::SameAndBool => [of, Scalar::Bool],
        Type::TwoSame => [of, of],
        other => return (of.resolve(other) == Some(wanted)).then_some(Gives::All),
    };
    pair.iter().position(|part| *part == wanted).map(Gives::Part)
}
