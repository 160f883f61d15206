//! Tuples, arrays, slices, literals of patterns and the steps of loops.

use super::table::{Op, Outcome, Table};
use super::values::{Random, Value};
use anabranch::private::op as twin;

/// The six comparisons of two values, a bit each.
macro_rules! comparisons {
    ($l:expr, $r:expr) => {{
        let (l, r) = ($l, $r);
        let all = [l == r, l != r, l < r, l <= r, l > r, l >= r];
        Ok(all.into_iter().enumerate().map(|(i, holds)| u128::from(holds) << i).sum())
    }};
}

const COMPARISONS: &str = "put(out, (u32)(l == r) | (u32)(l != r) << 1 | (u32)(l < r) << 2 | (u32)(l <= r) << 3 | (u32)(l > r) << 4 | (u32)(l >= r) << 5);";

fn push(
    t: &mut Table,
    group: &'static str,
    code: String,
    cases: Vec<[u128; 3]>,
    rust: impl Fn(&[u128; 3]) -> Outcome + 'static,
) {
    let distance = |a: u128, b: u128| u128::from(a != b);
    t.0.push(Op { code, group, cases, rust: Box::new(rust), cpu: None, distance, ulp: 0 });
}

/// All triples of some values.
fn triples<T: Value>(values: &[T]) -> Vec<[u128; 3]> {
    let three = |&x: &T| values.iter().flat_map(move |y| values.iter().map(move |z| [x.wide(), y.wide(), z.wide()]));
    values.iter().flat_map(three).collect()
}

macro_rules! compared {
    ($t:expr, $($T:ident $values:expr),*) => {$(
        let cases = triples::<$T>(&$values);
        let read = "const T x = arg<T>(in, 0), y = arg<T>(in, 1), z = arg<T>(in, 2);".replace('T', stringify!($T));
        let tuple = format!("ab::tuple<{0}, {0}, bool>", stringify!($T));
        let code = format!("{read} const {tuple} l{{x, y, true}}, r{{z, x, true}}; {COMPARISONS}");
        push($t, stringify!($T), code, cases.clone(), |x| {
            let [x, y, z] = x.map($T::from_wide);
            comparisons!((x, y, true), (z, x, true))
        });
        let array = format!("ab::array<{}, 3>", stringify!($T));
        let code = format!("{read} const {array} l{{{{x, y, z}}}}, r{{{{y, x, z}}}}; {COMPARISONS}");
        push($t, stringify!($T), code, cases.clone(), |x| {
            let [x, y, z] = x.map($T::from_wide);
            comparisons!([x, y, z], [y, x, z])
        });
        let nested = format!("ab::tuple<ab::array<ab::tuple<{0}, i8>, 2>, {0}>", stringify!($T));
        let code = format!("{read} const {nested} l{{{{{{ {{x, 1}}, {{y, 2}} }}}}, z}}, r{{{{{{ {{y, 1}}, {{x, 2}} }}}}, x}}; {COMPARISONS}");
        push($t, stringify!($T), code, cases, |x| {
            let [x, y, z] = x.map($T::from_wide);
            comparisons!(([(x, 1), (y, 2)], z), ([(y, 1), (x, 2)], x))
        });
    )*};
}

/// What a loop yields, in order, as one number.
fn digest<T: Value>(values: impl Iterator<Item = T>) -> Outcome {
    let start: u128 = 7;
    Ok(values.take(TRIPS).fold(start, |h, v| h.wrapping_mul(1_000_003).wrapping_add(v.wide())))
}

const TRIPS: usize = 300;

/// The loop that the macro writes, over `r`.
fn walk(ty: &str, bound: &str, steps: &str) -> String {
    format!(
        "const {ty} lo = arg<{ty}>(in, 0), hi = arg<{ty}>(in, 1); const usize k = arg<usize>(in, 2); (void)k; \
         const auto r = ab::steps_up(lo, hi, {bound}){steps}; u128 h = 7; ab::wide<{ty}> t = 0; \
         for (bool go = r.any; go && t < {TRIPS}; go = t++ != r.last) {{ const {ty} i = r.at(t); h = h * 1000003 + (u128)(ab::uns<{ty}>)i; }} \
         put(out, h);"
    )
}

const STEPS: [usize; 13] = [1, 2, 3, 7, 127, 128, 129, 255, 256, 257, 1 << 32, usize::MAX, 0];

fn ranges<T: Value>(near: fn(T, u8) -> T) -> Vec<[u128; 3]> {
    let mut random = Random(5);
    let edges = T::edges();
    let mut cases = Vec::new();
    for _ in 0..400 {
        let mut any =
            || if random.coin() { edges[random.next() as usize % edges.len()] } else { T::random(&mut random) };
        let (lo, other) = (any(), any());
        let hi = if random.coin() { other } else { near(lo, random.next() as u8) };
        let step = STEPS[random.next() as usize % STEPS.len()];
        cases.push([lo.wide(), hi.wide(), step as u128]);
    }
    cases
}

macro_rules! walked {
    ($t:expr, $T:ident, $k:ident, $steps:literal, $range:tt, $walk:expr) => {{
        let bound = if stringify!($range) == "..=" { "true" } else { "false" };
        let near = |lo: $T, n: u8| lo.saturating_add((n % 128) as $T);
        push($t, stringify!($T), walk(stringify!($T), bound, $steps), ranges::<$T>(near), |x| {
            let (lo, hi, $k) = (x[0] as $T, x[1] as $T, x[2] as usize);
            if $k == 0 && $steps.contains("by") {
                return Err((0, 0));
            }
            digest(($walk)(lo $range hi))
        });
    }};
}

macro_rules! steps {
    ($t:expr, $($T:ident),*) => {$(
        walked!($t, $T, _k, "", .., |r| r);
        walked!($t, $T, _k, "", ..=, |r| r);
        walked!($t, $T, _k, ".rev()", .., Iterator::rev);
        walked!($t, $T, _k, ".rev()", ..=, Iterator::rev);
        walked!($t, $T, k, ".by(ab_cx, 7, k)", .., move |r| Iterator::step_by(r, k));
        walked!($t, $T, k, ".by(ab_cx, 7, k)", ..=, move |r| Iterator::step_by(r, k));
        walked!($t, $T, k, ".rev().by(ab_cx, 7, k)", .., move |r| Iterator::step_by(Iterator::rev(r), k));
        walked!($t, $T, k, ".rev().by(ab_cx, 7, k)", ..=, move |r| Iterator::step_by(Iterator::rev(r), k));
        walked!($t, $T, k, ".by(ab_cx, 7, k).by(ab_cx, 7, 3)", ..=, move |r| Iterator::step_by(r, k).step_by(3));
    )*};
}

/// What Rust can turn round only where it can count.
macro_rules! steps_back {
    ($t:expr, $($T:ident $range:tt),*) => {$(
        walked!($t, $T, k, ".by(ab_cx, 7, k).rev()", $range, move |r| Iterator::step_by(r, k).rev());
        walked!($t, $T, k, ".rev().by(ab_cx, 7, k).rev()", $range, move |r| Iterator::step_by(Iterator::rev(r), k).rev());
    )*};
}

macro_rules! literals {
    ($t:expr, $($T:ident $literal:literal $cpp:literal),*) => {$(
        for (name, rust) in [
            ("is", (|x, y| x == y) as fn($T, $T) -> bool), ("ge", |x, y| x >= y), ("le", |x, y| x <= y), ("lt", |x, y| x < y),
        ] {
            let code = format!("put(out, ab::{name}(arg<{}>(in, 0), {}));", stringify!($T), $cpp);
            let mut cases = vec![$literal, $literal + (1 as $T), $literal - (1 as $T)];
            cases.extend($T::edges());
            push($t, stringify!($T), code, cases.into_iter().map(|x| [x.wide(), 0, 0]).collect(), move |x| {
                Ok(rust($T::from_wide(x[0]), $literal).wide())
            });
        }
    )*};
}

/// A part of a slice of 4 elements, in the payload that `range` reports.
fn part(a: usize, b: usize, of: impl Fn(&[u16]) -> u16) -> Outcome {
    let data = [5u16, 6, 7, 8];
    match data.get(a..b) {
        Some(part) => Ok(of(part).into()),
        None if a > 4 => Err((a as u64, 4 | 1 << 62)),
        None if b > 4 => Err((b as u64, 4 | 1 << 63)),
        None => Err((a as u64, b as u64)),
    }
}

fn slices(t: &mut Table) {
    let at = |x: &[u128; 3]| [5u16, 6, 7].get(x[0] as usize).map(|&v| v.wide()).ok_or((x[0] as u64, 3));
    let indexes: Vec<_> =
        [0, 1, 2, 3, 4, u32::MAX.into(), 1 << 32, (1 << 32) + 1, u64::MAX.into()].map(|i| [i, 0, 0]).into();
    for make in [
        "const u16 data[3] = {5, 6, 7}; const ab::slice<const u16> x{data, 3};",
        "u16 data[3] = {5, 6, 7}; const ab::slice<u16> y{data, 3}; const ab::slice<const u16> x = y;",
        "ab::array<u16, 3> x{{5, 6, 7}};",
        "const ab::array<u16, 3> x{{5, 6, 7}};",
        "ab::array<u16, 3> y{{5, 6, 7}}; const ab::slice<u16> x = y;",
        "ab::array<u16, 3> y{{5, 6, 7}}; const ab::slice<const u16> x = y;",
        "const ab::array<u16, 3> y{{5, 6, 7}}; const ab::slice<const u16> x = y;",
    ] {
        let has_two = make.contains("> x{data") || make.contains("> x = ");
        for how in ["at", "at_narrow"].into_iter().take(1 + usize::from(has_two)) {
            let code = format!("{make} put(out, x.{how}(ab_cx, 7, arg<usize>(in, 0)));");
            push(t, "u16", code, indexes.clone(), at);
        }
    }
    let ends = [0, 1, 2, 3, 4, 5, 9, usize::MAX];
    let cases: Vec<_> = ends.iter().flat_map(|&a| ends.iter().map(move |&b| [a as u128, b as u128, 0])).collect();
    for make in [
        "const u16 data[4] = {5, 6, 7, 8}; const ab::slice<const u16> y{data, 4};",
        "ab::array<u16, 4> y{{5, 6, 7, 8}};",
        "const ab::array<u16, 4> y{{5, 6, 7, 8}};",
    ] {
        let code = format!(
            "{make} const ab::slice<const u16> x = y.range(ab_cx, 7, arg<usize>(in, 0), arg<usize>(in, 1)); \
             u16 sum = (u16)(100 * x.len() + (x.is_empty() ? 1000 : 0)); for (usize i = 0; i < x.len(); i++) sum = (u16)(sum + x.at(ab_cx, 8, i)); put(out, sum);"
        );
        push(t, "u16", code, cases.clone(), |x| {
            part(x[0] as usize, x[1] as usize, |part| {
                part.iter().sum::<u16>() + 100 * part.len() as u16 + if part.is_empty() { 1000 } else { 0 }
            })
        });
    }
    let lasts = [0, 1, usize::MAX - 1, usize::MAX].map(|last| [last as u128, 0, 0]).into();
    push(t, "usize", "put(out, ab::past(ab_cx, 7, arg<usize>(in, 0)));".into(), lasts, |x| {
        (x[0] as usize).checked_add(1).map(|end| end as u128).ok_or((u64::MAX, 0))
    });
    let one = vec![[7, 9, 0]];
    let writes = "ab::array<u16, 3> a = ab::filled<ab::array<u16, 3>>(arg<u16>(in, 0)); a.range(ab_cx, 7, 1, 3).at(ab_cx, 7, 1) = arg<u16>(in, 1); a.at(ab_cx, 7, 0) = 3;
            put(out, (u16)(a.e[0] + 10 * a.e[1] + 100 * a.e[2] + 1000 * (u16)(a.len() == 3 && !a.is_empty())));";
    push(t, "u16", writes.into(), one.clone(), |_| Ok(3 + 70 + 900 + 1000));
    let empty = "ab::array<u16, 0> a = ab::filled<ab::array<u16, 0>>(1); put(out, a.at(ab_cx, 7, 0));";
    push(t, "u16", empty.into(), one.clone(), |_| Err((0, 0)));
    let empties = format!(
        "const ab::array<u16, 0> l{{{{}}}}, r = ab::filled<ab::array<u16, 0>>(1); {COMPARISONS} if (l.is_empty() && l.len() == 0 && l.range(ab_cx, 7, 0, 0).is_empty()) out[0] |= 64;"
    );
    push(t, "u16", empties, one.clone(), |_| Outcome::map(comparisons!([0u16; 0], [1u16; 0]), |all| all | 64));
    let ends = "const ab::array<u16, 3> a{{1, 2, 3}}; ab::tuple<u8, u16, i32> b{4, 5, 6}; const ab::tuple<u8> c{8}; ab::last<1>(b) = 7; \
            put(out, ab::last<0>(a) + 10 * ab::last<2>(a) + 100 * ab::last<0>(b) + 1000 * b.m1 + 10000 * ab::last<0>(c));";
    push(t, "u16", ends.into(), one.clone(), |_| Ok(3 + 10 + 600 + 7000 + 80000));
    let widest = "const ab::tuple<u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8> l{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; auto r = l; r.m11 = 12; \
            put(out, (u32)(l < r) + 2 * (u32)(l == r) + 4 * (u32)(ab::tuple<>{} == ab::tuple<>{}) + 8 * (u32)(ab::tuple<>{} < ab::tuple<>{}) + 16 * (u32)ab::last<9>(l));";
    push(t, "u8", widest.into(), one, |_| Ok(1 + 4 + 16 * 2));
}

/// `min`, `max` and `clamp` of what has an order and is no number.
fn extremes(t: &mut Table) {
    let cases = triples::<u8>(&[0, 1, 2, 3]);
    let pair = |x: u128| (x as u8 / 2, x % 2 == 1);
    let pairs = "typedef ab::tuple<u8, bool> P; const auto p = [&](u32 k) { const u8 x = arg<u8>(in, k); return P{(u8)(x / 2), x % 2 == 1}; };";
    for (name, rust) in [("min", twin::min as fn((u8, bool), (u8, bool)) -> (u8, bool)), ("max", twin::max)] {
        let std = if name == "min" { Ord::min } else { Ord::max };
        t.push("u8", format!("{pairs} put(out, ab::{name}(p(0), p(1)));"), cases.clone(), move |x| {
            std(pair(x[0]), pair(x[1]))
        });
        t.twin(move |x| rust(pair(x[0]), pair(x[1])));
    }
    t.push("u8", format!("{pairs} put(out, ab::clamp(ab_cx, 7, p(0), p(1), p(2)));"), cases.clone(), move |x| {
        let [x, lo, hi] = x.map(pair);
        if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((2, 0)) }
    });
    t.twin(move |x| twin::clamp(pair(x[0]), pair(x[1]), pair(x[2])));
    let array = "const ab::array<u8, 2> a{{arg<u8>(in, 0), arg<u8>(in, 1)}}, b{{arg<u8>(in, 2), 1}};";
    t.push("u8", format!("{array} put(out, ab::max(a, b));"), cases, |x| [x[0] as u8, x[1] as u8].max([x[2] as u8, 1]));
    t.twin(|x| twin::max([x[0] as u8, x[1] as u8], [x[2] as u8, 1]));
}

pub(crate) fn aggregates(t: &mut Table) {
    extremes(t);
    let zeros = [0.0, -0.0, 1.0, -1.0];
    compared!(t, f32 [&zeros.map(|x| x as f32)[..], &[f32::NAN]].concat(), f64 [&zeros[..], &[f64::NAN]].concat());
    compared!(t, i8 [0, 1, -1], u128 [0, 1, u128::MAX], bool [false, true]);
    steps!(t, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
    steps_back!(t, i8 .., i8 ..=, u8 .., u8 ..=, i16 .., i16 ..=, u16 .., u16 ..=, i32 .., u32 .., usize ..);
    literals!(t, f32 0.1 "0.1f, 0.1", f64 0.1 "0.1f, 0.1", f32 -2.0 "-2.0f, -2.0", f64 -1e300 "-3e38f, -1e300");
    literals!(t, i8 -5 "-5", u8 200 "200", i64 5 "5", u64 5 "5", i128 -7 "-7", u128 5 "5u");
    let code = "put(out, ab::is(arg<bool>(in, 0), true));".to_owned();
    push(t, "bool", code, vec![[0; 3], [1, 0, 0]], |x| Ok(x[0]));
    slices(t);
}
