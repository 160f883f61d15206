//! The macros of anabranch.
//!
//! This crate is an implementation detail: depend on `anabranch`, which re-exports the macros and documents them.

#![forbid(unsafe_code)]

mod analysis;
mod cuda;
mod ir;
mod parse;
mod report;
