//! What the emitters need to know beyond the tree. Each analysis is one file with its rule at the top; none changes
//! the IR.

pub(crate) mod access;
pub(crate) mod barriers;
pub(crate) mod blocks;
pub(crate) mod collectives;
pub(crate) mod conflicts;
pub(crate) mod cost;
pub(crate) mod effects;
mod fills;
pub(crate) mod jumps;
pub(crate) mod lanes;
pub(crate) mod within;
