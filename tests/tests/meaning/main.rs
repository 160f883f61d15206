//! What device code means: every operator, cast, constant and method, at every type, on thousands
//! of sets of operands, against plain Rust, on the CPU and on the first CUDA device.
//!
//! The results are the same bits, but for functions of floats that IEEE 754 does not pin down:
//! there the table says how far a GPU may be off. Where Rust panics the launch fails with the same
//! words.

#[macro_use]
mod operations;
#[macro_use]
mod numbers;
#[macro_use]
mod ints;
#[macro_use]
mod floats;
#[macro_use]
mod bools;
#[macro_use]
mod casts;
mod complete;
mod operands;

use operations::Tally;

/// A type's lists of operations, and a test that compares them all.
macro_rules! of_type {
    ($name:ident: $($list:ident)*; $($rows:tt)*) => {
        mod $name {
            use crate::operations::{Operation, Tally};

            $($rows)*

            pub(crate) const LISTS: &[&[Operation]] = &[$($list::OPERATIONS),*];
            pub(crate) fn check(tally: &mut Tally) {
                $($list::check(tally);)*
            }
        }

        #[test]
        fn $name() {
            let mut tally = Tally::default();
            $name::check(&mut tally);
            tally.finish(stringify!($name));
        }
    };
}

macro_rules! of_signed {
    ($($name:ident: $T:ident $Unsigned:ident;)*) => { $(
        of_type! { $name: arithmetic comparisons ints overflows counts from_bytes bytes signed signed_tests to_unsigned;
            number_rows! { $T [] }
            int_rows! { $T [] }
            bytes_rows! { $T }
            signed_rows! { $T $Unsigned }
        }
    )* };
}
of_signed! { of_i8: i8 u8; of_i16: i16 u16; of_i32: i32 u32; of_i64: i64 u64; of_i128: i128 u128; of_isize: isize usize; }

macro_rules! of_unsigned {
    ($($name:ident: $T:ident $Signed:ident;)*) => { $(
        of_type! { $name: arithmetic comparisons ints overflows counts from_bytes bytes unsigned unsigned_tests to_signed;
            number_rows! { $T [] }
            int_rows! { $T [] }
            bytes_rows! { $T }
            unsigned_rows! { $T $Signed }
        }
    )* };
}
of_unsigned! { of_u8: u8 i8; of_u16: u16 i16; of_u32: u32 i32; of_u64: u64 i64; of_u128: u128 i128; of_usize: usize isize; }

macro_rules! of_float {
    ($($name:ident: $T:ident $Bits:ident;)*) => { $(
        of_type! { $name: arithmetic comparisons floats rounded float_tests from_bytes bytes from_bits constants to_bits;
            number_rows! { $T [] }
            float_rows! { $T [] }
            bytes_rows! { $T }
            concrete_float_rows! { $T $Bits }
        }
    )* };
}
of_float! { of_f32: f32 u32; of_f64: f64 u64; }

of_type! { of_bool: bools; bool_rows! {} }
of_type! { of_ascii: ascii ascii_case; ascii_rows! {} }

macro_rules! to_int {
    ($($name:ident: $T:ident from $($from:ident: $From:ident)*;)*) => { $(
        of_type! { $name: casts conversions;
            casts_to! { $T:
                as b: bool i8: i8 i16: i16 i32: i32 i64: i64 i128: i128 isize: isize
                    u8: u8 u16: u16 u32: u32 u64: u64 u128: u128 usize: usize f32: f32 f64: f64;
                from b: bool $($from: $From)*
            }
        }
    )* };
}
to_int! {
    to_i8: i8 from i8: i8;
    to_i16: i16 from i8: i8 i16: i16 u8: u8;
    to_i32: i32 from i8: i8 i16: i16 i32: i32 u8: u8 u16: u16;
    to_i64: i64 from i8: i8 i16: i16 i32: i32 i64: i64 u8: u8 u16: u16 u32: u32;
    to_i128: i128 from i8: i8 i16: i16 i32: i32 i64: i64 i128: i128 u8: u8 u16: u16 u32: u32 u64: u64;
    to_isize: isize from i8: i8 i16: i16 isize: isize u8: u8;
    to_u8: u8 from u8: u8;
    to_u16: u16 from u8: u8 u16: u16;
    to_u32: u32 from u8: u8 u16: u16 u32: u32;
    to_u64: u64 from u8: u8 u16: u16 u32: u32 u64: u64;
    to_u128: u128 from u8: u8 u16: u16 u32: u32 u64: u64 u128: u128;
    to_usize: usize from u8: u8 u16: u16 usize: usize;
}
macro_rules! to_float {
    ($($name:ident: $T:ident from $($from:ident: $From:ident)*;)*) => { $(
        of_type! { $name: casts conversions;
            casts_to! { $T:
                as i8: i8 i16: i16 i32: i32 i64: i64 i128: i128 isize: isize
                    u8: u8 u16: u16 u32: u32 u64: u64 u128: u128 usize: usize f32: f32 f64: f64;
                from b: bool $($from: $From)*
            }
        }
    )* };
}
to_float! {
    to_f32: f32 from i8: i8 i16: i16 u8: u8 u16: u16 f32: f32;
    to_f64: f64 from i8: i8 i16: i16 i32: i32 u8: u8 u16: u16 u32: u32 f32: f32 f64: f64;
}
of_type! { to_bool: casts conversions; casts_to! { bool: as b: bool; from b: bool } }

/// Generic code at every type, against the plain Rust of the type.
mod generic {
    pub(crate) mod num {
        number_rows! { T [T: Num] }
        generic_casts! {}
    }
    pub(crate) mod int {
        int_rows! { T [T: Int] }
        operations! { associated [T: Int] (x: T, y: T) -> u128 { abs_diff: x.abs_diff(y).cast() } }
    }
    pub(crate) mod float {
        float_rows! { T [T: Float] }
        generic_constants! {}
        operations! { associated [T: Float] (x: T) -> u128 { to_bits: x.to_bits().cast() } }
    }
}
macro_rules! generic {
    ($class:ident $lists:tt, associated: $associated:expr; $($name:ident: $T:ident $of:ident;)*) => { $(
        #[test]
        #[allow(clippy::unnecessary_cast, reason = "it is one for `u128` only")]
        fn $name() {
            mod casts_of {
                casts_from! { $T }
            }
            let mut tally = Tally::default();
            generic::num::arithmetic::check_against::<$T>(&mut tally, $of::arithmetic::plain);
            generic::num::comparisons::check_against::<$T>(&mut tally, $of::comparisons::plain);
            casts_of::casts::check(&mut tally);
            generic::num::casts::check_against::<$T>(&mut tally, casts_of::casts::plain);
            generic! { @lists $class $lists $T $of tally }
            generic::$class::associated::check_against::<$T>(&mut tally, $associated);
            tally.finish(stringify!($name));
        }
    )* };
    (@lists $class:ident [$($list:ident)*] $T:ident $of:ident $tally:ident) => {
        $(generic::$class::$list::check_against::<$T>(&mut $tally, $of::$list::plain);)*
    };
}
generic! { int [ints overflows counts], associated: |_, x, y| x.abs_diff(y) as u128;
    generic_i8: i8 of_i8; generic_i16: i16 of_i16; generic_i32: i32 of_i32; generic_i64: i64 of_i64;
    generic_i128: i128 of_i128; generic_isize: isize of_isize;
    generic_u8: u8 of_u8; generic_u16: u16 of_u16; generic_u32: u32 of_u32; generic_u64: u64 of_u64;
    generic_u128: u128 of_u128; generic_usize: usize of_usize;
}
generic! { float [floats rounded float_tests constants], associated: |_, x| x.to_bits() as u128;
    generic_f32: f32 of_f32; generic_f64: f64 of_f64;
}
