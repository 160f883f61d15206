//! Random programs for the tests of anabranch, each a kernel with the functions that it calls.
//!
//! Who judges them is elsewhere: `macros/src/tests/soundness` what iterations touch,
//! `tests/src/bin/fuzz` what they compute, `core/tests/decide` what a launch decides.
//!
//! | file | what |
//! |---|---|
//! | `program.rs`, `kind.rs`, `types.rs` | what a program is made of; `kind.rs` describes every kind of expression |
//! | `make.rs` | short ways to make its parts |
//! | `generate/` | programs from seeds: one generator, and profiles of what programs may hold |
//! | `print/` | a program as Rust |
//! | `dress/` | the same in spellings that mislead whoever reads names |
//! | `machine/` | runs a kernel, and looks at every element that is touched |
//! | `visit.rs` | one walk over a program |
//! | `resolve.rs` | whether names mean what the tree says |
//! | `shrink.rs` | makes a program smaller as long as it fails |
//! | `scratch.rs` | crates of programs, through rustc and as processes |
//! | `rng.rs` | the source of all choices |

#![allow(missing_docs, reason = "fields and variants are called what they are; `program.rs` says what is not plain")]

mod choices;
pub mod dress;
pub mod generate;
pub mod kind;
pub mod machine;
pub mod make;
pub mod print;
pub mod program;
pub mod resolve;
pub mod rng;
pub mod scratch;
pub mod shrink;
pub mod types;
pub mod visit;

#[cfg(test)]
mod tests;
