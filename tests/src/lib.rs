//! Kernels that every test suite runs, and helpers for the suites. `README.md` beside this crate
//! maps the suites.

pub mod cases;
pub mod compiled;
pub mod driver;
#[path = "../../runtime/tests/gpus/mod.rs"]
pub mod gpus;
pub mod kernels;
