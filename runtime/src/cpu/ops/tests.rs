//! The messages and locations of failures.

use std::hint::black_box;
use std::panic::catch_unwind;

use super as ours;
use crate::cpu::panic::caught;
use crate::error::Error;
use crate::model::cost::Cost;
use crate::model::kernel::{Kernel, Loop, Number};

static LOOPS: [Loop; 1] = [Loop::of_a_test(Cost::new(1, false))];
static KERNEL: Kernel = Kernel {
    number: Number::new(),
    name: "k",
    module: "m",
    file: "k.rs",
    line: 1,
    loops: &LOOPS,
    fused: &[],
    plan: &[],
};

/// Both panic with the same message, ours at its own line.
#[track_caller]
fn check<T, U>(ours: impl FnOnce() -> T, rusts: impl FnOnce() -> U + std::panic::UnwindSafe) {
    let here = std::panic::Location::caller();
    let payload = catch_unwind(|| _ = black_box(rusts())).expect_err("Rust panics");
    let words = payload.downcast_ref::<String>().cloned();
    let words = words.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap();
    // std adds the operands of a clamp of floats, for which a device record has no room
    let words = words.split(". min = ").next().unwrap();
    let Err(Error::KernelPanic { file, line, message, .. }) = caught(&KERNEL, &LOOPS[0], || _ = black_box(ours()))
    else {
        panic!("ours does not fail: {words}");
    };
    assert_eq!(message, words);
    assert_eq!((file, line), (here.file(), here.line()), "{words}");
}

#[test]
#[rustfmt::skip] // one line each: the location is checked too
fn failures_have_rusts_words_and_the_users_place() {
    let (zero, minus, min, max, wide) = black_box((0i32, -1i32, i32::MIN, i32::MAX, 64u32));
    check(|| ours::div(ours::binary(), 1, zero), || 1 / zero);
    check(|| ours::div(ours::binary(), min, minus), || min / minus);
    check(|| ours::rem(ours::binary(), 1, zero), || 1 % zero);
    check(|| ours::rem(ours::binary(), min, minus), || min % minus);
    check(|| ours::div_euclid(min, minus), || min.div_euclid(minus));
    check(|| ours::rem_euclid(1, zero), || 1i32.rem_euclid(zero));
    check(|| ours::div_ceil(1, zero as u32), || 1u32.div_ceil(zero as u32));
    check(|| ours::next_multiple_of(1, zero as u32), || 1u32.next_multiple_of(zero as u32));
    check(|| ours::clamp(1, max, min), || 1.clamp(max, min));
    check(|| ours::clamp((1, true), (1, true), (0, false)), || Ord::clamp((1, true), (1, true), (0, false)));
    check(|| ours::clamp(true, true, false), || true.clamp(black_box(true), false));
    check(|| ours::clamp([1], [2], [1]), || Ord::clamp([1], [2], [1]));
    check(|| ours::clamp(1.0, f32::NAN, 2.0), || 1.0f32.clamp(black_box(f32::NAN), 2.0));
    check(|| ours::isqrt(minus), || minus.isqrt());
    check(|| ours::ilog(zero, 3), || zero.ilog(3));
    check(|| ours::ilog(zero, 1), || zero.ilog(1));
    check(|| ours::ilog2(zero), || zero.ilog2());
    check(|| ours::ilog10(minus), || minus.ilog10());
    check(|| ours::wrapping_div(1, zero), || 1i32.wrapping_div(zero));
    check(|| ours::wrapping_rem(1, zero), || 1i32.wrapping_rem(zero));
    check(|| ours::wrapping_div_euclid(1, zero), || 1i32.wrapping_div_euclid(zero));
    check(|| ours::wrapping_rem_euclid(1, zero), || 1i32.wrapping_rem_euclid(zero));
    check(|| ours::overflowing_div(1, zero), || 1i32.overflowing_div(zero));
    check(|| ours::overflowing_rem(1, zero), || 1i32.overflowing_rem(zero));
    check(|| ours::overflowing_div_euclid(1, zero), || 1i32.overflowing_div_euclid(zero));
    check(|| ours::overflowing_rem_euclid(1, zero), || 1i32.overflowing_rem_euclid(zero));
    check(|| ours::saturating_div(1, zero), || 1i32.saturating_div(zero));
    check(|| ours::strict_add(max, 1), || max.strict_add(1));
    check(|| ours::strict_sub(min, 1), || min.strict_sub(1));
    check(|| ours::strict_mul(max, 2), || max.strict_mul(2));
    check(|| ours::strict_neg(min), || min.strict_neg());
    check(|| ours::strict_abs(min), || min.strict_abs());
    check(|| ours::strict_pow(max, 2), || max.strict_pow(2));
    check(|| ours::strict_shl(1, wide), || 1i32.strict_shl(wide));
    check(|| ours::strict_shr(1, wide), || 1i32.strict_shr(wide));
    check(|| ours::strict_div(1, zero), || 1i32.strict_div(zero));
    check(|| ours::strict_rem(min, minus), || min.strict_rem(minus));
    check(|| ours::strict_div_euclid(min, minus), || min.strict_div_euclid(minus));
    check(|| ours::strict_rem_euclid(1, zero), || 1i32.strict_rem_euclid(zero));
    check(|| ours::strict_add_unsigned(max, 1), || max.strict_add_unsigned(1));
    check(|| ours::strict_sub_unsigned(min, 1), || min.strict_sub_unsigned(1));
    check(|| ours::strict_add_signed(0u32, minus), || 0u32.strict_add_signed(minus));
    check(|| ours::strict_sub_signed(0u32, 1), || 0u32.strict_sub_signed(1));
}

/// In device code these methods are not limited to numbers.
#[test]
fn minima_of_tuples_and_arrays() {
    assert_eq!(ours::min((1, 2i8), (1, 1)), (1, 1));
    assert_eq!(ours::max([1u8, 2], [1, 1]), [1, 2]);
    assert!(ours::max(true, false));
    assert_eq!(ours::clamp((3, false), (1, true), (2, true)), (2, true));
    assert_eq!(ours::min(f32::NAN, 1.0), 1.0);
}
