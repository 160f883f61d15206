//! The launch decides how a loop runs: from [`Facts`](crate::facts::Facts), which the
//! macro has made of its body, and the numbers of the launch.
//!
//! [`decide`] walks the facts once, in checked 128-bit arithmetic:
//!
//! - **Bounds.** `0 <= index < len` for every access. Where that does not hold of an access that
//!   every iteration makes, the launch is refused; elsewhere the loop runs with checks. Accesses
//!   that no launch can decide are not asked: the device checks them, and what they do is no matter
//!   to the others.
//! - **Races.** No two iterations touch one element of a written buffer, unless both read
//!   (`Facts::races`).
//! - **Width.** Whether index arithmetic fits 32 bits, and the lengths that the device compares
//!   with.
//!
//! | file | what it knows |
//! |---|---|
//! | `calls` | calls of device functions, put in their places |
//! | `example`, `evaluate` | two iterations that a refusal is about, and one iteration as the machine runs it |
//! | `walk` | one walk over the facts of a loop: bounds, and which accesses to compare |
//! | `races`, `strides`, `equations` | whether two iterations touch one element |
//! | `numbers` | the numbers of a launch, and what is decided from them |
//! | `scope` | what is known at a place in the body, and index expressions there |
//! | `linear`, `interval` | linear sums, and intervals of integers |
//! | `narrow`, `operations` | what conditions and operations say of a value |
//! | `sums`, `aliases` | results of operations that are sums, as `(8 * i + k) / 8` is `i` |
//! | `splits` | variables of a loop by their digits, as `i / w` and `i % w` are |
//! | `made` | what variables make that is no sum of them, as `(y + 1) % 2` and `i * (i + 1) / 2` are |

mod aliases;
mod calls;
mod equations;
mod evaluate;
mod example;
mod interval;
mod linear;
mod made;
mod narrow;
mod numbers;
mod operations;
mod races;
mod scope;
mod splits;
mod strides;
mod sums;
mod walk;

use crate::facts::{Member, Source};

pub use calls::{Function, Inlined, Origin, Slots};
pub use evaluate::{Elements, Touched, Wrap, touched};
pub use example::{Example, Loaded, Visit, example, example_with};
pub use numbers::{Axis, Numbers, Refusal, Verdict};
pub use walk::{decide, decide_phases, without_numbers};

/// The number of a symbol, if it is an integer; by what is known of captures and of slots.
///
/// Names of one spelling are one symbol to the macro, but maybe not to rustc: one may be of a
/// `macro_rules!` and the other of its caller. `Err`: the mentions of this one differ.
#[inline]
pub fn number(
    source: &Source,
    capture: impl Fn(usize, &Member) -> Option<i128>,
    constant: impl Fn(usize, &Member) -> Option<i128>,
) -> Result<Option<i128>, Differ> {
    match source {
        Source::Capture(number, member) => Ok(capture(*number, member)),
        Source::Constant(slots, member) => {
            let mut numbers = slots.iter().map(|slot| constant(*slot, member));
            let first = numbers.next().flatten();
            if numbers.all(|number| number == first) { Ok(first) } else { Err(Differ) }
        }
    }
}

/// The mentions of a symbol are different numbers.
#[derive(Debug, Clone, Copy)]
pub struct Differ;
