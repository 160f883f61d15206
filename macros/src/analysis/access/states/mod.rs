//! Phases whose iterations are apart, or meet, in every state that the block can be in.
//!
//! What an index such as `s[1 - from][t]` or `p[k / s * 2 * s + k % s]` is depends on variables of
//! the block. Often all that decides these is in the source: literals, loops over literal ranges,
//! and arithmetic. Then the block has few states, and each of its phases few iterations. So the
//! block's program is run here, from its beginning, for all that may happen (explicit-state
//! exploration), and in each state the iterations of a phase one after the other. The elements of
//! shared arrays that they touch are compared.
//!
//! **Rules.**
//!
//! 1. A number is known only if it is exact whatever rustc finds: see [`types`] and [`values`].
//!    What depends on the launch, on elements, on calls or on types that are not certain is
//!    unknown.
//! 2. Where a condition is unknown, both ways are taken, and what follows is not *certain*.
//! 3. An access with an unknown index, or of which only a part is understood, leaves its array
//!    undecided in that phase. No check that fails takes an access away.
//! 4. An array is *apart* in a phase if no state leaves it undecided, and no two iterations touch
//!    one element, one of them writing.
//! 5. Two iterations *meet* if they touch an element, one of them writing, and all conditions up to
//!    both accesses are known. That is an error. What is neither apart nor meets, the other rules
//!    and the launch decide.
//!
//! | file | what it has |
//! |---|---|
//! | `types` | which expressions are integers, and how large all numbers of their types can be |
//! | `values` | the value of an expression in a state |
//! | `walk` | expressions and statements, from a state to those after it |
//! | `flow` | branches, loops and jumps |
//! | `phase` | the iterations of a phase, and what they touch |

mod flow;
mod phase;
mod types;
mod values;
mod walk;

pub(super) use phase::Meeting;
pub(super) use walk::{Tried, of};
