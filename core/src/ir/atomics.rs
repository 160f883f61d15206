//! The atomics of device code and their operations.

/// An operation of std's atomics.
pub struct AtomicOp {
    /// Its name, in Rust and (as `ab::name`) in the C++ prelude.
    pub name: &'static str,
    /// Arguments that are values.
    pub values: usize,
    /// Arguments after them that are orderings.
    pub orderings: usize,
    /// Its result is a `Result`.
    pub fallible: bool,
    /// Only integers have it.
    pub bits: bool,
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
pub const OPS: [AtomicOp; 13] = [
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
pub fn find(name: &str) -> Option<&'static AtomicOp> {
    OPS.iter().find(|op| op.name == name)
}
