//! What a kernel is: the constant data that the macro emits, and the types and numbers that rustc adds to it.
//!
//! | file | what it knows |
//! |---|---|
//! | `kernel` | a kernel with its `par` loops, their C++ templates and its plan, as constant data |
//! | `description`, `slots` | the types and constants that rustc has inferred in a kernel |
//! | `ranges` | the ranges of a `par` loop, and the parts of them that a thread runs |
//! | `args`, `params` | what a loop uses of the host part, and how it travels to a GPU |
//! | `cost` | how long an iteration takes on the CPU |

pub(crate) mod args;
pub(crate) mod cost;
pub(crate) mod description;
pub(crate) mod kernel;
pub(crate) mod params;
pub(crate) mod ranges;
pub(crate) mod slots;
