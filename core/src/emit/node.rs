//! C++ with holes for what only rustc knows: types, constants, and how an operation is spelled.
//!
//! The runtime, which has both, fills them.

use super::Text;
use crate::ops::{BinOp, CompareOp, UnOp};

/// A part of a template. Slots, captures and sites are numbers of the loop or device function whose template it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Text as it is.
    Text(String),
    /// What follows, to the next one, comes from this line of this file; of the file of the function, if none is named. It stands where a line
    /// begins.
    Line(u32, String),
    /// The C++ type of a slot.
    Type(u32),
    /// The C++ type of a capture: the element type of a buffer.
    Captured(u32),
    /// The parameter of a capture, a value: its C++ name, and that of the words that it may have to travel as.
    Parameter(u32, String, String),
    /// The line that makes the value of the words, where there are any.
    Unpack(u32, String, String),
    /// The low 32 bits of a capture, by its C++ name. Of a value that is no number, any number: the launch decides nothing with it.
    Narrow(u32, String),
    /// An integer literal of a slot's type: decimal digits.
    Int(u32, String),
    /// A float literal of a slot's type: Rust's digits, without a suffix.
    Float(u32, String),
    /// A unary operation on a value of a slot's type.
    Unary(UnOp, u32, Text),
    /// A binary operation.
    Binary(Binary, Text, Text),
    /// A value of a slot's type, in parentheses: a choice between two. NVRTC 13 crashes on one of structs among the members of a struct,
    /// unless a call is around it.
    Chosen(u32, Text),
    /// A comparison; what compares is in the slot.
    Compare(CompareOp, u32, Text, Text),
    /// A value of a slot's struct or variant: the fields that its second text lists, and the others from the place in its first text.
    Make(u32, Text, Text),
    /// The value of a field with this C++ name, in a list of fields.
    Member(String, Text),
    /// The field with this C++ name of a place, which holds a slot's struct or variant.
    Part(u32, String, Text),
    /// The same of a field that is counted from the last, which is 0.
    PartFromLast(u32, u32, Text),
    /// An element of the first by the second: of an array, with the site of its check, or by the device function in the slot.
    Element(u32, u32, Text, Text),
    /// The same where the index is in bounds, if what it is of is an array.
    Within(u32, u32, Text, Text),
    /// Whether each [`Test`](Self::Test) in its text holds.
    All(Text),
    /// A condition, which is left out if it always holds.
    Test(Text),
    /// Whether a place is of a slot's variant, or equals the constant in the slot.
    Is(u32, Text),
    /// Where the variable with this name, of the first slot's `Option` or `Result`, has no value: the return from a function whose result
    /// has the second slot's type. The function in the third slot, if there is one, converts the error.
    Propagate([u32; 3], String),
    /// The value in that variable.
    Answer(u32, String),
    /// The value of the constant in a slot.
    Constant(u32),
    /// The number of a site, which becomes unique in the program.
    Site(u32),
    /// The C++ name of the device function in a slot.
    Call(u32),
    /// The same of a function that is told what the launch has decided; that lengths fit 32 bits, it is told with any arguments.
    Told(Told),
    /// The name of the method that checks an index: by its low half alone, where the launch has shown that lengths fit 32 bits.
    At,
    /// An argument of such a function in 32 bits, after a comma: the parameter with this number, if the function takes it so.
    NarrowArgument(Told, u32, Text),
    /// The result of the function in a slot in 32 bits: by arguments in 32 bits, or else by the function in 64 bits.
    NarrowResult(u32, Text, Text),
    /// A call of a method by its name in Rust: the receiver, and the other arguments, each after a comma.
    Method(Method, String, Text, Text),
    /// The declaration, up to the name, of what a method's receiver is evaluated into.
    Bind(Method),
    /// The C++ name of the function whose template this is.
    Own,
    /// The first where the launch has decided all that it can decide for the whole loop, and a function is told so; else the second.
    Either(Text, Text),
    /// At the head of a loop, where a thread goes on after a failed check: the statement by which it leaves the loop.
    LeaveIfFailed(Text),
    /// The first where, in addition, the whole loop is one grid, else the second.
    InOneGrid(Text, Text),
}

impl Node {
    /// The texts in it.
    pub(super) fn texts(&self) -> [Option<&Text>; 2] {
        match self {
            Node::Unary(_, _, inner)
            | Node::Chosen(_, inner)
            | Node::Member(_, inner)
            | Node::Part(_, _, inner)
            | Node::PartFromLast(_, _, inner)
            | Node::All(inner)
            | Node::Test(inner)
            | Node::NarrowArgument(_, _, inner)
            | Node::LeaveIfFailed(inner)
            | Node::Is(_, inner) => [Some(inner), None],
            Node::Binary(_, a, b)
            | Node::Compare(_, _, a, b)
            | Node::Element(_, _, a, b)
            | Node::Within(_, _, a, b)
            | Node::Make(_, a, b)
            | Node::Method(_, _, a, b)
            | Node::NarrowResult(_, a, b)
            | Node::Either(a, b)
            | Node::InOneGrid(a, b) => [Some(a), Some(b)],
            Node::Text(_)
            | Node::Line(..)
            | Node::Type(_)
            | Node::Captured(_)
            | Node::Parameter(..)
            | Node::Unpack(..)
            | Node::Narrow(..)
            | Node::Int(..)
            | Node::Float(..)
            | Node::Propagate(..)
            | Node::Answer(..)
            | Node::Constant(_)
            | Node::Site(_)
            | Node::Call(_)
            | Node::Told(_)
            | Node::At
            | Node::Bind(_)
            | Node::Own => [None, None],
        }
    }
}

/// A call of a device function that is told what the launch has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// The slot of the function.
    pub slot: u32,
    /// The arguments that the launch does not limit, as bits. A function whose accesses depend on them is not told.
    pub unlimited: u64,
}

/// A call of a method, which rustc finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The slot of what is called.
    pub slot: u32,
    /// The site of the check, if it is a method of std that can fail.
    pub site: Option<u32>,
    /// The receiver is a place, and not a value of its own.
    pub place: bool,
    /// If it is a method of std, it changes its receiver.
    pub changing: bool,
}

/// What a binary operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binary {
    /// The operator.
    pub op: BinOp,
    /// A compound assignment: the left side is a place.
    pub assigns: bool,
    /// The slot of the operands' type.
    pub slot: u32,
    /// The site of the check, if it can fail.
    pub site: Option<u32>,
}
