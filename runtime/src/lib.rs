//! anabranch

mod scalar;

#[doc(hidden)]
pub mod private;
