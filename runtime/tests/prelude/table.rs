//! What the tests know of a function: its C++, Rust's answer, operands, and how near the two have
//! to be.

use super::values::{Random, Value};

/// What an operation does: its result's bits, or the payload of its failure.
pub(crate) type Outcome = Result<u128, (u64, u64)>;

/// An operation on the bits of its operands, as Rust has it.
pub(crate) type Rust = dyn Fn(&[u128; 3]) -> Outcome;

/// What the CPU twin does.
pub(crate) type Twin = dyn Fn(&[u128; 3]) -> Option<u128>;

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
    /// The function that the CPU twin calls, where that is not the method itself: its result's
    /// bits, or none if it fails.
    pub(crate) cpu: Option<Box<Twin>>,
    /// Distance of two answers in units in the last place.
    pub(crate) distance: fn(u128, u128) -> u128,
    /// The distance allowed.
    pub(crate) ulp: u128,
}

/// What a function gives: a value, or some, as one number.
pub(crate) trait Output: 'static {
    /// What tells how far two answers are apart.
    type Value: Value;
    fn bits(self) -> u128;
}

impl<T: Value> Output for T {
    type Value = T;
    fn bits(self) -> u128 {
        self.wide()
    }
}

impl<A: Value, B: Value> Output for (A, B) {
    type Value = u128;
    fn bits(self) -> u128 {
        self.0.wide().wrapping_mul(1_000_003).wrapping_add(self.1.wide())
    }
}

impl<const N: usize> Output for [u8; N] {
    type Value = u128;
    fn bits(self) -> u128 {
        self.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte))
    }
}

/// A result, or what can fail instead.
pub(crate) trait Answer: 'static {
    type Output: Output;
    /// What a checked helper takes first.
    const CONTEXT: &'static str;
    fn outcome(self) -> Outcome;
}

impl<T: Output> Answer for T {
    type Output = T;
    const CONTEXT: &'static str = "";
    fn outcome(self) -> Outcome {
        Ok(self.bits())
    }
}

impl<T: Output> Answer for Result<T, (u64, u64)> {
    type Output = T;
    const CONTEXT: &'static str = "ab_cx, 7, ";
    fn outcome(self) -> Outcome {
        self.map(Output::bits)
    }
}

fn distance<T: Value>(a: u128, b: u128) -> u128 {
    T::from_wide(a).distance(T::from_wide(b))
}

const RANDOM_CASES: usize = 200;

#[derive(Default)]
pub(crate) struct Table(pub(crate) Vec<Op>);

impl Table {
    pub(crate) fn push<R: Answer>(
        &mut self,
        group: &'static str,
        code: String,
        cases: Vec<[u128; 3]>,
        rust: impl Fn(&[u128; 3]) -> R + 'static,
    ) {
        let rust = Box::new(move |x: &[u128; 3]| rust(x).outcome());
        self.0.push(Op {
            code,
            group,
            cases,
            rust,
            cpu: None,
            distance: distance::<<R::Output as Output>::Value>,
            ulp: 0,
        });
    }

    pub(crate) fn one_cases<A: Value>() -> Vec<[u128; 3]> {
        let mut random = Random(1);
        let mut cases: Vec<_> = A::edges().into_iter().map(|a| [a.wide(), 0, 0]).collect();
        if size_of::<A>() == 1 {
            cases = (0..256).map(|a| [A::from_wide(a).wide(), 0, 0]).collect();
        }
        cases.extend((0..RANDOM_CASES).map(|_| [A::random(&mut random).wide(), 0, 0]));
        cases
    }

    pub(crate) fn one<A: Value, R: Answer>(&mut self, name: &str, rust: fn(A) -> R) {
        let cases = Self::one_cases::<A>();
        let code = format!("put(out, ab::{name}({}arg<{}>(in, 0)));", R::CONTEXT, A::NAME);
        self.push(A::NAME, code, cases, move |x| rust(A::from_wide(x[0])));
    }

    pub(crate) fn two_cases<A: Value, B: Value>() -> Vec<[u128; 3]> {
        let mut random = Random(2);
        let (a, b) = (A::edges(), B::edges());
        let mut cases: Vec<_> = a.iter().flat_map(|a| b.iter().map(|b| [a.wide(), b.wide(), 0])).collect();
        cases.extend((0..RANDOM_CASES).map(|_| [A::random(&mut random).wide(), B::random(&mut random).wide(), 0]));
        cases
    }

    pub(crate) fn two<A: Value, B: Value, R: Answer>(&mut self, name: &str, rust: fn(A, B) -> R) {
        let code = format!("put(out, ab::{name}({}arg<{}>(in, 0), arg<{}>(in, 1)));", R::CONTEXT, A::NAME, B::NAME);
        self.push(A::NAME, code, Self::two_cases::<A, B>(), move |x| rust(A::from_wide(x[0]), B::from_wide(x[1])));
    }

    /// An operator, as a value and as a compound assignment.
    pub(crate) fn operator<A: Value, B: Value, R: Answer>(&mut self, name: &str, rust: fn(A, B) -> R) {
        self.two(name, rust);
        let (helper, a, b) = (name.trim_end_matches('_'), A::NAME, B::NAME);
        let code = format!("{a} x = arg<{a}>(in, 0); ab::{helper}_to({}x, arg<{b}>(in, 1)); put(out, x);", R::CONTEXT);
        self.push(A::NAME, code, Self::two_cases::<A, B>(), move |x| rust(A::from_wide(x[0]), B::from_wide(x[1])));
    }

    pub(crate) fn three_cases<A: Value>() -> Vec<[u128; 3]> {
        let mut random = Random(3);
        let edges = A::edges();
        let mut any = || {
            if random.coin() { edges[random.next() as usize % edges.len()] } else { A::random(&mut random) }
        };
        (0..5 * RANDOM_CASES).map(|_| [any().wide(), any().wide(), any().wide()]).collect()
    }

    pub(crate) fn three<A: Value, R: Answer>(&mut self, name: &str, rust: fn(A, A, A) -> R) {
        let cases = Self::three_cases::<A>();
        let args = [0, 1, 2].map(|i| format!("arg<{}>(in, {i})", A::NAME)).join(", ");
        let code = format!("put(out, ab::{name}({}{args}));", R::CONTEXT);
        self.push(A::NAME, code, cases, move |x| rust(A::from_wide(x[0]), A::from_wide(x[1]), A::from_wide(x[2])));
    }

    /// What the CPU twin calls for the last operation; it ends in a panic where it fails.
    pub(crate) fn twin<R: Output>(&mut self, cpu: impl Fn(&[u128; 3]) -> R + std::panic::RefUnwindSafe + 'static) {
        if let Some(op) = self.0.last_mut() {
            op.cpu = Some(Box::new(move |x| std::panic::catch_unwind(|| cpu(x).bits()).ok()));
        }
    }

    pub(crate) fn one_both<A: Value, R: Answer>(&mut self, name: &str, rust: fn(A) -> R, cpu: fn(A) -> R::Output) {
        self.one(name, rust);
        self.twin(move |x| cpu(A::from_wide(x[0])));
    }

    pub(crate) fn two_both<A: Value, B: Value, R: Answer>(
        &mut self,
        name: &str,
        rust: fn(A, B) -> R,
        cpu: fn(A, B) -> R::Output,
    ) {
        self.two(name, rust);
        self.twin(move |x| cpu(A::from_wide(x[0]), B::from_wide(x[1])));
    }

    pub(crate) fn three_both<A: Value, R: Answer>(
        &mut self,
        name: &str,
        rust: fn(A, A, A) -> R,
        cpu: fn(A, A, A) -> R::Output,
    ) {
        self.three(name, rust);
        self.twin(move |x| cpu(A::from_wide(x[0]), A::from_wide(x[1]), A::from_wide(x[2])));
    }

    /// The last operation's distance from Rust.
    pub(crate) fn within(&mut self, ulp: u128) {
        if let Some(op) = self.0.last_mut() {
            op.ulp = ulp;
        }
    }
}

/// Every operation.
pub(crate) fn table() -> Table {
    let mut table = Table::default();
    super::ints::ints(&mut table);
    super::floats::floats(&mut table);
    super::halves::halves(&mut table);
    super::aggregates::aggregates(&mut table);
    table
}

/// Methods that Rust has under the same name.
macro_rules! methods {
    ($t:ident one $T:ty: $($name:ident)*) => { $($t.one(stringify!($name), |a: $T| a.$name());)* };
    ($t:ident two $T:ty, $U:ty: $($name:ident)*) => { $($t.two(stringify!($name), |a: $T, b: $U| a.$name(b));)* };
}
pub(crate) use methods;

/// `as` from a type to others.
macro_rules! casts {
    ($t:ident $F:ty => $($T:ident)*) => { $($t.one(concat!("as<", stringify!($T), ">"), |x: $F| x as $T);)* };
}
pub(crate) use casts;
