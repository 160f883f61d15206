//! The guide of anabranch, as documentation, so that `cargo test -p anabranch-guide --doc` compiles
//! and runs its listings, and those of the two READMEs.

#[doc = include_str!("../../README.md")]
pub mod readme {}

#[doc = include_str!("../../runtime/README.md")]
pub mod readme_of_the_crate {}

#[doc = include_str!("src/first-kernel.md")]
pub mod first_kernel {}

#[doc = include_str!("src/loops-and-groups.md")]
pub mod loops_and_groups {}

#[doc = include_str!("src/races.md")]
pub mod races {}

#[doc = include_str!("src/shapes.md")]
pub mod shapes {}

#[doc = include_str!("src/bounds.md")]
pub mod bounds {}

#[doc = include_str!("src/time-steps.md")]
pub mod time_steps {}

#[doc = include_str!("src/reductions-and-blocks.md")]
pub mod reductions_and_blocks {}

#[doc = include_str!("src/types.md")]
pub mod types {}

#[doc = include_str!("src/streams.md")]
pub mod streams {}

#[doc = include_str!("src/coming-from.md")]
pub mod coming_from {}

#[doc = include_str!("src/debugging.md")]
pub mod debugging {}

#[doc = include_str!("src/several-devices.md")]
pub mod several_devices {}

#[doc = include_str!("src/questions.md")]
pub mod questions {}
