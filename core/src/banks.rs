//! Numbers that tell which elements of shared arrays the threads of a warp touch at once. The macro writes them, a plan evaluates them.

use crate::ops::{BinOp, CompareOp};

/// A part of a number in postfix order: what an operator takes is before it. A number without parts is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// A literal.
    Int(u64),
    /// The constant in this slot.
    Constant(u32),
    /// Of an iteration of a phase: its place along this dimension, from 0.
    Place(u32),
    /// A number that the threads have in common whenever they make one access, by its place in a list: the round of a loop, or any number.
    Common(u32),
    /// Arithmetic, of two numbers.
    Binary(BinOp),
    /// A comparison, of two numbers: 0 or 1.
    Compare(CompareOp),
    /// A conversion to the type in this slot.
    Cast(u32),
}
