//! What every number has.

/// `+ - *` of release builds.
pub(crate) trait Release {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! release {
    ($($t:ident: |$x:ident, $y:ident| $plus:expr, $minus:expr, $times:expr;)*) => { $(
        impl Release for $t {
            fn plus(self, $y: Self) -> Self {
                let $x = self;
                $plus
            }
            fn minus(self, $y: Self) -> Self {
                let $x = self;
                $minus
            }
            fn times(self, $y: Self) -> Self {
                let $x = self;
                $times
            }
        }
    )* };
    ($($t:ident)*) => { release! { $($t: |x, y| x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y);)* } };
}
release! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
release! { f32: |x, y| x + y, x - y, x * y; f64: |x, y| x + y, x - y, x * y; }

/// The operations of [`Num`](anabranch::Num).
macro_rules! number_rows {
    ($T:ident $generic:tt) => {
        operations! { arithmetic $generic (x: $T, y: $T, z: $T) -> $T {
            add: x + y => x.plus(y),
            sub: x - y => x.minus(y),
            mul: x * y => x.times(y),
            div: x / y,
            rem: x % y,
            add_assign: { let mut t = x; t += y; t } => x.plus(y),
            sub_assign: { let mut t = (x, y); t.0 -= y; t.0 } => x.minus(y),
            mul_assign: { let mut t = [x, y]; t[0] *= y; t[0] } => x.times(y),
            div_assign: { let mut t = x; t /= y; t },
            rem_assign: { let mut t = [(y, y), (y, x)]; t[1].1 %= y; t[1].1 },
            // not a sum of a product, which a GPU may round once
            of_three: (x + y) * (z - x) => x.plus(y).times(z.minus(x)),
            div_euclid: x.div_euclid(y),
            rem_euclid: x.rem_euclid(y),
            div_euclid_path: $T::div_euclid(x, y),
            midpoint: x.midpoint(y),
            clamp: x.clamp(y, z),
            clamp_path: $T::clamp(z, x, y),
            itself: x,
            max_constant: $T::MAX,
            min_constant: $T::MIN,
            chosen: if x < y { z } else { x },
        } }
        operations! { comparisons $generic (x: $T, y: $T, z: $T) -> bool {
            eq: x == y,
            ne: x != y,
            lt: x < y,
            le: x <= y,
            gt: x > y,
            ge: x >= y,
            logic: x <= y && y < z || !(z == x),
            min: x.min(y) == y,
            max: x.max(y) == y,
            tuple_eq: (x, y) == (y, z),
            tuple_ne: (x, y) != (y, x),
            tuple_lt: (x, y, z) < (x, z, y),
            tuple_le: (x, y) <= (y, z),
            tuple_gt: (x, (y, true)) > (x, (z, false)),
            tuple_ge: (x, y) >= (y, x),
            array_eq: [x, y] == [y, x],
            array_ne: [x, y] != [z, y],
            array_lt: [x, y, z] < [x, z, y],
            array_le: [x, y] <= [y, x],
            array_gt: [[x, y], [z, x]] > [[x, y], [x, z]],
            array_ge: [(x, z)] >= [(y, x)],
        } }
    };
}
