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

            /// The name of the method of a block, and of the functions of both outputs.
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
}

impl CollectiveOp {
    /// Whether the values are of `bool`: their functions use no shared memory.
    pub fn is_of_conditions(self) -> bool {
        matches!(self, Self::Any | Self::All | Self::Count)
    }

    /// Whether each thread gets a value of its own.
    pub fn is_scan(self) -> bool {
        matches!(self, Self::InclusiveSum | Self::ExclusiveSum)
    }
}
