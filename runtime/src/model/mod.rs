//! What a kernel is: the constant data that the macro emits, and the types of its values.

pub(crate) mod args;
pub(crate) mod cost;
pub(crate) mod description;
pub(crate) mod kernel;
pub(crate) mod params;
pub(crate) mod ranges;
pub(crate) mod slots;
