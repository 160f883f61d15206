//! What overlaps in a launch that [`Error::Overlap`](super::Error::Overlap) refuses.

use anabranch_core::decide::Example;

/// The iterations or blocks of a launch that may access the same element.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// What runs at the same time there.
    pub parallel: Parallel,
    /// Two of them that access one element, if a search finds two: the values of the loop's
    /// variables, slowest first. Iterations of a phase are counted from 0 in each range.
    pub example: Option<[Vec<i128>; 2]>,
    /// The index of that element, one number for each dimension. `None` for a phase.
    pub element: Option<Vec<i128>>,
    /// Whether the accesses are of ranges of elements.
    pub parts: [bool; 2],
    /// What has wrapped in one of the indexes, so that they are equal: `` `r *
    /// w` wraps in `u16` ``.
    pub wraps: Option<String>,
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
    /// With the names of atoms.
    pub(crate) fn new(
        parallel: Parallel,
        example: Option<Example>,
        parts: [bool; 2],
        name: &dyn Fn(usize) -> Option<String>,
    ) -> Self {
        let none = Self { parallel, example: None, element: None, parts, wraps: None, block: Vec::new() };
        let Some(Example { block, pair, element, wrap, accesses: _ }) = example else { return none };
        Self { example: Some(pair), element, wraps: wrap.map(|wrap| wrap.text(name)), block, ..none }
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

    /// The element of the two accesses, or what is not known about them.
    pub(super) fn which(&self, first: &str, second: &str) -> String {
        if self.example.is_none() {
            return match first == second {
                true => format!("nothing shows that the index in `{first}` differs between them"),
                false => format!("nothing shows that `{first}` and `{second}` do not overlap"),
            };
        }
        let element = match &self.element {
            Some(element) => format!("element {}", index(element)),
            None => "the same element".to_owned(),
        };
        let [be, other_be] = self.parts.map(|part| if part { "include" } else { "be" });
        let mut text = match first == second {
            true => format!("`{first}` would {be} {element} in both"),
            false => format!("`{first}` would {be} {element}, and `{second}` would {other_be} {element}"),
        };
        if let Some(wraps) = &self.wraps {
            text += &format!(", because {wraps}");
        }
        text
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
