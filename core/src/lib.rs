//! What the macros and the runtime of [anabranch](https://docs.rs/anabranch) both know. It is an
//! implementation detail of those two: anything here may change in any version.
//!
//! The macros write it into the constant data of a kernel, the runtime reads it from there.
//!
//! | module | what |
//! |---|---|
//! | [`ops`] | operators, comparisons, and the operations whose results the launch knows an interval of |
//! | [`facts`] | what the macro knows of the elements that a loop touches, for the launch |
//! | [`decide`] | whether a loop is in bounds and free of races, from its facts and numbers |
//! | [`methods`] | the methods of numbers in device code, with their types and failures |
//! | [`check`] | checks that can fail at run time, and what std says when they do |
//! | [`output`] | where the text of a printing macro goes |
//! | [`emit`] | device code to C++, with the types that rustc inferred |
//! | [`scalar`] | the primitive types of device code |
//! | [`names`] | Rust names as C++ identifiers |
//! | [`code`] | the codes of compile errors |
//! | [`limits`] | sizes that both sides must agree on |

#![forbid(unsafe_code)]

pub mod check;
pub mod code;
pub mod decide;
pub mod emit;
pub mod facts;
pub mod ir;
pub mod limits;
pub mod methods;
pub mod names;
pub mod ops;
pub mod output;
pub mod scalar;
mod wire;
