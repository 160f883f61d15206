//! Every function of the prelude at every type, in C++ and in Rust.

use super::values::{Random, Value};

/// What an operation does: its result's bits, or the payload of its failure.
pub(crate) type Outcome = Result<u128, (u64, u64)>;

/// An operation on the bits of its operands, as Rust has it.
pub(crate) type Rust = dyn Fn(&[u128; 3]) -> Outcome;

/// One function at one type.
pub(crate) struct Op {
    /// The C++ statement that computes it.
    pub(crate) code: String,
    /// The type that it is grouped under.
    pub(crate) group: &'static str,
    /// Operands to try.
    pub(crate) cases: Vec<[u128; 3]>,
    /// Rust's answer.
    pub(crate) rust: Box<Rust>,
    /// Distance of two answers in units in the last place.
    pub(crate) distance: fn(u128, u128) -> u128,
    /// The distance allowed.
    pub(crate) ulp: u128,
}

/// A result, or what can fail instead.
pub(crate) trait Answer: 'static {
    type Value: Value;
    /// What a checked helper takes first.
    const CONTEXT: &'static str;
    fn outcome(self) -> Outcome;
}

impl<T: Value> Answer for T {
    type Value = T;
    const CONTEXT: &'static str = "";
    fn outcome(self) -> Outcome {
        Ok(self.wide())
    }
}

impl<T: Value> Answer for Result<T, (u64, u64)> {
    type Value = T;
    const CONTEXT: &'static str = "ab_cx, 7, ";
    fn outcome(self) -> Outcome {
        self.map(Value::wide)
    }
}

fn distance<T: Value>(a: u128, b: u128) -> u128 {
    T::from_wide(a).distance(T::from_wide(b))
}

const RANDOM_CASES: usize = 200;

#[derive(Default)]
pub(crate) struct Table(pub(crate) Vec<Op>);

impl Table {
    fn push<R: Answer>(
        &mut self,
        group: &'static str,
        code: String,
        cases: Vec<[u128; 3]>,
        rust: impl Fn(&[u128; 3]) -> R + 'static,
    ) {
        let rust = Box::new(move |x: &[u128; 3]| rust(x).outcome());
        self.0.push(Op { code, group, cases, rust, distance: distance::<R::Value>, ulp: 0 });
    }

    fn one<A: Value, R: Answer>(&mut self, name: &str, rust: fn(A) -> R) {
        let mut random = Random(1);
        let mut cases: Vec<_> = A::edges().into_iter().map(|a| [a.wide(), 0, 0]).collect();
        cases.extend((0..RANDOM_CASES).map(|_| [A::random(&mut random).wide(), 0, 0]));
        let code = format!("put(out, ab::{name}({}arg<{}>(in, 0)));", R::CONTEXT, A::NAME);
        self.push(A::NAME, code, cases, move |x| rust(A::from_wide(x[0])));
    }

    fn two_cases<A: Value, B: Value>() -> Vec<[u128; 3]> {
        let mut random = Random(2);
        let (a, b) = (A::edges(), B::edges());
        let mut cases: Vec<_> = a.iter().flat_map(|a| b.iter().map(|b| [a.wide(), b.wide(), 0])).collect();
        cases.extend((0..RANDOM_CASES).map(|_| [A::random(&mut random).wide(), B::random(&mut random).wide(), 0]));
        cases
    }

    fn two<A: Value, B: Value, R: Answer>(&mut self, name: &str, rust: fn(A, B) -> R) {
        let code = format!("put(out, ab::{name}({}arg<{}>(in, 0), arg<{}>(in, 1)));", R::CONTEXT, A::NAME, B::NAME);
        self.push(A::NAME, code, Self::two_cases::<A, B>(), move |x| rust(A::from_wide(x[0]), B::from_wide(x[1])));
    }

    /// An operator, as a value and as a compound assignment.
    fn operator<A: Value, B: Value, R: Answer>(&mut self, name: &str, rust: fn(A, B) -> R) {
        self.two(name, rust);
        let (helper, a, b) = (name.trim_end_matches('_'), A::NAME, B::NAME);
        let code = format!("{a} x = arg<{a}>(in, 0); ab::{helper}_to({}x, arg<{b}>(in, 1)); put(out, x);", R::CONTEXT);
        self.push(A::NAME, code, Self::two_cases::<A, B>(), move |x| rust(A::from_wide(x[0]), B::from_wide(x[1])));
    }

    fn three<A: Value, R: Answer>(&mut self, name: &str, rust: fn(A, A, A) -> R) {
        let mut random = Random(3);
        let edges = A::edges();
        let mut any = || {
            if random.coin() { edges[random.next() as usize % edges.len()] } else { A::random(&mut random) }
        };
        let cases = (0..5 * RANDOM_CASES).map(|_| [any().wide(), any().wide(), any().wide()]).collect();
        let args = [0, 1, 2].map(|i| format!("arg<{}>(in, {i})", A::NAME)).join(", ");
        let code = format!("put(out, ab::{name}({}{args}));", R::CONTEXT);
        self.push(A::NAME, code, cases, move |x| rust(A::from_wide(x[0]), A::from_wide(x[1]), A::from_wide(x[2])));
    }

    /// The last operation's distance from Rust.
    fn within(&mut self, ulp: u128) {
        if let Some(op) = self.0.last_mut() {
            op.ulp = ulp;
        }
    }
}

/// A quotient, or why there is none: 0 for a zero divisor, 1 for an overflow.
fn quotient<T, Z: PartialEq + Default>(q: Option<T>, divisor: Z) -> Result<T, (u64, u64)> {
    q.ok_or((u64::from(divisor != Z::default()), 0))
}

macro_rules! ints {
    ($t:expr, $($T:ident),*) => {$(
        let t: &mut Table = $t;
        t.operator("add", |a: $T, b: $T| a.wrapping_add(b));
        t.operator("sub", |a: $T, b: $T| a.wrapping_sub(b));
        t.operator("mul", |a: $T, b: $T| a.wrapping_mul(b));
        t.operator("div", |a: $T, b: $T| quotient(a.checked_div(b), b));
        t.operator("rem", |a: $T, b: $T| quotient(a.checked_rem(b), b));
        t.operator("and_", |a: $T, b: $T| a & b);
        t.operator("or_", |a: $T, b: $T| a | b);
        t.operator("xor_", |a: $T, b: $T| a ^ b);
        t.operator("shl", |a: $T, b: u32| a.wrapping_shl(b));
        t.operator("shr", |a: $T, b: u32| a.wrapping_shr(b));
        t.operator("shl", |a: $T, b: i8| a.wrapping_shl(b as u32));
        t.operator("shr", |a: $T, b: u128| a.wrapping_shr(b as u32));
        t.one("inv", |a: $T| !a);
        t.one("neg", |a: $T| a.wrapping_neg());
        t.two("min", |a: $T, b: $T| a.min(b));
        t.two("max", |a: $T, b: $T| a.max(b));
        t.three("clamp", |x: $T, lo: $T, hi: $T| if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((0, 0)) });
        t.two("pow", |a: $T, n: u32| a.wrapping_pow(n));
        t.two("rem_euclid", |a: $T, b: $T| quotient(a.checked_rem_euclid(b), b));
        t.two("div_euclid", |a: $T, b: $T| quotient(a.checked_div_euclid(b), b));
        t.two("wrapping_add", |a: $T, b: $T| a.wrapping_add(b));
        t.two("wrapping_sub", |a: $T, b: $T| a.wrapping_sub(b));
        t.two("wrapping_mul", |a: $T, b: $T| a.wrapping_mul(b));
        t.one("wrapping_neg", |a: $T| a.wrapping_neg());
        t.two("wrapping_shl", |a: $T, b: u32| a.wrapping_shl(b));
        t.two("wrapping_shr", |a: $T, b: u32| a.wrapping_shr(b));
        t.two("wrapping_div", |a: $T, b: $T| if b == 0 { Err((0, 0)) } else { Ok(a.wrapping_div(b)) });
        t.two("wrapping_rem", |a: $T, b: $T| if b == 0 { Err((0, 0)) } else { Ok(a.wrapping_rem(b)) });
        t.two("saturating_add", |a: $T, b: $T| a.saturating_add(b));
        t.two("saturating_sub", |a: $T, b: $T| a.saturating_sub(b));
        t.two("saturating_mul", |a: $T, b: $T| a.saturating_mul(b));
        t.two("rotate_left", |a: $T, n: u32| a.rotate_left(n));
        t.two("rotate_right", |a: $T, n: u32| a.rotate_right(n));
        t.one("count_ones", |a: $T| a.count_ones());
        t.one("count_zeros", |a: $T| a.count_zeros());
        t.one("leading_zeros", |a: $T| a.leading_zeros());
        t.one("trailing_zeros", |a: $T| a.trailing_zeros());
        t.one("swap_bytes", |a: $T| a.swap_bytes());
        t.one("reverse_bits", |a: $T| a.reverse_bits());
        t.two("abs_diff", |a: $T, b: $T| a.abs_diff(b));
        casts!(t, $T => i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);
    )*};
}

macro_rules! signed {
    ($t:expr, $($T:ident),*) => {$(
        let t: &mut Table = $t;
        t.one("abs", |a: $T| a.wrapping_abs());
        t.one("signum", |a: $T| a.signum());
        t.one("unsigned_abs", |a: $T| a.unsigned_abs());
        t.one("is_positive", |a: $T| a.is_positive());
        t.one("is_negative", |a: $T| a.is_negative());
    )*};
}

macro_rules! unsigned {
    ($t:expr, $($T:ident),*) => {$(
        let t: &mut Table = $t;
        t.one("is_power_of_two", |a: $T| a.is_power_of_two());
        t.two("div_ceil", |a: $T, b: $T| if b == 0 { Err((0, 0)) } else { Ok(a.div_ceil(b)) });
    )*};
}

macro_rules! casts {
    ($t:expr, $F:ident => $($T:ident),*) => {$(
        $t.one(concat!("as<", stringify!($T), ">"), |x: $F| x as $T);
    )*};
}

macro_rules! floats {
    ($t:expr, $($T:ident $U:ident),*) => {$(
        let t: &mut Table = $t;
        t.two("add", |a: $T, b: $T| a + b);
        t.two("sub", |a: $T, b: $T| a - b);
        t.two("mul", |a: $T, b: $T| a * b);
        t.one("neg", |a: $T| -a);
        t.two("div", |a: $T, b: $T| Ok(a / b));
        t.operator("rem", |a: $T, b: $T| a % b);
        t.operator("rem", |a: $T, b: $T| Ok(a % b));
        t.one("abs", |a: $T| a.abs());
        t.one("sqrt", |a: $T| a.sqrt());
        t.one("floor", |a: $T| a.floor());
        t.one("ceil", |a: $T| a.ceil());
        t.one("round", |a: $T| a.round());
        t.one("round_ties_even", |a: $T| a.round_ties_even());
        t.one("trunc", |a: $T| a.trunc());
        t.one("fract", |a: $T| a.fract());
        t.one("recip", |a: $T| a.recip());
        t.one("signum", |a: $T| a.signum());
        t.two("copysign", |a: $T, b: $T| a.copysign(b));
        t.three("mul_add", |a: $T, b: $T, c: $T| a.mul_add(b, c));
        // of two zeros either may be the smaller one: neighbours on the line of `distance`
        t.two("min", |a: $T, b: $T| a.min(b));
        t.within(1);
        t.two("max", |a: $T, b: $T| a.max(b));
        t.within(1);
        t.three("clamp", |x: $T, lo: $T, hi: $T| if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((1, 0)) });
        t.two("powi", |a: $T, n: i32| a.powi(n));
        t.two("rem_euclid", |a: $T, b: $T| Ok(a.rem_euclid(b)));
        t.two("div_euclid", |a: $T, b: $T| Ok(a.div_euclid(b)));
        t.one("to_degrees", |a: $T| a.to_degrees());
        t.one("to_radians", |a: $T| a.to_radians());
        t.one("to_bits", |a: $T| a.to_bits());
        t.one(concat!("from_bits<", stringify!($T), ">"), |a: $U| $T::from_bits(a));
        t.one("is_nan", |a: $T| a.is_nan());
        t.one("is_finite", |a: $T| a.is_finite());
        t.one("is_infinite", |a: $T| a.is_infinite());
        t.one("is_sign_negative", |a: $T| a.is_sign_negative());
        t.one("is_sign_positive", |a: $T| a.is_sign_positive());
        for (name, rust) in [
            ("exp", $T::exp as fn($T) -> $T), ("exp2", $T::exp2), ("exp_m1", $T::exp_m1), ("ln", $T::ln), ("ln_1p", $T::ln_1p),
            ("log2", $T::log2), ("log10", $T::log10), ("sin", $T::sin), ("cos", $T::cos), ("tan", $T::tan), ("asin", $T::asin),
            ("acos", $T::acos), ("atan", $T::atan), ("sinh", $T::sinh), ("cosh", $T::cosh), ("tanh", $T::tanh), ("cbrt", $T::cbrt),
        ] {
            t.one(name, rust);
            t.within(TRANSCENDENTAL_ULP);
        }
        for (name, rust) in [("powf", $T::powf as fn($T, $T) -> $T), ("atan2", $T::atan2), ("hypot", $T::hypot)] {
            t.two(name, rust);
            t.within(TRANSCENDENTAL_ULP);
        }
        casts!(t, $T => i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);
    )*};
}

/// Rust promises no precision for these; on one machine both languages end up in one C library, of which versions differ.
const TRANSCENDENTAL_ULP: u128 = 2;

pub(crate) fn table() -> Table {
    let mut table = Table::default();
    let t = &mut table;
    ints!(t, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
    signed!(t, i8, i16, i32, i64, i128, isize);
    unsigned!(t, u8, u16, u32, u64, u128, usize);
    floats!(t, f32 u32, f64 u64);
    t.operator("and_", |a: bool, b: bool| a & b);
    t.operator("or_", |a: bool, b: bool| a | b);
    t.operator("xor_", |a: bool, b: bool| a ^ b);
    t.one("inv", |a: bool| !a);
    casts!(t, bool => i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
    t.one("from<i64>", |a: bool| i64::from(a));
    t.one("from<f64>", |a: f32| f64::from(a));
    t.one("from<f32>", |a: u16| f32::from(a));
    t.one("from<u128>", |a: u64| u128::from(a));
    super::aggregates::aggregates(t);
    table
}
