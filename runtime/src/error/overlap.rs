//! What overlaps in a launch that [`Error::Overlap`](super::Error::Overlap) refuses.

use std::ops::RangeInclusive;

use crate::decide::Example;

/// The iterations or blocks of a launch that may access the same element.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// What runs at the same time there.
    pub parallel: Parallel,
    /// Two of them, if a search finds two: the values of the loop's variables, slowest first. Iterations of a phase are counted from 0 in each range.
    pub example: Option<[Vec<i128>; 2]>,
    /// The first and the last element that each of the two may access, for each dimension. `None` if that may be any element.
    pub elements: Option<[Vec<RangeInclusive<i128>>; 2]>,
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
            None => Self { parallel, example: None, elements: None, block: Vec::new() },
            Some(Example { block, pair, elements, .. }) => Self { parallel, example: Some(pair), elements, block },
        }
    }

    /// "iterations of `for i in par(0..n)`".
    pub(super) fn subject(&self, header: &str) -> String {
        match self.parallel {
            Parallel::Iterations => format!("iterations of `{header}`"),
            Parallel::Blocks => format!("blocks of `{header}`"),
            Parallel::Phase { line } => format!("iterations of the phase on line {line} of `{header}`"),
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

    /// The elements of the two accesses, or what is not known about them. It says "would", because a condition that the analysis does not
    /// understand may prevent one of the accesses.
    pub(super) fn which(&self, first: &str, second: &str) -> String {
        match &self.elements {
            Some([one, other]) if first == second && one == other => format!("`{first}` would {} in both", be(one)),
            Some([one, other]) if first == second => {
                format!("`{first}` would {} in the one, and {} in the other", be(one), be(other))
            }
            Some([one, other]) => format!("`{first}` would {}, and `{second}` would {}", be(one), be(other)),
            None if first == second => format!("nothing shows that the index in `{first}` differs between them"),
            None => format!("nothing shows that `{first}` and `{second}` do not overlap"),
        }
    }

    /// What to do.
    pub(super) fn ways_out(&self, first: &str, second: &str) -> &'static str {
        match self.parallel {
            Parallel::Phase { .. } if first == second => {
                "use atomics, `block.shared([const { AtomicU32::new(0) }; 64])`, let each iteration compute elements of its own from all that it \
                 needs (a gather), or choose sizes that keep iterations apart"
            }
            Parallel::Iterations if first == second => {
                "choose sizes that keep iterations apart, let each iteration compute elements of its own from all that it needs (a gather), \
                 or use atomics (`AtomicU32`, `AtomicF32`)"
            }
            Parallel::Blocks if first == second => {
                "choose sizes that keep blocks apart, let each block compute elements of its own from all that it needs (a gather), \
                 or use atomics (`AtomicU32`, `AtomicF32`)"
            }
            Parallel::Phase { .. } => {
                "begin another phase between the two accesses, or choose sizes that keep iterations apart"
            }
            Parallel::Blocks => "begin another loop between the two accesses, or choose sizes that keep blocks apart",
            Parallel::Iterations => {
                "let each iteration write only elements of its own and read from another slice, begin another loop between the two accesses, \
                 or choose sizes that keep iterations apart"
            }
        }
    }
}

/// `4`, or `(0, 4)`.
fn index(values: &[i128]) -> String {
    let values: Vec<_> = values.iter().map(i128::to_string).collect();
    if let [one] = values.as_slice() { one.clone() } else { format!("({})", values.join(", ")) }
}

/// `be element 4`, `lie in elements 0 to 399`, or of a grid `be element (2, 3)`, `lie in elements (0 to 3, 5)`.
fn be(range: &[RangeInclusive<i128>]) -> String {
    let dim = |dim: &RangeInclusive<i128>| match dim.start() == dim.end() {
        true => dim.start().to_string(),
        false => format!("{} to {}", dim.start(), dim.end()),
    };
    let dims: Vec<_> = range.iter().map(dim).collect();
    let dims = if let [one] = dims.as_slice() { one.clone() } else { format!("({})", dims.join(", ")) };
    let one = range.iter().all(|dim| dim.start() == dim.end());
    if one { format!("be element {dims}") } else { format!("lie in elements {dims}") }
}
