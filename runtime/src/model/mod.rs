//! The model of a kernel: the constant data that the macro emits, and the types and numbers that
//! rustc adds.
//!
//! | file | contents |
//! |---|---|
//! | `kernel` | a kernel with its `par` loops, their code and its plan, as constant data |
//! | `description`, `slots` | the types and constants that rustc has inferred in a kernel |
//! | `function` | device functions, as constant data |
//! | `ranges` | the ranges of a `par` loop, and the parts of them that a thread runs |
//! | `args`, `params` | the captures of a loop, and the parameters of its launch on a GPU |
//! | `lanes` | what must hold of the types for a loop to run in lanes |
//! | `judge` | how a loop may run: the facts, the last verdict, and what it means for accesses |
//! | `cost` | the time of an iteration on the CPU |

pub(crate) mod args;
pub(crate) mod cost;
pub(crate) mod description;
pub(crate) mod function;
pub(crate) mod infallible;
pub(crate) mod judge;
pub(crate) mod kernel;
pub(crate) mod lanes;
pub(crate) mod params;
pub(crate) mod ranges;
pub(crate) mod slots;
