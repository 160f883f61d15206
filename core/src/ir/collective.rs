//! What all threads of a block, or of each of its warps, compute together.

use super::{Expr, LocalId, SiteId, SlotId, Tokens};

/// A value of each thread goes in. One for all comes out, or one for each thread.
pub struct Collective<S: Tokens> {
    /// What is done with the values.
    pub op: CollectiveOp,
    /// Whether each warp computes a result of its own, which is a value of each of its threads.
    pub of_warps: bool,
    /// What each thread evaluates.
    pub own: Box<Expr<S>>,
    /// The thread that evaluates it. Locals with larger numbers are declared in `own`.
    pub thread: LocalId,
    /// Number of threads of the block.
    pub threads: u32,
    /// The type of a value.
    pub slot: SlotId,
    /// The type of what comes out.
    pub result: SlotId,
    /// Of a broadcast, the thread whose value it is, which all threads compute, and the site where
    /// there may be no such thread.
    pub of: Option<(Box<Expr<S>>, SiteId)>,
}

impl<S: Tokens> Collective<S> {
    /// Whether it moves values through shared memory. What is of warps does not, and neither do
    /// votes.
    pub fn uses_room(&self) -> bool {
        !self.of_warps && !self.op.is_of_conditions()
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])+ $Op:ident $name:literal;)+) => {
        /// What is done with the values of all threads.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum CollectiveOp {
            $($(#[$doc])+ $Op,)+
        }

        impl CollectiveOp {
            /// All of them.
            pub const ALL: &[CollectiveOp] = &[$(Self::$Op),+];

            /// The name of the method, and of the functions of both outputs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Op => $name,)+
                }
            }
        }
    };
}
ops! {
    /// Their sum.
    Sum "sum";
    /// Their product.
    Product "product";
    /// The smallest.
    Min "min";
    /// The greatest.
    Max "max";
    /// Whether one is true.
    Any "any";
    /// Whether all are true.
    All "all";
    /// How many are true.
    Count "count";
    /// That of one thread.
    Broadcast "broadcast";
    /// For each thread, the sum of its own value and of those of the threads before it.
    InclusiveSum "inclusive_sum";
    /// For each thread, the sum of those of the threads before it.
    ExclusiveSum "exclusive_sum";
    /// For each thread, a bit of each thread of its warp: whether its condition is true.
    Ballot "ballot";
    /// For each thread, a bit of each thread of its warp: whether it has an equal value.
    Matching "matching";
    /// For each thread, the value of a thread of its warp, by the number in the warp: both come in
    /// as a pair.
    Shuffle "shuffle";
}

impl CollectiveOp {
    /// Whether the values are of `bool`: their functions use no shared memory.
    pub fn is_of_conditions(self) -> bool {
        matches!(self, Self::Any | Self::All | Self::Count)
    }

    /// Whether there is such a method of a block, or of its warps.
    pub fn exists(self, of_warps: bool) -> bool {
        match self {
            Self::Broadcast => !of_warps,
            Self::Ballot | Self::Matching | Self::Shuffle => of_warps,
            Self::Sum | Self::Product | Self::Min | Self::Max => true,
            Self::Any | Self::All | Self::Count | Self::InclusiveSum | Self::ExclusiveSum => true,
        }
    }

    /// Whether each thread gets a value of its own, also in a block.
    pub fn is_scan(self) -> bool {
        matches!(self, Self::InclusiveSum | Self::ExclusiveSum)
    }
}
