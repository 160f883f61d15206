//! What no kernel may hold, because it makes the macro see another program than rustc.

use super::{Dress, Number};
use crate::choices::choices;
use crate::print;
use crate::program::Program;
use crate::rng::Rng;

choices! {
    /// Something that must be refused, wherever in device code it stands.
    pub enum Refused {
        /// `use of::*`: brings names that only rustc knows.
        Glob,
        /// `#[cfg(any())] const N: usize = 0;`
        CfgItem,
        /// `#[cfg(any())] acc = 0u32;`
        CfgStatement,
        /// `#[cfg_attr(all(), cfg(any()))]`
        CfgAttr,
        /// A literal that is another number than its digits say, also as an end of the loop's
        /// range.
        Overflow,
        /// Other items: `static`, `mod`, `macro_rules!`, `extern crate`, `trait`.
        OtherItem,
    }
}

/// Where one of them goes.
#[derive(Clone, Copy)]
pub(super) struct Intrusion {
    what: Refused,
    /// Blocks, or literals, that come before.
    left: usize,
}

/// A program with something in it that must be refused; `None` if it has no place for that.
pub fn refuse(program: &Program, what: Refused, seed: u64) -> Option<print::Text> {
    let mut rng = Rng::new(seed);
    let counted = print::dressed(program, "k", Dress::of(program, [], 0)).dress;
    let places = if what == Refused::Overflow { counted.literals } else { counted.blocks };
    if places == 0 {
        return None;
    }
    let mut dress = Dress::of(program, [], rng.bits());
    dress.intrusion = Some(Intrusion { what, left: rng.below(places) });
    Some(print::dressed(program, "k", dress))
}

impl Dress {
    /// Whether this is the place.
    fn intrudes(&mut self, here: impl Fn(Refused) -> bool) -> Option<Refused> {
        let intrusion = self.intrusion.as_mut().filter(|intrusion| here(intrusion.what))?;
        if intrusion.left > 0 {
            intrusion.left -= 1;
            return None;
        }
        self.intrusion.take().map(|intrusion| intrusion.what)
    }

    /// A block of device code begins: what is there that should not.
    pub(super) fn intruder(&mut self) -> Option<String> {
        self.blocks += 1;
        let what = self.intrudes(|what| what != Refused::Overflow)?;
        let texts: &[&str] = match what {
            Refused::Glob => &["use of::*;", "use self::of::{*};", "{ use of::*; }", "use of::{N as _n, *};"],
            Refused::CfgItem => {
                &["#[cfg(any())] const N: usize = 0;", "#[cfg(any())] use of::N;", "#[cfg(all())] type S = m::S;"]
            }
            Refused::CfgStatement => &[
                "#[cfg(any())] acc = 0u32;",
                "#[cfg(any())] let acc = 0u32;",
                "#[cfg(any())] { acc = 0u32; }",
                "#[cfg(any())] if true { acc = 0u32; }",
                "#[cfg(any())] for _ in 0..3 { acc = 0u32; }",
                "#[cfg(any())] assert!(false);",
                "acc = [#[cfg(any())] 1u32, 2u32, 3u32][0];",
                "acc = acc + { #[cfg(any())] { acc = 7u32; } 0u32 };",
                "match acc { #[cfg(any())] 0u32 => { acc = 1u32; } _ => {} }",
            ],
            Refused::CfgAttr => &[
                "#[cfg_attr(all(), cfg(any()))] const N: usize = 0;",
                "#[cfg_attr(all(), cfg(any()))] acc = 0u32;",
                "#[cfg_attr(any(), allow(unused))] let _held = acc;",
            ],
            Refused::OtherItem => &[
                "static HELD: usize = 0;",
                "mod held { pub const N: usize = 0; }",
                "macro_rules! held { () => { 0 } }",
                "extern crate core as held;",
                "trait Held { const N: usize; }",
                "fn held() -> usize { 0 }",
                "struct Held;",
            ],
            Refused::Overflow => &[],
        };
        Some(texts[self.below(texts.len())].to_owned())
    }

    /// A literal of device code, or that is an end of a loop's range: one that overflows, if this
    /// is the place.
    pub(super) fn overflowing(&mut self, number: Number) -> Option<String> {
        self.literals += 1;
        self.intrudes(|what| what == Refused::Overflow).map(|_| overflowing(number))
    }
}

/// A literal that overflows to a number.
pub(super) fn overflowing((value, ty): Number) -> String {
    let over = value + (1i128 << ty.bits());
    // Behind a minus, the least number of a type is a literal as others.
    let over = if over == ty.max() + 1 { over + (1i128 << ty.bits()) } else { over };
    format!("{over}{}", ty.name())
}
