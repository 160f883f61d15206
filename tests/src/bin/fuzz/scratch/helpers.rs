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
/// A float, every NaN as the same one.
#[device]
pub fn known<F: Float>(x: F) -> F {
    if x.is_nan() { F::NAN } else { x }
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
/// An operator that takes an element of another place for writing than for reading.
#[device]
impl<A: DeviceValue, const N: usize> std::ops::Index<u64> for One<[A; N]> {
    type Output = A;
    fn index(&self, at: u64) -> &A {
        &self.0[at as usize]
    }
}
#[device]
impl<A: DeviceValue, const N: usize> std::ops::IndexMut<u64> for One<[A; N]> {
    fn index_mut(&mut self, at: u64) -> &mut A {
        &mut self.0[N - 1 - at as usize]
    }
}
#[device]
impl<A: DeviceValue> std::ops::Index<usize> for Two<A, A> {
    type Output = A;
    fn index(&self, at: usize) -> &A {
        match at {
            0 => &self.x,
            1 => &self.float,
            _ => panic!("there is no such field"),
        }
    }
}
#[device]
impl<A: DeviceValue> std::ops::IndexMut<usize> for Two<A, A> {
    fn index_mut(&mut self, at: usize) -> &mut A {
        assert!(at < 2, "there is no such field");
        if at == 1 { &mut self.x } else { &mut self.float }
    }
}
#[device]
impl<A: DeviceValue> std::ops::Index<u8> for Three<A, A, A> {
    type Output = A;
    fn index(&self, at: u8) -> &A {
        if at == 0 { return &self.a; }
        if at == 1 { &self.b } else { assert!(at == 2, "no field"); &self.c }
    }
}
/// It changes a field, too.
#[device]
impl<A: DeviceValue> std::ops::IndexMut<u8> for Three<A, A, A> {
    fn index_mut(&mut self, at: u8) -> &mut A {
        self.b = self.a;
        match at {
            0 => &mut self.a,
            1 => &mut self.b,
            2 => &mut self.c,
            _ => panic!("no field"),
        }
    }
}
/// What they are as numbers is negative, has gaps, and does not fit into other types.
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
#[repr(i8)]
pub enum Signs {
    Minus = -1,
    Zero,
    Plus,
}
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
#[repr(u8)]
pub enum Bytes {
    Last = 255,
    First = 0,
    Half = 128,
    More,
}
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
#[repr(i16)]
pub enum Shorts {
    Least = -32768,
    Next,
    Below = -3,
    Greatest = 32767,
}
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
#[repr(i64)]
pub enum Longs {
    Far = 1 << 40,
    Near = -5,
    Least = i64::MIN,
}
#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Plain {
    One = -70000,
    Two = 9,
}
thread_local! { static TURNS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) }; }
/// The next call of `turn` is the first.
pub fn first_turn() {
    TURNS.set(0);
}
/// A number below another, which depends on the number of calls: host code with an observable
/// order.
pub fn turn(below: usize) -> usize {
    TURNS.set(TURNS.get() + 1);
    (TURNS.get() * 5 + TURNS.get() / 7) % below
}
