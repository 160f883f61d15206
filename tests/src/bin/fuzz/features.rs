//! Parts of the language that can be switched off.

use clap::ValueEnum;

/// A part of the language beyond variables, arithmetic, `if`, blocks and loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Feature {
    /// `f32` and `f64`
    Floats,
    /// `i128` and `u128`
    Wide,
    /// `as` and `T::from`
    Casts,
    /// Numeric methods
    Methods,
    /// `#[device]` functions
    Calls,
    /// What may panic: unguarded divisors and indexes
    Panics,
    /// `assert!`, `panic!` and their like
    Asserts,
    /// Operands that assign
    Effects,
    /// Tuples
    Tuples,
    /// Arrays
    Arrays,
    /// `match`, `if let`, `while let`, patterns in `let`
    Patterns,
    /// `let … else`
    LetElse,
    /// `let x;`
    LateInit,
    /// Labelled blocks
    LabelledBlocks,
    /// Constants
    Constants,
    /// `.rev()` and `.step_by(k)`
    Steps,
    /// `f32::max(a, b)`
    Paths,
    /// `&x` and `&mut x` as arguments
    References,
    /// Generic device functions
    Generics,
}
