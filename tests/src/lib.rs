//! Kernels that every test suite runs, and helpers for the suites. `README.md` beside this crate maps the suites.

pub mod cases;
pub mod kernels;
