//! `#[device]`: what stands beside a function, an `impl`, a trait or a type, so that kernels can use it.
//!
//! | file | contents |
//! |---|---|
//! | `function` | free functions, and what all functions of device code have |
//! | `implementation` | methods, associated functions and operators |
//! | `traits` | traits and their implementations |
//! | `types` | structs and enums |
//! | `number_methods` | the methods of the primitive types |

pub(crate) mod function;
pub(crate) mod implementation;
pub(crate) mod number_methods;
pub(crate) mod traits;
pub(crate) mod types;
