//! `#[device]`: what stands beside a function, an `impl`, a trait or a type, so that kernels can
//! use it.
//!
//! | file | contents |
//! |---|---|
//! | `item` | a function, wherever it stands: the function for the host, and its twin |
//! | `beside` | the type beside a function, and its description |
//! | `source` | a function as data for the runtime |
//! | `scope` | the parameters of a function outside of its `impl` or trait |
//! | `function`, `stub` | free functions, and those with errors |
//! | `implementation` | methods and associated functions |
//! | `operator` | operators |
//! | `traits` | traits and their implementations |
//! | `closure` | closures of the host |
//! | `types` | structs and enums |
//! | `number_methods` | the methods of the primitive types |

mod beside;
pub(crate) mod closure;
pub(crate) mod function;
pub(crate) mod implementation;
mod item;
pub(crate) mod number_methods;
pub(crate) mod operator;
mod scope;
mod source;
pub(crate) mod stub;
pub(crate) mod traits;
pub(crate) mod types;
