//! The instruction sets that loops are compiled for, and the choice of one when the program runs.
//!
//! The body of a loop is `#[inline(always)]`, so each function here that calls it holds a copy,
//! compiled for its instruction set. All copies compute the same: rustc never contracts
//! `a * b + c`, and `mul_add` is exact with and without an instruction for it. As everywhere in
//! Rust, the sign and the payload of a NaN are not defined.
//!
//! Builds with debug assertions have one copy: without optimization the second gains nothing, and
//! each loop costs its compile time.

#![allow(unsafe_code, reason = "calls of versions for the instruction sets that this machine has")]

use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{Error, Result};
use crate::model::judge::Decided;

/// The levels of x86-64, as compilers name them. Other processors have the baseline alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
enum Level {
    /// What rustc compiles the rest of the program for.
    Baseline = 1,
    /// With AVX2 and FMA.
    V3,
    /// With AVX-512. Only lanes are compiled for it, and blocks that compute tiles in registers:
    /// few other loops gain, and some lose.
    V4,
}

impl Level {
    const ALL: [Level; 3] = [Level::Baseline, Level::V3, Level::V4];

    fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::V3 => "v3",
            Level::V4 => "v4",
        }
    }

    /// The best level of this processor.
    fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            let v3 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            let v4 = has!("avx512f") && has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
            match (v3, v4) {
                (true, true) => return Level::V4,
                (true, false) => return Level::V3,
                (false, _) => {}
            }
        }
        Level::Baseline
    }

    /// The level of loops unless `ANABRANCH_CPU` names one. Some processors have units of 256 bits
    /// for AVX-512, or lower their clock for it, and none tells. VP2INTERSECT is a sign that it
    /// pays: of AMD's processors, Zen 5 has it, and its units have 512 bits.
    fn usual(best: Level) -> Level {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx512vp2intersect") {
            return best;
        }
        best.min(Level::V3)
    }

    /// The level that `ANABRANCH_CPU` names, or the usual one.
    fn chosen(setting: Option<&str>, usual: Level, best: Level) -> Result<Level> {
        let Some(name) = setting else { return Ok(usual) };
        Level::ALL.into_iter().find(|level| level.name() == name && *level <= best).ok_or_else(|| Error::Setting {
            name: NAME,
            value: name.to_owned(),
            expected: match best {
                Level::Baseline => "`baseline`, because this processor has no other level",
                Level::V3 => "`baseline` or `v3`",
                Level::V4 => "`baseline`, `v3` or `v4`",
            },
        })
    }
}

const NAME: &str = "ANABRANCH_CPU";
/// Below each level.
const UNKNOWN: u8 = 0;

/// A [`Level`], as soon as one is chosen. It is never above the best level of the processor.
static LEVEL: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Chooses the level, once.
///
/// # Errors
/// `ANABRANCH_CPU` names no level of this processor.
#[inline]
pub(crate) fn choose() -> Result<()> {
    if LEVEL.load(Ordering::Relaxed) == UNKNOWN { choose_now() } else { Ok(()) }
}

#[cold]
fn choose_now() -> Result<()> {
    let setting = std::env::var_os(NAME).filter(|value| !value.is_empty());
    let (setting, best) = (setting.map(|value| value.to_string_lossy().into_owned()), Level::best());
    let level = Level::chosen(setting.as_deref(), Level::usual(best), best)?;
    super::lanes::choose()?;
    LEVEL.store(level as u8, Ordering::Relaxed);
    Ok(())
}

/// Calls the body of a loop, compiled for the level. Before one is chosen that is the baseline.
#[inline(always)]
pub(crate) fn call<C, A, W, F: Fn(C, A) -> W>(body: &F, chunk: C, args: A) {
    run(
        #[inline(always)]
        || drop(body(chunk, args)),
    );
}

/// Runs the body of a loop with what the launch has shown of its accesses. The compiler sees it
/// twice: once as if nothing had to be checked.
#[inline(always)]
pub fn by_verdict<F: FnOnce(Decided)>(decided: Decided, body: F) {
    match decided.proved() {
        // Without optimization the second copy gains nothing.
        Some(proved) if !cfg!(debug_assertions) => body(proved),
        _ => checked(decided, body),
    }
}

/// The same for blocks of threads, which gain by wide vectors if they are `wide`.
#[inline(always)]
pub fn by_verdict_wide<F: FnOnce(Decided)>(wide: bool, decided: Decided, body: F) {
    match decided.proved() {
        Some(_) if !cfg!(debug_assertions) => run_wide(
            wide,
            #[inline(always)]
            || {
                // The compiler sees it only where it is asked.
                if let Some(proved) = decided.proved() {
                    body(proved);
                }
            },
        ),
        _ => checked(decided, body),
    }
}

#[cold]
#[inline(never)]
fn checked<F: FnOnce(Decided)>(decided: Decided, body: F) {
    body(decided);
}

/// Runs something compiled for the level, with a stack frame of its own.
#[inline(always)]
pub(crate) fn run<F: FnOnce()>(body: F) {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    if LEVEL.load(Ordering::Relaxed) >= Level::V3 as u8 {
        // SAFETY: `choose_now` stores a level only if `Level::best`, which asks the processor, is
        // not below it.
        return unsafe { v3(body) };
    }
    baseline(body);
}

/// The same for lanes.
#[inline(always)]
pub(crate) fn run_lanes<F: FnOnce()>(body: F) {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    if LEVEL.load(Ordering::Relaxed) == Level::V4 as u8 {
        // SAFETY: as above.
        return unsafe { v4(body) };
    }
    run(body);
}

/// Runs what gains by wide vectors, if it is `wide`. It is part of the caller unless it is compiled
/// for other instructions.
#[inline(always)]
#[allow(unused_variables, reason = "not all builds have other instructions")]
pub(crate) fn run_wide<F: FnOnce()>(wide: bool, body: F) {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    if wide && LEVEL.load(Ordering::Relaxed) == Level::V4 as u8 {
        // SAFETY: as above.
        return unsafe { v4(body) };
    }
    body();
}

#[inline(never)]
fn baseline<F: FnOnce()>(body: F) {
    body();
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn v3<F: FnOnce()>(body: F) {
    body();
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn v4<F: FnOnce()>(body: F) {
    body();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_levels_of_the_processor_are_chosen() {
        use Level::*;
        for (setting, best, level) in [
            (None, V3, V3),
            (None, Baseline, Baseline),
            (None, V4, V3),
            (Some("v4"), V4, V4),
            (Some("v3"), V4, V3),
            (Some("v3"), V3, V3),
            (Some("baseline"), V4, Baseline),
        ] {
            assert_eq!(Level::chosen(setting, best.min(V3), best).ok(), Some(level), "{setting:?} of {best:?}");
        }
        for (name, best) in [("v3", Baseline), ("V3", V3), ("v4", V3), ("v5", V4), ("avx2", V3)] {
            let error = Level::chosen(Some(name), best, best).unwrap_err().to_string();
            assert!(error.contains("ANABRANCH_CPU") && error.contains(name), "{error}");
        }
    }

    #[test]
    fn the_usual_level_is_one_of_the_processor() {
        let best = Level::best();
        assert!(Level::usual(best) <= best);
        assert_eq!(Level::usual(best).min(Level::V3), best.min(Level::V3));
    }
}
