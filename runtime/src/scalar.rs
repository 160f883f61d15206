//! The types of values that buffers hold and kernels compute with.

/// A primitive type, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[doc(hidden)]
#[allow(missing_docs)] // the primitive types of Rust
pub enum ScalarType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    F32,
    F64,
}
