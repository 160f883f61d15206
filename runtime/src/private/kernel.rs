//! What the macro knows of a kernel, as constant data: the sub-kernels with their C++ templates, and the plan.

use std::any::TypeId;

use super::cost::Cost;
use super::describe::{Description, SlotValue};
use super::facts::Facts;

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
pub enum Variant {
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
    pub template: &'static [Piece],
    /// What an iteration costs on the CPU.
    pub cost: Cost,
    /// The elements that it touches.
    pub facts: Facts,
}

impl Loop {
    /// The program with the function for such a launch: functions that would be the same are one.
    pub(crate) fn variant(&self, wanted: Variant) -> Variant {
        let differs = self.template.iter().any(|piece| matches!(piece, Piece::Either(..)));
        let begins = self.template.iter().any(|piece| matches!(piece, Piece::InOneGrid(..)));
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

/// What a failing check means; the payload words `a` and `b` of a failure are the operands named here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// `a` is the index, `b` the length.
    Index,
    /// The ends of a range of elements. Bit 62 of `b`: the start `a` is beyond the length, the rest of `b`. Bit 63: the
    /// end `a` is. Neither: the range starts at `a` and ends at `b`. `a` of all ones: there is no index behind the end.
    Range,
    /// `a` is 0 for a zero divisor, 1 for `MIN / -1`.
    Div,
    /// `a` is 0 for a zero divisor, 1 for `MIN % -1`.
    Rem,
    /// `clamp` with `lo > hi`, or one of them NaN: `a` is 0 for ints, 1 for floats, 2 for anything else.
    Clamp,
    /// A logarithm: `a` is 0 for a bad argument, 1 for a bad base.
    Log,
    /// Anything else, in these words.
    Message(&'static str),
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
    /// [`Piece::Own`].
    pub signature: &'static [Piece],
    /// The body, with its braces.
    pub body: &'static [Piece],
    /// Reads the types that rustc inferred in the body, in slot order.
    pub describe: fn(&mut Vec<SlotValue>),
}

/// A part of a C++ template. Slot numbers count the flattened slots of the loop or device function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(&'static str),
    /// The C++ type of a slot.
    Type(u32),
    /// The C++ type of capture `k`: the element type of a buffer.
    Captured(u32),
    /// The parameter of capture `k`, a value: its C++ name, and that of the words that it may have to travel as.
    Parameter(u32, &'static str, &'static str),
    /// The line that makes the value of the words, where there are any.
    Unpack(u32, &'static str, &'static str),
    /// An integer literal (decimal digits) of the slot's type.
    Int(u32, &'static str),
    /// A float literal (Rust digits without suffix) of the slot's type.
    Float(u32, &'static str),
    /// Opens an operation whose spelling depends on the slot's type: `(` or `ab::add(`.
    Open(BinOp, u32),
    /// The same for an operation that can fail at a site: `(` or `ab::div(ab_cx, SITE, `.
    OpenChecked(BinOp, u32, u32),
    /// Between the operands: ` + ` or `, `.
    Mid(BinOp, u32),
    /// Closes the operation: `)`.
    Close(BinOp, u32),
    /// Opens a compound assignment: nothing, or `ab::add_to(`.
    OpenAssign(BinOp, u32),
    /// The same for one that can fail at a site.
    OpenAssignChecked(BinOp, u32, u32),
    /// Between place and value: ` += ` or `, `.
    MidAssign(BinOp, u32),
    /// Closes the compound assignment: nothing, or `)`.
    CloseAssign(BinOp, u32),
    /// Opens a unary operation: `(-` / `(!` / `(~`, or `ab::neg(`.
    OpenUnary(UnOp, u32),
    /// Closes it: `)`.
    CloseUnary(UnOp, u32),
    /// The value of the constant in a slot.
    Constant(u32),
    /// The number of a site, which the fill makes unique in the program.
    Site(u32),
    /// C++ name of the device function in a slot.
    Call(u32),
    /// C++ name of the function whose template this is.
    Own,
    /// The first where the launch has decided all that it can for the whole loop (see [`Facts`]), else the second.
    Either(&'static [Piece], &'static [Piece]),
    /// The first where, in addition, the whole loop is one grid, else the second.
    InOneGrid(&'static [Piece], &'static [Piece]),
}

/// Arithmetic and bit operations. Comparisons and `&&`, `||` are the same in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the operators of Rust
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Unary operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the operators of Rust
pub enum UnOp {
    Neg,
    Not,
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
