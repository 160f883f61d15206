//! What all threads of a block compute together.

use super::{Expr, LocalId, SiteId, SlotId, Tokens};

/// A value of each thread goes in. One for all comes out, or one for each thread.
pub struct Collective<S: Tokens> {
    /// What is done with the values.
    pub op: CollectiveOp,
    /// What each thread evaluates.
    pub own: Box<Expr<S>>,
    /// The thread that evaluates it. Locals with larger numbers are declared in `own`.
    pub thread: LocalId,
    /// Number of threads of the block.
    pub threads: u32,
    /// The type of a value.
    pub slot: SlotId,
    /// Of a broadcast, the thread whose value it is, which all threads compute, and the site where
    /// there may be no such thread.
    pub of: Option<(Box<Expr<S>>, SiteId)>,
}

/// What is done with the values of all threads. The names are those of the functions of both
/// outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectiveOp {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The smallest.
    Min,
    /// The greatest.
    Max,
    /// Whether one is true.
    Any,
    /// Whether all are true.
    All,
    /// How many are true.
    Count,
    /// That of one thread.
    Broadcast,
    /// For each thread, the sum of its own value and of those of the threads before it.
    InclusiveSum,
    /// For each thread, the sum of those of the threads before it.
    ExclusiveSum,
}

impl CollectiveOp {
    /// All of them.
    pub const ALL: [CollectiveOp; 10] = [
        Self::Sum,
        Self::Product,
        Self::Min,
        Self::Max,
        Self::Any,
        Self::All,
        Self::Count,
        Self::Broadcast,
        Self::InclusiveSum,
        Self::ExclusiveSum,
    ];

    /// The name of the method of a block.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Any => "any",
            Self::All => "all",
            Self::Count => "count",
            Self::Broadcast => "broadcast",
            Self::InclusiveSum => "inclusive_sum",
            Self::ExclusiveSum => "exclusive_sum",
        }
    }

    /// Whether the values are of `bool`.
    pub fn is_of_conditions(self) -> bool {
        matches!(self, Self::Any | Self::All | Self::Count)
    }

    /// Whether each thread gets a value of its own.
    pub fn is_scan(self) -> bool {
        matches!(self, Self::InclusiveSum | Self::ExclusiveSum)
    }
}
