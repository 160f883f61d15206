/// Folds a value into the values observed before.
#[device]
pub fn mix(before: u64, value: u64) -> u64 {
    (before.rotate_left(23) ^ value).wrapping_mul(0x9e3779b97f4a7c15)
}
/// The bits of a float; every NaN is one.
#[device]
pub fn bits32(x: f32) -> u64 {
    if x.is_nan() { 0x7fc00000u64 } else { x.to_bits() as u64 }
}
/// The bits of a float; every NaN is one.
#[device]
pub fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8000000000000u64 } else { x.to_bits() }
}
/// A struct without names.
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct One<A>(pub A);
/// The fields are in another order than in literals, and one has a name that C++ reserves.
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Two<A, B> {
    pub float: B,
    pub x: A,
}
/// The same.
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Three<A, B, C> {
    pub b: B,
    pub c: C,
    pub a: A,
}
#[device]
impl<T: Num> std::ops::Add for One<T> {
    type Output = One<T>;
    fn add(self, other: One<T>) -> One<T> {
        One(self.0 + other.0)
    }
}
#[device]
impl<T: Num> std::ops::Sub for One<T> {
    type Output = One<T>;
    fn sub(self, other: Self) -> One<T> {
        One(self.0 - other.0)
    }
}
#[device]
impl<T: Num> std::ops::Mul for One<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}
/// The conversion that `?` uses for an error.
#[device]
impl<E: DeviceValue> From<E> for One<E> {
    fn from(error: E) -> Self {
        One(error)
    }
}
/// An operation that combines numbers.
#[device]
pub trait Apply: Copy {
    fn apply<T: Num>(self, a: T, b: T) -> T;
}
#[device]
#[derive(Clone, Copy)]
pub struct Plus;
#[device]
#[derive(Clone, Copy)]
pub struct Minus;
#[device]
#[derive(Clone, Copy)]
pub struct Times;
#[device]
impl Apply for Plus {
    fn apply<T: Num>(self, a: T, b: T) -> T {
        a + b
    }
}
#[device]
impl Apply for Minus {
    fn apply<T: Num>(self, a: T, b: T) -> T {
        a - b
    }
}
#[device]
impl Apply for Times {
    fn apply<T: Num>(self, a: T, b: T) -> T {
        a * b
    }
}
#[device]
pub fn applied<A: Apply, T: Num>(op: A, a: T, b: T) -> T {
    op.apply(a, b)
}
#[device]
pub fn with<T: Num, F: FnOnce(T, T) -> T>(f: F, a: T, b: T) -> T {
    f(a, b)
}
/// Variants of all kinds, one with the name of a variant of std.
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Any<A, B, C> {
    A(A),
    B { float: B },
    None(u8, C),
    C,
}
thread_local! { static TURNS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) }; }
/// The next call of `turn` is the first.
pub fn first_turn() {
    TURNS.set(0);
}
/// A number below another, which depends on the number of calls: host code with an observable order.
pub fn turn(below: usize) -> usize {
    TURNS.set(TURNS.get() + 1);
    (TURNS.get() * 5 + TURNS.get() / 7) % below
}
