//! The distributions, on the host: the cases of `tests/src/cases/random.rs` show that every device
//! has the same numbers.
//!
//! Seeds are fixed, so a test passes always or never. Limits are quantiles that one seed in about a
//! thousand exceeds.

use super::*;

const SAMPLES: usize = 1 << 17;

/// The sum of (observed - expected)^2 / expected over equally likely bins, in standard deviations
/// from its mean. Below 0: flatter than random.
fn chi_square(bins: usize, values: impl Iterator<Item = usize>) -> f64 {
    let mut counts = vec![0.0; bins];
    values.for_each(|bin| counts[bin] += 1.0);
    let expected = counts.iter().sum::<f64>() / bins as f64;
    let sum: f64 = counts.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum();
    // Wilson and Hilferty: the cube root of it is almost normally distributed.
    let (freedom, spread) = (bins as f64 - 1.0, 2.0 / (9.0 * (bins as f64 - 1.0)));
    ((sum / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

#[track_caller]
fn assert_even(what: &str, bins: usize, values: impl Iterator<Item = usize>) {
    let off = chi_square(bins, values);
    assert!(off.abs() < 3.3, "{what}: chi-square is off by {off:.1} standard deviations");
}

/// Kolmogorov and Smirnov: values that a cumulative distribution function has made uniform.
#[track_caller]
fn assert_uniform(what: &str, values: impl Iterator<Item = f64>) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let distance = |(k, x): (usize, &f64)| (x - k as f64 / n).max((k + 1) as f64 / n - x);
    let farthest = sorted.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt();
    // Below 0.3 is as unlikely as above 1.95: too even.
    assert!((0.3..1.95).contains(&farthest), "{what}: the largest distance is {farthest:.2} / sqrt(n)");
}

/// Pairs of numbers with mean 0 have no correlation.
#[track_caller]
fn assert_unrelated(what: &str, pairs: impl Iterator<Item = (f64, f64)>) {
    let (mut n, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0);
    pairs.for_each(|(x, y)| (n, xx, yy, xy) = (n + 1.0, xx + x * x, yy + y * y, xy + x * y));
    let correlation = xy / f64::sqrt(xx * yy) * f64::sqrt(n);
    assert!(correlation.abs() < 3.3, "{what}: the correlation is {correlation:.1} / sqrt(n)");
}

/// One stream, and the first numbers of neighbouring streams and of neighbouring seeds.
fn sequences<T>(take: impl Fn(&mut Rng) -> T) -> [(&'static str, Vec<T>); 3] {
    let mut one = rng(1, 0);
    [
        ("one stream", (0..SAMPLES).map(|_| take(&mut one)).collect()),
        ("streams", (0..SAMPLES).map(|i| take(&mut rng(2, i))).collect()),
        ("seeds", (0..SAMPLES).map(|seed| take(&mut rng(seed as u64, 3))).collect()),
    ]
}

#[test]
fn bytes_of_words_are_even() {
    for (what, words) in sequences(Rng::next_u32) {
        for shift in [0, 8, 16, 24] {
            let byte = |word: u32| (word >> shift) as usize % 256;
            assert_even(what, 256, words.iter().map(|&word| byte(word)));
            assert_even(what, 1 << 16, words.windows(2).step_by(2).map(|two| byte(two[0]) << 8 | byte(two[1])));
        }
    }
    for (what, numbers) in sequences(Rng::next_u64) {
        for shift in (0..64).step_by(8) {
            assert_even(what, 256, numbers.iter().map(|number| (number >> shift) as usize % 256));
        }
    }
}

#[test]
fn numbers_below_one_are_uniform() {
    for (what, numbers) in sequences(Rng::next_f32) {
        assert_uniform(what, numbers.iter().copied().map(f64::from));
        let wholes = numbers.iter().map(|x| x * 16_777_216.0);
        assert!(wholes.clone().all(|x| x.fract() == 0.0 && x < 16_777_216.0));
        assert_even(what, 256, wholes.map(|x| x as usize % 256));
    }
    for (what, numbers) in sequences(Rng::next_f64) {
        assert_uniform(what, numbers.iter().copied());
        let wholes = numbers.iter().map(|x| x * 2f64.powi(53));
        assert!(wholes.clone().all(|x| x.fract() == 0.0 && x < 2f64.powi(53)));
        assert_even(what, 256, wholes.map(|x| x as usize % 256));
    }
}

#[test]
fn all_numbers_below_a_limit_are_equally_likely() {
    for n in [2, 6, 256, 1000] {
        for (what, numbers) in sequences(|rng| rng.below(n)) {
            assert_even(&format!("{what}, below {n}"), n as usize, numbers.iter().map(|&number| number as usize));
        }
    }
    // A product alone, or a remainder, would take some of these numbers twice as often as others.
    for n in [3 << 30, (1 << 31) + 1, u32::MAX] {
        for (what, numbers) in sequences(|rng| rng.below(n)) {
            assert_even(&format!("{what}, below {n}, modulo 3"), 3, numbers.iter().map(|&number| number as usize % 3));
            assert_uniform(&format!("{what}, below {n}"), numbers.iter().map(|&x| (f64::from(x) + 0.5) / f64::from(n)));
        }
    }
    assert!(sequences(|rng| rng.below(1)).iter().all(|(_, numbers)| numbers.iter().all(|&number| number == 0)));
}

#[test]
fn no_number_is_below_zero() {
    let payload = std::panic::catch_unwind(|| rng(1, 1).below(0)).unwrap_err();
    let panic = payload.downcast_ref::<crate::value::check::DevicePanic>().unwrap();
    assert_eq!(panic.message, "there is no number below 0");
}

/// The probability of a normally distributed number beyond x, for x above 0: W. J. Cody's continued
/// fraction and the series of the error function.
fn beyond(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x < 3.0 {
        let mut term = x;
        let terms = (1..100).map(|k| {
            let this = term;
            term *= x * x / f64::from(2 * k + 1);
            this
        });
        0.5 - density * terms.sum::<f64>()
    } else {
        density / (1..200).rev().fold(x, |rest, k| x + f64::from(k) / rest)
    }
}

#[test]
fn normal_numbers_invert_the_distribution() {
    // Both ends, the middle, where the polynomials meet, and words all over.
    let dense = (0..5000).flat_map(|k| [k, k << 10, i32::MAX as u32 - k, i32::MAX as u32 - (k << 10)]);
    let spread = (0..100_000u32).map(|k| k.wrapping_mul(21_473) & i32::MAX as u32);
    for word in dense.chain(spread) {
        let (x, outside) = (f64::from(normal(word)), (2f64.powi(31) - f64::from(word) - 0.5) / 2f64.powi(32));
        assert_eq!(normal(!word), -normal(word), "{word:#x}");
        assert!(x > 0.0, "{word:#x}: {x}");
        // What x is off by, from the probability: its derivative is the density.
        let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let off = if x < 1e-3 {
            ((f64::from(word) + 0.5) / 2f64.powi(32)) / density - x
        } else {
            (beyond(x) - outside) / density
        };
        assert!(off.abs() < 4e-7 * x, "{word:#x}: {x} is off by {:.1e}", off / x);
    }
}

#[test]
fn logarithms_are_accurate() {
    for k in 0..200_000 {
        let x = (-f32::from_bits(0x41B1_7218) * k as f32 / 200_000.0).exp();
        let off = f64::from(ln(x)) - f64::from(x).ln();
        assert!(off.abs() < 1.5e-6, "the logarithm of {x} is off by {off}");
    }
}

#[test]
fn normal_numbers_are_normal() {
    for (what, numbers) in sequences(|rng| f64::from(rng.normal_f32())) {
        assert_uniform(what, numbers.iter().map(|&x| if x < 0.0 { beyond(-x) } else { 1.0 - beyond(x) }));
        // The first four moments are 0, 1, 0 and 3; the variances of their estimates are 1, 2, 15
        // and 96 over n.
        let n = SAMPLES as f64;
        for (power, moment, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let off = (numbers.iter().map(|x| x.powi(power)).sum::<f64>() / n - moment) / f64::sqrt(variance / n);
            assert!(off.abs() < 3.3, "{what}: moment {power} is off by {off:.1} standard deviations");
        }
    }
}

#[test]
fn neighbours_are_independent() {
    let centred = |rng: &mut Rng| rng.next_f64() - 0.5;
    for (what, numbers) in sequences(centred) {
        for apart in [1, 2, 3, 4, 8, 32, 256] {
            assert_unrelated(
                &format!("{what}, {apart} apart"),
                numbers.iter().zip(&numbers[apart..]).map(|(x, y)| (*x, *y)),
            );
        }
    }
    // Whole streams beside each other, by their number and by their seed.
    for (a, b) in [
        (rng(5, 7), rng(5, 8)),
        (rng(5, 7), rng(6, 7)),
        (rng(5, 7), rng(7, 5)),
        (rng(5, 1), rng(5, 1 << 32)),
        (rng(1, 5), rng(1 << 32, 5)),
    ] {
        let (mut a, mut b) = (a, b);
        let pairs: Vec<_> = (0..SAMPLES).map(|_| (centred(&mut a), centred(&mut b))).collect();
        assert_unrelated("streams", pairs.iter().copied());
        let cell = |x: f64| ((x + 0.5) * 64.0) as usize;
        assert_even("streams", 64 * 64, pairs.iter().map(|&(x, y)| cell(x) * 64 + cell(y)));
    }
}

#[test]
fn every_number_is_made_of_its_own_words() {
    for k in 0..9 {
        let at = |k: u64| {
            let mut rng = rng(3, 4);
            rng.skip(k);
            rng
        };
        let [word, next] = [k, k + 1].map(|k| at(k).next_u32());
        let long = u64::from(word) | u64::from(next) << 32;
        assert_eq!(at(k).next_u64(), long);
        assert_eq!(f64::from(at(k).next_f32()), f64::from(word >> 8) / 2f64.powi(24));
        assert_eq!(at(k).next_f64(), (long >> 11) as f64 / 2f64.powi(53));
        assert_eq!(at(k).normal_f32(), normal(word));
        assert_eq!(at(k).below(1 << 10), word >> 22);
    }
}

#[test]
fn skipping_is_taking() {
    for taken in 0..9 {
        for skipped in 0..9 {
            let (mut a, mut b) = (rng(3, 4), rng(3, 4));
            (0..taken).for_each(|_| assert_eq!(a.next_u32(), b.next_u32()));
            a.skip(skipped);
            for _ in 0..skipped {
                b.next_u32();
            }
            (0..9).for_each(|_| assert_eq!(a.next_u32(), b.next_u32(), "{skipped} after {taken}"));
        }
    }
    let mut far = rng(3, 4);
    far.skip((1 << 35) + 2);
    assert_eq!(far.next_u32(), philox4x32([0, 2, 4, 0], [3, 0])[2]);
}
