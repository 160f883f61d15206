//! The atomics of device code and their operations.

/// An operation of std's atomics.
pub(crate) struct AtomicOp {
    /// Its name, in Rust and (as `ab::name`) in the C++ prelude.
    pub(crate) name: &'static str,
    /// Arguments that are values.
    pub(crate) values: usize,
    /// Arguments after them that are orderings.
    pub(crate) orderings: usize,
    /// Its result is a `Result`.
    pub(crate) fallible: bool,
    /// Only integers have it.
    pub(crate) bits: bool,
}

const fn op(name: &'static str, values: usize) -> AtomicOp {
    AtomicOp { name, values, orderings: 1, fallible: false, bits: false }
}

const fn bits(name: &'static str) -> AtomicOp {
    AtomicOp { bits: true, ..op(name, 1) }
}

const fn exchange(name: &'static str) -> AtomicOp {
    AtomicOp { orderings: 2, fallible: true, ..op(name, 2) }
}

/// All that device code has.
pub(crate) const OPS: [AtomicOp; 13] = [
    op("load", 0),
    op("store", 1),
    op("swap", 1),
    exchange("compare_exchange"),
    exchange("compare_exchange_weak"),
    op("fetch_add", 1),
    op("fetch_sub", 1),
    op("fetch_max", 1),
    op("fetch_min", 1),
    bits("fetch_and"),
    bits("fetch_or"),
    bits("fetch_xor"),
    bits("fetch_nand"),
];

/// Looks an operation up by name.
pub(crate) fn find(name: &str) -> Option<&'static AtomicOp> {
    OPS.iter().find(|op| op.name == name)
}

/// Whether a type is an atomic by its name. That it is one of device code, rustc checks.
pub(crate) fn is_atomic(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Paren(inner) => is_atomic(&inner.elem),
        syn::Type::Group(inner) => is_atomic(&inner.elem),
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = crate::names::plain(&last.ident);
            name.strip_prefix("Atomic").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        }),
        _ => false,
    }
}
