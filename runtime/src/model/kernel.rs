//! What the macro knows of a kernel, as constant data: the sub-kernels with their C++ templates, and the plan.

use std::any::TypeId;

pub use anabranch_core::check::Check;
pub use anabranch_core::ops::{BinOp, UnOp};
use anabranch_core::template;
pub use anabranch_core::template::Binary;

use super::cost::Cost;
use super::description::{Description, SlotValue};
use crate::decide::{Facts, LastVerdict};

/// One `#[kernel]` function.
#[derive(Debug)]
pub struct Kernel {
    /// The function's name.
    pub name: &'static str,
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// `file!()` of the function.
    pub file: &'static str,
    /// Line of the function's name.
    pub line: u32,
    /// Every `par` loop, in source order. A loop's position is its index.
    pub loops: &'static [Loop],
    /// The host part's shape.
    pub plan: &'static [PlanNode],
}

/// A kernel with its type and const parameters: what is compiled for a GPU.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Identity of the kernel and its arguments.
    pub id: fn() -> TypeId,
    /// Reads the types that rustc inferred, without running anything.
    pub describe: fn(&mut Description),
}

/// The programs that a kernel becomes, each with a function for every loop that needs one (`Loop::variant`) in it. The first
/// has all loops, the others are compiled by `prepare`, or when a launch needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    /// For loops of which the launch has shown that the accesses that it decides are in bounds, that their indexes fit 32
    /// bits, and so do the lengths that the others are compared with, where all iterations are one grid: a range begins
    /// where the source says.
    Decided,
    /// The same for loops that are split into several grids: a range begins where the launch says.
    Split,
    /// With all checks, and indexes of 64 bits.
    Checked,
}

impl Variant {
    /// In the order of a reader's interest.
    pub(crate) const ALL: [Variant; 3] = [Variant::Decided, Variant::Split, Variant::Checked];

    /// The C++ name of a loop's function.
    pub(crate) fn function(self, name: &str) -> String {
        match self {
            Variant::Decided => name.to_owned(),
            Variant::Split => format!("{name}_split"),
            Variant::Checked => format!("{name}_checked"),
        }
    }
}

/// One `par` loop: a sub-kernel.
#[derive(Debug)]
pub struct Loop {
    /// Name of the `__global__` function.
    pub name: &'static str,
    /// The loop header as the user wrote it: `for i in par(0..n)`.
    pub header: &'static str,
    /// Label of the innermost group the loop stands in.
    pub group: Option<&'static str>,
    /// Line of the `for`.
    pub line: u32,
    /// Column of the `for`, from 1.
    pub column: u32,
    /// Threads per block.
    pub block: u32,
    /// Number of ranges: 1 to 3.
    pub dims: usize,
    /// What the body uses of the host part, in parameter order.
    pub captures: &'static [Capture],
    /// Where a check can fail: site number `k` (from 1) is `sites[k - 1]`.
    pub sites: &'static [Site],
    /// The whole `__global__` function with holes.
    pub template: Template,
    /// What an iteration costs on the CPU.
    pub cost: Cost,
    /// The elements that it touches.
    pub facts: Facts,
    /// What they were last decided to be.
    pub last: LastVerdict,
}

impl Loop {
    /// The program with the function for such a launch: functions that would be the same are one.
    pub(crate) fn variant(&self, wanted: Variant) -> Variant {
        let differs = self.template.has(|node| matches!(node, Node::Either(..)));
        let begins = self.template.has(|node| matches!(node, Node::InOneGrid(..)));
        match wanted {
            Variant::Split if begins && !(differs && self.dims > 1) => Variant::Checked, // one range whose indexes fit 32 bits is one grid
            Variant::Split if begins => Variant::Split,
            Variant::Checked if differs || begins => Variant::Checked,
            Variant::Decided | Variant::Split | Variant::Checked => Variant::Decided,
        }
    }

    /// Whether a program has a function for it.
    pub(crate) fn is_in(&self, variant: Variant) -> bool {
        self.variant(variant) == variant
    }
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
    /// Elements of a buffer are only read.
    Read,
    /// Elements of a buffer are changed by atomic operations.
    Atomic,
    /// Elements of a buffer are written, and maybe read.
    Write,
    /// A scalar, by value.
    Value,
}

/// A place in the source whose check can fail at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What is checked there.
    pub check: Check,
}

/// One `#[device]` function, as found through the type beside it.
#[derive(Debug, Clone, Copy)]
pub struct DeviceFunction {
    /// The uninhabited type beside the function.
    pub id: TypeId,
    /// The function's name.
    pub name: &'static str,
    /// The same as an identifier of C++ that means nothing else there.
    pub c_name: &'static str,
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// `file!()` of the function.
    pub file: &'static str,
    /// Line of the function's name.
    pub line: u32,
    /// Where a check can fail, as in [`Loop::sites`].
    pub sites: &'static [Site],
    /// From the return type to the closing parenthesis of the parameter list, without a semicolon. The name is
    /// [`Node::Own`].
    pub signature: Template,
    /// The body, with its braces.
    pub body: Template,
    /// Reads the types that rustc inferred in the body, in slot order.
    pub describe: fn(&mut Vec<SlotValue>),
}

/// A part of a template.
pub type Node = template::Node<&'static str, Template>;

/// C++ with holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template(pub &'static [Node]);

impl Template {
    /// Whether it, or a template in it, has such a node.
    fn has(self, is_it: fn(&Node) -> bool) -> bool {
        self.0.iter().any(|node| {
            is_it(node)
                || match *node {
                    Node::Unary(_, _, operand) => operand.has(is_it),
                    Node::Binary(_, a, b) | Node::Either(a, b) | Node::InOneGrid(a, b) => a.has(is_it) || b.has(is_it),
                    _ => false,
                }
        })
    }
}

/// The host part's shape: its loops, its parallel regions, and the control flow around them.
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
    /// Host control flow that holds loops.
    Host {
        /// As the user wrote it: `for sweep in 0..k`.
        what: &'static str,
        /// Its line.
        line: u32,
        /// What stands in it.
        nodes: &'static [PlanNode],
    },
}

/// One group of a `stream_parallel!`.
#[derive(Debug, Clone, Copy)]
pub struct PlanGroup {
    /// The label without its apostrophe.
    pub label: Option<&'static str>,
    /// Line of the group's opening brace or label.
    pub line: u32,
    /// What stands in it.
    pub nodes: &'static [PlanNode],
}
