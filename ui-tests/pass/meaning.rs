//! Device code and plain Rust side by side: the same tokens, compared bit by bit.
#![allow(unused, overflowing_literals, arithmetic_overflow, clippy::all)]
use anabranch::prelude::*;

macro_rules! same {
    ($($name:ident: $t:ty, |$a:ident, $b:ident| $body:expr;)*) => {
        $(
            #[kernel]
            fn $name(out: &mut [$t], $a: $t, $b: $t) {
                for i in par(0..out.len()) { out[i] = $body; }
            }
        )*
        fn check(device: &Device) -> anabranch::Result<()> {
            let stream = device.default_stream();
            $(
                for ($a, $b) in <$t as Samples>::samples() {
                    let mut out = device.zeros::<$t>(1)?;
                    $name(&stream, &mut out, $a, $b)?;
                    let expected: $t = $body;
                    let got = out.to_vec()?[0];
                    assert_eq!(format!("{got:?}"), format!("{expected:?}"), "{} of {:?} and {:?}", stringify!($name), $a, $b);
                    assert!(!$name::cuda_source().is_empty());
                }
            )*
            Ok(())
        }
    };
}

trait Samples: Sized {
    fn samples() -> Vec<(Self, Self)>;
}
macro_rules! samples {
    ($($t:ty: $list:expr;)*) => { $(impl Samples for $t {
        fn samples() -> Vec<(Self, Self)> {
            let list = $list;
            list.iter().flat_map(|&a| list.iter().map(move |&b| (a, b))).collect()
        }
    })* };
}
samples! {
    i32: [1, -7, 100, 3];
    u8: [0, 1, 7, 100];
    i8: [0, 1, -7, 100];
    i128: [0, 5, -9];
    u32: [0, 3, 77, 1 << 20];
    usize: [0, 3, 77];
    f32: [0.0, -0.0, 1.5, -7.25, f32::NAN, f32::INFINITY];
    f64: [0.0, 1.5, -7.25, 1e300];
    bool: [true, false];
}

same! {
    precedence: i32, |a, b| a + b * 2 - (a - b) * 3 - (a + 1) % 5;
    minus_of_minus: i32, |a, b| a - (b - (a - b)) - -b;
    nested_parens: i32, |a, b| ((a) + ((b))) * (((a) - (b)));
    bits: i32, |a, b| a & b | a ^ 3 & !b;
    bits_parens: i32, |a, b| (a | b) & (a ^ (3 & b));
    shifts: i32, |a, b| a << 3 >> 1 + 1;
    shift_by_other_types: i32, |a, b| (a << 2u8) + (a >> 1i64) + (a << (b & 3));
    not_and_minus: i32, |a, b| !-a + -!b - -(-a);
    not_literal: i32, |a, b| !0 + !-1 + -!1;
    min_literals: i32, |a, b| (-2147483648 ^ a) ^ -2_147_483_648i32;
    min_i8: i8, |a, b| (-128i8 ^ a) ^ -128;
    min_i128: i128, |a, b| -170141183460469231731687303715884105728 ^ a ^ -170141183460469231731687303715884105728i128;
    max_i128: i128, |a, b| 170141183460469231731687303715884105727 ^ a;
    literals: u32, |a, b| 0xFF + 0b1010_1010 + 0o17 + 1_000 + 0xFFu32 + 0b1_u32 + 0xdead_beef % 7;
    byte_literals: u8, |a, b| b'a' ^ b'\n' ^ b'\x7f' ^ b'\'' ^ 1u8;
    float_literals: f32, |a, b| 1. + 1e3 + 1f32 + 1.5e-3_f32 + 1_0.0_1 + 2.5E2 + 1e+2;
    float_literals_64: f64, |a, b| 1. + 0.1 + 1e-10 + 16777217. + 1f64 + 0.1_f64;
    negative_zero: f32, |a, b| -0.0 * 1.0 + -0.0;
    minus_float: f32, |a, b| -a - -b;
    minus_method: f32, |a, b| -2.0f32.powi(2) + -a.abs();
    method_on_literals: f32, |a, b| 2.0f32.sqrt() + 2f32.max(a.abs()) + (2.0_f32).min(3.);
    method_on_negative: i32, |a, b| (-5i32).abs() + -5i32.abs() + (-5i32).rem_euclid(3) + -5i32.rem_euclid(3);
    method_on_sum: f32, |a, b| (a + b).abs() - a.max(b).min(1.0);
    method_on_cast: f32, |a, b| (a as f64).abs() as f32;
    method_chain: u32, |a, b| a.wrapping_add(b).rotate_left(3).count_ones().pow(2).max(1);
    casts: u32, |a, b| a as u8 as i8 as i32 as u32 + b as u16 as u32;
    cast_of_sum: u32, |a, b| (a + b) as u8 as u32 + a as u8 as u32 + b;
    cast_of_negative: i32, |a, b| -1i8 as u8 as i32 + -1 as i32 + (-1i8) as i32 - -a as i8 as i32;
    cast_of_float: i32, |a, b| (a as f32 * 1e20) as i8 as i32 + (a as f64 / 0.0) as i32 as u8 as i32;
    cast_of_bool: i32, |a, b| (a < b) as i32 - (a == b) as u8 as i32;
    cast_less: u32, |a, b| if (a as usize) < b as usize { 1 } else { 2 };
    cast_then_compare: bool, |a, b| a as u8 > b as u8 && (a as u8) < 1 || b as i32 == 1;
    cast_shift: u32, |a, b| (a as u8 as u32) << 2 >> (b & 3);
    compare_chain: bool, |a, b| (a == b) == (a != b) || (a < b) != (b > a);
    logic: bool, |a, b| a || b && !a || !(a && b) && (b || a);
    bool_bits: bool, |a, b| a & b | !a ^ b;
    comparisons_of_floats: f32, |a, b| if a < b { 1. } else if a == b { 2. } else if !(a >= b) { 3. } else { 4. };
    if_operand: i32, |a, b| if a > 1 { 10 } else { 20 } + 1;
    if_operands: i32, |a, b| (if a > 1 { 10 } else { 20 }) * (if b > 1 { 3 } else { 4 }) - if a > b { a } else { b };
    if_in_condition: i32, |a, b| if if a > 1 { b > 1 } else { b < 0 } { 1 } else { 2 };
    block_condition: i32, |a, b| if { let t = a - b; t > 0 } { 1 } else { 2 };
    block_operand: i32, |a, b| { let t = a; t * 2 } - { let t = b; t };
    block_compare: i32, |a, b| if { a } == { b } { 1 } else { 2 };
    shadowing: i32, |a, b| { let a = a + 1; let a = { let a = a * 2; a + b }; let b = a; let a = b; a - b + a };
    shadowed_in_else: i32, |a, b| { let t = 1; (if a > b { let t = t + 1; t } else { t }) + t };
    compound_order: i32, |a, b| { let mut t = a; t += { t = 5; t + 1 }; t -= { t *= 2; 1 }; t };
    operand_order: i32, |a, b| { let mut t = a; let u = t + { t = 7; t } * { t += 1; t } - t; u };
    compare_order: bool, |a, b| { let mut t = 1; let u = t < { t = 0; t } || t > { t = -1; t }; u };
    compound_all: i32, |a, b| { let mut t = a; t += b; t -= 3; t *= 2; t /= 3; t %= 7; t <<= 2; t >>= 1; t &= 0xFF; t |= 1; t ^= b; t };
    compound_block: i32, |a, b| { let mut t = a; t *= if b > 0 { 2 } else { 3 }; t += (t) as i32; t };
    u8_loop: u8, |a, b| { let mut s = 0; for k in 0..=255 { s = s ^ k & a; } for k in 250u8..=255 { s ^= k; } s };
    u8_loop_end: u8, |a, b| { let mut s = 0u8; for k in a..b { s ^= k; } for k in (a + 1)..=(b) { s ^= k << 1; } s };
    empty_loop: i32, |a, b| { let mut s = 0; for k in 5..3 { s += k; } for k in 5..=4 { s += k; } for _ in -2..2 { s += 1; } s };
    loop_shadow: i32, |a, b| { let mut s = 0; for a in 0..3 { for a in a..5 { s += a; } s += a * 10; } s + a };
    loop_end_once: i32, |a, b| { let mut n = 3; let mut s = 0; for k in 0..n { n = 10; s += k; } s + n };
    labels: i32, |a, b| { let mut s = 0; 'x: for j in 0..5 { 'y: for k in 0..5 { if k > j { continue 'x; } if j == 4 { break 'x; } if k == 2 { break 'y; } s += k + 10 * j; } s += 1000; } s };
    same_label: i32, |a, b| { let mut s = 0; 'x: loop { 'y: loop { s += 1; break 'y; } s += 10; break 'x; } s };
    break_value: i32, |a, b| { let mut t = 0; let u = loop { t += 1; if t * t > a { break t * 2; } }; u - 'q: loop { loop { break 'q b; } } };
    while_loop: i32, |a, b| { let mut t = 0; while { t += 1; t < 10 } { if t == a { break; } } t };
    tail_if: i32, |a, b| { let x = 3; if a > b { x } else if a == b { x + 1 } else { x + 2 } };
    unit_blocks: i32, |a, b| { let mut t = 1; { t += 1; } { { t *= 2; } }; if a > b { t += 100; }; t };
    discarded: i32, |a, b| { a + b; a; { b }; let _ = a * b; if a > 0 { 1 } else { 2 }; a };
    inferred: u8, |a, b| { let k = 200; let m = k / 3; a ^ m };
    inferred_later: usize, |a, b| { let mut n = 0; let one = 1; while n < 5 { n += one; } n + a - a };
    sums_of_literals: f32, |a, b| 0.1 + 0.2 + a * 0.3;
    euclid: i32, |a, b| a.rem_euclid(7) + a.div_euclid(7) * 10 + (a % 7) * 100 + a / 7 * 1000;
    clamp: f32, |a, b| a.clamp(-1.0, 1.0) + 5f32.clamp(0., 2.);
    from: f64, |a, b| f64::from(1.5f32) + f64::from_bits(0x3FF0_0000_0000_0000) + f64::from(3u8);
}

fn main() -> anabranch::Result<()> {
    check(&Device::cpu())
}
