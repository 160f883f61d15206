//! The instruction sets that loops are compiled for, and the choice of one when the program runs.
//!
//! The body of a loop is `#[inline(always)]`, so each function here that calls it holds a copy, compiled for its instruction set. All
//! copies compute the same: rustc never contracts `a * b + c`, and `mul_add` is exact with and without an instruction for it. As
//! everywhere in Rust, the sign and the payload of a NaN are not defined.
//!
//! Builds with debug assertions have one copy: without optimization the second gains nothing, and each loop costs its compile time.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::decide::Decided;
use crate::error::{Error, Result};

/// The levels of x86-64, as compilers name them. Other processors have the baseline alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
enum Level {
    /// What rustc compiles the rest of the program for.
    Baseline,
    /// With AVX2 and FMA. What a level above, with AVX-512, would bring depends on the processor: one ran loops in lanes from a half slower to a fifth
    /// faster with it, and a newer one, an EPYC with `avx512_vp2intersect`, from a third slower to twice as fast.
    V3,
}

impl Level {
    const ALL: [Level; 2] = [Level::Baseline, Level::V3];

    fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::V3 => "v3",
        }
    }

    /// The best level of this processor.
    fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            let v3 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            if v3 {
                return Level::V3;
            }
        }
        Level::Baseline
    }

    /// The level that `ANABRANCH_CPU` names, or the best one.
    fn chosen(setting: Option<&str>, best: Level) -> Result<Level> {
        let Some(name) = setting else { return Ok(best) };
        Level::ALL.into_iter().find(|level| level.name() == name && *level <= best).ok_or_else(|| Error::Setting {
            name: NAME,
            value: name.to_owned(),
            expected: match best {
                Level::Baseline => "`baseline`, because this processor has no other level",
                Level::V3 => "`baseline` or `v3`",
            },
        })
    }
}

const NAME: &str = "ANABRANCH_CPU";
const UNKNOWN: u8 = u8::MAX;

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
    let level = Level::chosen(setting.map(|value| value.to_string_lossy().into_owned()).as_deref(), Level::best())?;
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

/// Runs the body of a loop with what the launch has shown of its accesses. The compiler sees it twice: once as if nothing had to be checked.
#[inline(always)]
pub fn by_verdict<F: FnOnce(Decided)>(decided: Decided, body: F) {
    match decided.proved() {
        // Without optimization the second copy gains nothing.
        Some(proved) if !cfg!(debug_assertions) => body(proved),
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
    if LEVEL.load(Ordering::Relaxed) == Level::V3 as u8 {
        // SAFETY: `choose_now` stores a level only if `Level::best`, which asks the processor, is not below it.
        return unsafe { v3(body) };
    }
    baseline(body);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_levels_of_the_processor_are_chosen() {
        assert_eq!(Level::chosen(None, Level::V3).ok(), Some(Level::V3));
        assert_eq!(Level::chosen(None, Level::Baseline).ok(), Some(Level::Baseline));
        assert_eq!(Level::chosen(Some("v3"), Level::V3).ok(), Some(Level::V3));
        assert_eq!(Level::chosen(Some("baseline"), Level::V3).ok(), Some(Level::Baseline));
        for (name, best) in [("v3", Level::Baseline), ("V3", Level::V3), ("v4", Level::V3), ("avx2", Level::V3)] {
            let error = Level::chosen(Some(name), best).unwrap_err().to_string();
            assert!(error.contains("ANABRANCH_CPU") && error.contains(name), "{error}");
        }
    }
}
