//! A kernel as the constant data that the macro emits: its `par` loops with their code, and its
//! plan.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use anabranch_core::check::Check;
pub use anabranch_core::ir::Receiver;

use super::cost::Cost;
use super::infallible::Infallible;
use crate::model::judge::Judge;

/// One `#[kernel]` function.
#[derive(Debug)]
pub struct Kernel {
    /// Its number in this process.
    pub number: Number,
    /// The function's name.
    pub name: &'static str,
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// `file!()` of the function.
    pub file: &'static str,
    /// Line of the function's name.
    pub line: u32,
    /// The `par` loops, in source order, and behind them those that are made of several. A loop's
    /// position is its index.
    pub loops: &'static [Loop],
    /// Those that are made of several.
    pub fused: &'static [Fused],
    /// The structure of the host part.
    pub plan: &'static [PlanNode],
}

/// A loop that is made of several: it runs in their place if their ranges are equal, its iterations
/// do not conflict, and nothing in it can fail.
#[derive(Debug)]
pub struct Fused {
    /// Its index.
    pub index: usize,
    /// The indexes of the loops that it is made of.
    pub parts: Range<usize>,
    /// What must hold, because a loop must not fail in the middle of another one.
    pub infallible: Infallible,
}

/// The number of a kernel in this process, from 0. It gets one when a GPU first needs it.
#[derive(Debug, Default)]
pub struct Number(OnceLock<usize>);

impl Number {
    /// No number yet.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The number.
    #[inline]
    pub(crate) fn get(&self) -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        *self.0.get_or_init(|| NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Kernel {
    /// The number of loops in the source.
    pub(crate) fn own_loops(&self) -> usize {
        self.loops.len() - self.fused.len()
    }

    /// The loops that one is made of.
    pub(crate) fn parts(&self, fused: &Fused) -> &'static [Loop] {
        self.loops.get(fused.parts.clone()).unwrap_or_default()
    }

    /// Whether a library does its work.
    pub(crate) fn is_library(&self) -> bool {
        matches!(self.plan, [PlanNode::Library { .. }])
    }
}

/// The programs of a kernel. Each has a function for every loop that needs one (`Loop::variant`).
/// The first program has all loops. The others are compiled by `prepare`, or when a launch needs
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    /// For loops that run in one grid, so that each range begins where the source says, if the
    /// launch has proven: the accesses that it decides are in bounds, their indexes fit 32 bits,
    /// and so do the lengths with which other indexes are compared.
    Unchecked,
    /// The same, but for loops that are split into several grids: each range begins where the
    /// launch says.
    UncheckedMultiGrid,
    /// With all checks, and indexes of 64 bits.
    Checked,
}

impl Variant {
    /// All variants, the most interesting ones for a reader first.
    pub(crate) const ALL: [Variant; 3] = [Variant::Unchecked, Variant::UncheckedMultiGrid, Variant::Checked];

    /// The C++ name of a loop's function.
    pub(crate) fn function(self, name: &str) -> String {
        match self {
            Variant::Unchecked => name.to_owned(),
            Variant::UncheckedMultiGrid => format!("{name}_split"),
            Variant::Checked => format!("{name}_checked"),
        }
    }
}

/// One `par` loop.
#[derive(Debug)]
pub struct Loop {
    /// Name of the `__global__` function.
    pub name: &'static str,
    /// The loop header as the user wrote it: `for i in par(0..n)`.
    pub header: &'static str,
    /// Label of the innermost group that contains the loop.
    pub group: Option<&'static str>,
    /// Line of the `for`.
    pub line: u32,
    /// Column of the `for`, from 1.
    pub column: u32,
    /// Threads per block.
    pub block: u32,
    /// Of a loop over blocks, what happens in one.
    pub blocks: Option<Blocks>,
    /// Number of ranges: 1 to 3.
    pub dims: usize,
    /// The ranges, slowest first.
    pub ranges: &'static [LoopRange],
    /// The captures, in parameter order.
    pub captures: &'static [Capture],
    /// The places where a check can fail: site number `k` (from 1) is `sites[k - 1]`.
    pub sites: &'static [Site],
    /// What it does, as bytes: see `anabranch_core::ir::wire`.
    pub code: &'static [u8],
    /// Whether its C++ depends on what the launch has shown.
    pub differs: bool,
    /// Whether its C++ depends on whether one grid runs all iterations.
    pub begins: bool,
    /// The cost of an iteration on the CPU.
    pub cost: Cost,
    /// On the CPU: what its types must be for iterations to run in lock step, or why they cannot.
    /// Of a loop over blocks, that of each phase which may run so.
    pub lanes: Result<&'static [Conditions], &'static str>,
    /// What its launches are decided from.
    pub judge: Judge,
}

impl Loop {
    /// The program that has the function for the wanted variant. Functions that would be equal are
    /// shared.
    pub(crate) fn variant(&self, wanted: Variant) -> Variant {
        let (differs, begins) = (self.differs, self.begins);
        match wanted {
            // One range whose indexes fit 32 bits is one grid.
            Variant::UncheckedMultiGrid if begins && !(differs && self.dims > 1) => Variant::Checked,
            Variant::UncheckedMultiGrid if begins => Variant::UncheckedMultiGrid,
            Variant::Checked if differs || begins => Variant::Checked,
            Variant::Unchecked | Variant::UncheckedMultiGrid | Variant::Checked => Variant::Unchecked,
        }
    }

    /// Whether a program has a function for this loop.
    pub(crate) fn is_in(&self, variant: Variant) -> bool {
        self.variant(variant) == variant
    }
}

#[cfg(test)]
impl Loop {
    /// A loop over one range, without code.
    pub(crate) const fn of_a_test(cost: Cost) -> Self {
        Self {
            name: "k_0",
            header: "for i in par(0..n)",
            group: None,
            line: 41,
            column: 5,
            block: 256,
            blocks: None,
            dims: 1,
            ranges: &[],
            captures: &[],
            sites: &[],
            code: &[],
            differs: false,
            begins: false,
            cost,
            lanes: Err("of a test"),
            judge: Judge::idle(),
        }
    }
}

/// A range of a loop, for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopRange {
    /// The variable. Of a loop over blocks it has no name.
    pub variable: &'static str,
    /// The range as the user wrote it, without its step.
    pub text: &'static str,
}

/// What happens in a block of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// The arrays that its threads share: their names, and the slots of their types.
    pub shared: &'static [(&'static str, u32)],
    /// The slots of the types of values that one thread tells all.
    pub told: &'static [u32],
    /// Its phases, and whatever else is behind a barrier, in source order.
    pub steps: &'static [Step],
}

/// A step of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Line, from 1.
    pub line: u32,
    /// The threads run it in parallel; else it stands between phases.
    pub phase: bool,
    /// The memory that it shares with steps before it, so that it is behind a barrier. Empty if
    /// there is none.
    pub behind: &'static [&'static str],
}

/// A host value or buffer that a loop uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    /// The user's name for it.
    pub name: &'static str,
    /// How the loop uses it.
    pub kind: CaptureKind,
}

/// How a loop uses a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureKind {
    /// Reads elements of a buffer.
    Read,
    /// Modifies elements of a buffer with atomic operations.
    Atomic,
    /// Writes elements of a buffer, and may read them.
    Write,
    /// A scalar, by value.
    Value,
}

/// A place in the source whose check can fail at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// The file, since tokens of a macro are in the file that defines it; empty if it is that of
    /// the kernel or function.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The check.
    pub check: Check,
}

/// A node of the plan: a loop, a `stream_parallel!`, a call of a kernel, or host control flow
/// around them.
#[derive(Debug, Clone, Copy)]
pub enum PlanNode {
    /// A `par` loop, by index.
    Loop(usize),
    /// A `stream_parallel!`.
    Parallel {
        /// Line of the macro's name.
        line: u32,
        /// The groups, in source order.
        groups: &'static [PlanGroup],
    },
    /// A call of another kernel, by its index among the calls.
    Call {
        /// The index.
        index: usize,
        /// The call as the user wrote it: `blur(&red, &mut rows, w)`.
        what: &'static str,
        /// Its line.
        line: u32,
    },
    /// The body of a library kernel.
    Library {
        /// Its line.
        line: u32,
        /// Its slices and grids.
        uses: &'static [Capture],
    },
    /// Host control flow that contains loops or calls.
    Host {
        /// The text that the user wrote: `for sweep in 0..k`.
        what: &'static str,
        /// Its line.
        line: u32,
        /// The nodes inside it.
        nodes: &'static [PlanNode],
    },
}

/// A `stream_parallel!` as its fork sees it.
#[derive(Debug, Clone, Copy)]
pub struct Groups {
    /// Line of the macro's name.
    pub line: u32,
    /// The labels of its groups without their apostrophes.
    pub labels: &'static [Option<&'static str>],
}

impl Groups {
    /// The label of a group, or its number from 1 if it has none.
    pub(crate) fn name(&self, number: usize) -> String {
        let label = self.labels.get(number).copied().flatten();
        label.map_or_else(|| format!("group {}", number + 1), str::to_owned)
    }
}

/// One group of a `stream_parallel!`.
#[derive(Debug, Clone, Copy)]
pub struct PlanGroup {
    /// The label without its apostrophe.
    pub label: Option<&'static str>,
    /// Line of the group's opening brace or label.
    pub line: u32,
    /// The nodes inside it.
    pub nodes: &'static [PlanNode],
}

/// What must hold of the types in a loop for it to run in lanes. The macro cannot know it, because
/// rustc infers the types.
#[derive(Debug, Clone, Copy)]
pub struct Conditions {
    /// Nothing fails.
    pub infallible: Infallible,
    /// Slots of operations that are understood if they are of integers.
    pub integers: &'static [usize],
    /// Bytes that the variables of a lane may take. All lanes take sixteen times as many of a
    /// thread's stack.
    pub most: usize,
    /// Slots of variables that each lane keeps.
    pub kept: &'static [usize],
    /// The first slot of what lanes do, and the one behind the last.
    pub within: (usize, usize),
    /// Slots of functions that have all lanes at once.
    pub calls: &'static [usize],
    /// Slots of methods that must not change what they are called on.
    pub methods: &'static [usize],
    /// There is a long loop beside those in functions.
    pub looped: bool,
}
