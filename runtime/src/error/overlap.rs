//! What overlaps in a launch that [`Error::Overlap`](super::Error::Overlap) refuses.

use crate::decide::Example;

/// The iterations or blocks of a launch that may access the same element.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// What runs at the same time there.
    pub parallel: Parallel,
    /// Two of them, if a search finds two: the values of the loop's variables, slowest first. Iterations of a phase are counted from 0 in each range.
    pub example: Option<[Vec<i128>; 2]>,
    /// For a phase: the index of the block in which both iterations are. Otherwise empty.
    pub block: Vec<i128>,
}

/// What runs at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parallel {
    /// Iterations of a `par` loop.
    Iterations,
    /// Blocks of a `par_blocks` loop.
    Blocks,
    /// Iterations of one phase of a block.
    Phase {
        /// Line of its `for`, from 1.
        line: u32,
    },
}

impl Overlap {
    pub(crate) fn new(parallel: Parallel, example: Option<Example>) -> Self {
        match example {
            None => Self { parallel, example: None, block: Vec::new() },
            Some(Example { block, pair, .. }) => Self { parallel, example: Some(pair), block },
        }
    }

    /// "iterations of `for i in par(0..n)`".
    pub(super) fn subject(&self, header: &str) -> String {
        match self.parallel {
            Parallel::Iterations => format!("iterations of `{header}`"),
            Parallel::Blocks => format!("blocks of `{header}`"),
            Parallel::Phase { line } => format!("iterations of the phase in line {line} of `{header}`"),
        }
    }

    /// ", such as iterations 0 and 4".
    pub(super) fn such_as(&self) -> String {
        let Some([one, other]) = &self.example else { return String::new() };
        let (one, other) = (index(one), index(other));
        match self.parallel {
            Parallel::Iterations => format!(", such as iterations {one} and {other}"),
            Parallel::Blocks => format!(", such as blocks {one} and {other}"),
            Parallel::Phase { .. } => format!(", such as iterations {one} and {other} in block {}", index(&self.block)),
        }
    }

    /// What would have to hold.
    pub(super) fn disjoint(&self, first: &str, second: &str) -> String {
        let each = if self.parallel == Parallel::Blocks { "blocks" } else { "iterations" };
        if first == second {
            format!("the index in `{first}` differs between {each}")
        } else {
            format!("`{first}` and `{second}` do not overlap")
        }
    }

    /// For two accesses of a block: the way out that other loops do not have.
    pub(super) fn way_out(&self, first: &str, second: &str) -> &'static str {
        match self.parallel {
            Parallel::Phase { .. } if first != second => "begin another phase between the two accesses, ",
            Parallel::Blocks if first != second => "begin another loop between the two accesses, ",
            Parallel::Iterations | Parallel::Blocks | Parallel::Phase { .. } => "",
        }
    }
}

/// `4`, or `(0, 4)`.
fn index(values: &[i128]) -> String {
    let values: Vec<_> = values.iter().map(i128::to_string).collect();
    if let [one] = values.as_slice() { one.clone() } else { format!("({})", values.join(", ")) }
}
