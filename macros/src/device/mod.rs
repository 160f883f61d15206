//! `#[device]`: what stands beside a function, an `impl`, a trait or a type, so that kernels can use it.
//!
//! | file | contents |
//! |---|---|
//! | `function`, `stub` | free functions, and those with errors |
//! | `implementation` | methods and associated functions |
//! | `operator` | operators |
//! | `traits` | traits and their implementations |
//! | `source` | a function as data for the runtime |
//! | `scope` | parameters and types of a function outside of its `impl` or trait |
//! | `types` | structs and enums |
//! | `number_methods` | the methods of the primitive types |

pub(crate) mod function;
pub(crate) mod implementation;
pub(crate) mod number_methods;
pub(crate) mod operator;
mod scope;
mod source;
pub(crate) mod stub;
pub(crate) mod traits;
pub(crate) mod types;
