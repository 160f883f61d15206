//! What a program may hold, and how likely each form is.

use anabranch_core::ops::BinOp;

use super::features::Feature;
use crate::types::Scalar;

/// Choices by weight.
pub(super) type Weights<T> = &'static [(usize, T)];

/// `weights![Statement: 30 Let, 4 Counter]`
macro_rules! weights {
    ($Enum:ident: $($weight:literal $choice:ident),*) => { &[$(($weight, $Enum::$choice)),*] };
    ($($weight:literal $choice:literal),*) => { &[$(($weight, $choice)),*] };
}

pub(super) use weights;

/// A form of statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Statement {
    Let,
    Counter,
    Late,
    Assign,
    AssignOp,
    Observe,
    If,
    Jump,
    Nested,
    While,
    Loop,
    For,
    /// A loop over a range that data decide, with elements along it.
    Along,
    Discard,
    Match,
    IfLet,
    WhileLet,
    Destructure,
    LetElse,
    Assert,
    Print,
    Const,
    /// An element or a part of a buffer.
    Access,
    /// A variable that is made of a loop variable.
    Derived,
    /// `let (a, b) = (…, …);`
    Pair,
    /// An access behind a check of its index.
    Guarded,
    /// `while`, for a few rounds.
    Counted,
    /// An index that every round of a loop steps on.
    Running,
    /// A range that may wrap, and the row that it goes through.
    Wrapped,
    /// An access that `unsafe` answers for.
    Unsafe,
    /// An element or a range, by strides.
    Strided,
    /// Digits, colours, compressed rows, rows of a triangle.
    Shape,
    /// The result of an operation that a launch knows an interval of.
    Operation,
    /// One of two values.
    Choice,
}

impl Statement {
    /// The part of the language that has it.
    pub(super) fn feature(self) -> Option<Feature> {
        match self {
            Statement::Late => Some(Feature::LateInit),
            Statement::Match | Statement::IfLet | Statement::WhileLet | Statement::Destructure => {
                Some(Feature::Patterns)
            }
            Statement::LetElse => Some(Feature::LetElse),
            Statement::Assert => Some(Feature::Asserts),
            Statement::Print => Some(Feature::Prints),
            Statement::Const => Some(Feature::Constants),
            _ => None,
        }
    }

    /// Whether other statements are in it.
    pub(super) fn nests(self) -> bool {
        use Statement::*;
        matches!(self, If | Nested | While | Loop | For | Along | Match | IfLet | WhileLet | Late)
    }
}

/// A form of expression.
#[derive(Clone, Copy)]
pub(super) enum Operator {
    Leaf,
    Flow,
    Call,
    Arithmetic,
    Shift,
    Unary,
    Cast,
    From,
    Method,
    Compare,
    Logic,
}

/// Control flow that has a value.
#[derive(Clone, Copy)]
pub(super) enum Valued {
    If,
    Block,
    Loop,
    Labelled,
    Match,
    IfLet,
}

/// From where to where an inner loop goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    /// From one small number to another.
    Small,
    /// Up to the greatest value of the type.
    Last,
    Any,
    /// From a small number to a variable.
    Variable,
    /// A few from some number on.
    Window,
    /// From a number on that is mostly greater than the end.
    Backwards,
    /// Through nearly all values of the type.
    Huge,
    /// A chunk of the variable's own.
    Chunk,
}

/// What expressions without operations are.
#[derive(Clone, Copy)]
pub(super) enum Leaves {
    /// What has a name and this type.
    Typed,
    /// Anything, in this type: a literal, a variable, a host value, a length, an element of a view,
    /// one of an array.
    Cast([usize; 6]),
}

/// What a program may hold. A weight of 0 is never.
pub(super) struct Profile {
    pub(super) statements: Weights<Statement>,
    /// How deep statements nest.
    pub(super) nesting: usize,
    /// The most statements of a block.
    pub(super) block: usize,
    /// Names of variables, so few that they shadow each other, and how many percent of them have a
    /// number.
    pub(super) names: &'static [&'static str],
    pub(super) numbered: usize,
    /// Names of the variables of inner loops, by their depth.
    pub(super) inner: &'static [&'static str],
    /// Nodes of a body, roughly.
    pub(super) budget: i64,
    /// Forms of numbers of int types.
    pub(super) ints: Weights<Operator>,
    pub(super) bools: Weights<Operator>,
    pub(super) flows: Weights<Valued>,
    pub(super) arithmetic: Weights<BinOp>,
    /// A literal up to the second number, something that is not 0, anything.
    pub(super) divisors: ([usize; 3], usize),
    /// `&&`, `||`, `&`, `|`, `^`.
    pub(super) logic: [usize; 5],
    /// What shifts by: a small number, at least the bits of the type, less than that, anything.
    pub(super) distances: [usize; 4],
    /// By name; without it all that give the same everywhere.
    pub(super) methods: Option<Weights<&'static str>>,
    /// Up to 4, up to 19, near the greatest value, a power of two, any bits; and how many percent
    /// are below 0.
    pub(super) literals: ([usize; 5], usize),
    pub(super) leaves: Leaves,
    /// Percent of the comparisons that guard: a variable, maybe with an offset, and a number.
    pub(super) guards: usize,
    /// Percent of the casts that are from any type, not only from one of the program's.
    pub(super) any_cast: usize,
    /// Percent of the arguments that are small literals.
    pub(super) small_arguments: usize,
    /// Percent of the blocks that observe something at their end.
    pub(super) observed: usize,
    /// Percent of the variables that can be assigned.
    pub(super) mutable: usize,
    /// Percent of the literals that take their type from where they stand.
    pub(super) inferred: usize,
    /// What follows the block of an `if`: nothing, a block, another `if`.
    pub(super) otherwise: [usize; 3],
    pub(super) spans: Weights<Span>,
    /// Percent of the inner loops that have each.
    pub(super) inclusive: usize,
    pub(super) rev: usize,
    pub(super) step_by: usize,
    /// All types, and those of a program, each as often as it is here; without the latter it has a
    /// few of all.
    pub(super) all: &'static [Scalar],
    pub(super) types: &'static [Scalar],
    pub(super) features: &'static [Feature],
}

use Scalar::{Bool, I3, I5, I8, I16, I32, I64, Isize, U3, U5, U8, U16, U32, U64, Usize};

/// Bodies of loops that are heavy in values.
pub(super) static VALUES: Profile = Profile {
    statements: weights![Statement:
        30 Let, 4 Counter, 6 Late, 16 Assign, 16 AssignOp, 10 Observe, 10 If, 5 Jump, 3 Nested, 3 While, 3 Loop,
        6 For, 3 Discard, 10 Match, 5 IfLet, 2 WhileLet, 5 Destructure, 3 LetElse, 2 Assert, 3 Print, 2 Const
    ],
    nesting: 4,
    block: 3,
    names: &["a", "b", "c", "d", "e", "f", "g", "h", "x", "y", "z", "t", "u", "v", "w", "count", "float"],
    numbered: 60,
    inner: &[],
    budget: 220,
    ints: weights![Operator:
        24 Leaf, 14 Flow, 7 Call, 34 Arithmetic, 7 Shift, 5 Unary, 9 Cast, 3 From, 16 Method
    ],
    bools: weights![Operator: 24 Leaf, 14 Flow, 7 Call, 30 Compare, 14 Logic, 5 Unary, 8 Method],
    flows: weights![Valued: 40 If, 30 Block, 12 Loop, 12 Labelled, 30 Match, 10 IfLet],
    arithmetic: weights![BinOp: 10 Add, 10 Sub, 10 Mul, 5 Div, 5 Rem, 4 And, 4 Or, 4 Xor],
    divisors: ([40, 40, 8], 100),
    logic: [2, 2, 1, 1, 1],
    distances: [20, 5, 20, 55],
    methods: None,
    literals: ([20, 40, 22, 10, 8], 30),
    leaves: Leaves::Typed,
    guards: 0,
    any_cast: 30,
    small_arguments: 0,
    observed: 30,
    mutable: 65,
    inferred: 25,
    otherwise: [2, 1, 1],
    spans: weights![Span: 60 Small, 15 Last, 25 Any],
    inclusive: 35,
    rev: 25,
    step_by: 25,
    all: &Scalar::ALL,
    types: &[],
    features: Feature::ALL,
};

/// Bodies of loops with inner loops over ranges that data decide. Nothing else in them fails.
pub(super) static ALONG: Profile = Profile {
    statements: weights![Statement: 50 Along, 20 Let, 8 Assign, 8 AssignOp, 6 Observe, 8 If, 2 For],
    nesting: 2,
    names: &["a", "b", "k", "at", "first", "end"],
    numbered: 25,
    budget: 30,
    flows: weights![Valued: 40 If, 30 Block],
    ..VALUES
};

/// Bodies of loops that mostly run in lanes on the CPU.
pub(super) static LANES: Profile = Profile {
    statements: weights![Statement:
        20 Let, 3 Counter, 14 Assign, 20 AssignOp, 8 Observe, 9 If, 9 Jump, 3 Nested, 6 While, 3 Loop, 24 For,
        2 Discard, 5 Match, 3 Destructure
    ],
    nesting: 4,
    block: 4,
    names: &["a", "b", "c", "d", "x", "y", "l", "t", "lanes", "mask"],
    numbered: 50,
    inner: &[],
    budget: 50,
    ints: weights![Operator: 30 Leaf, 9 Flow, 2 Call, 34 Arithmetic, 6 Shift, 5 Unary, 9 Cast, 3 From, 12 Method],
    bools: weights![Operator: 8 Leaf, 5 Flow, 1 Call, 60 Compare, 14 Logic, 5 Unary, 4 Method],
    flows: weights![Valued: 40 If, 20 Block, 10 Match],
    arithmetic: weights![BinOp: 10 Add, 10 Sub, 10 Mul, 1 Div, 1 Rem, 4 And, 4 Or, 4 Xor],
    divisors: ([1, 0, 0], 100),
    logic: [2, 2, 1, 1, 1],
    distances: [20, 5, 20, 55],
    methods: None,
    literals: ([20, 40, 22, 10, 8], 30),
    leaves: Leaves::Typed,
    guards: 0,
    any_cast: 30,
    small_arguments: 0,
    observed: 20,
    mutable: 75,
    inferred: 25,
    otherwise: [2, 1, 1],
    spans: weights![Span: 1 Small],
    inclusive: 35,
    rev: 20,
    step_by: 20,
    all: &Scalar::ALL,
    types: &[],
    features: Feature::ALL,
};

/// Kernels that are heavy in indexes.
pub(super) static INDEXES: Profile = Profile {
    statements: weights![Statement:
        230 Access, 29 Let, 6 Assign, 31 Derived, 9 Pair, 42 Guarded, 14 Jump, 70 For, 50 If, 6 Match, 6 Nested,
        12 Unsafe, 20 Counted, 40 Running, 15 Assert, 15 Wrapped, 25 Shape
    ],
    nesting: 2,
    block: 2,
    names: &["a", "b", "c", "d", "n"],
    numbered: 0,
    inner: &["p", "q", "r"],
    budget: i64::MAX / 2,
    ints: weights![Operator: 26 Leaf, 8 Flow, 40 Arithmetic, 6 Shift, 3 Unary, 14 Cast, 16 Method],
    bools: weights![Operator: 8 Leaf, 78 Compare, 14 Logic, 6 Unary],
    flows: weights![Valued: 1 If, 1 Block],
    arithmetic: weights![BinOp: 16 Add, 10 Sub, 10 Mul, 4 Div, 5 Rem, 4 And, 1 Or, 1 Xor],
    divisors: ([70, 5, 25], 8),
    logic: [8, 8, 1, 1, 1],
    distances: [70, 12, 10, 8],
    // The last ones have operands or results of other types.
    methods: Some(weights![
        6 "min", 5 "max", 4 "clamp", 6 "saturating_sub", 3 "saturating_add", 3 "wrapping_add", 3 "wrapping_sub",
        3 "wrapping_mul", 3 "rem_euclid", 1 "div_euclid",
        2 "abs_diff", 4 "pow", 1 "wrapping_shl", 1 "rotate_left", 1 "wrapping_add_signed", 1 "unsigned_abs",
        1 "count_ones", 1 "leading_zeros", 1 "ilog2"
    ]),
    literals: ([80, 10, 4, 6, 0], 7),
    leaves: Leaves::Cast([30, 45, 18, 7, 3, 3]),
    guards: 100,
    any_cast: 100,
    small_arguments: 40,
    observed: 10,
    mutable: 15,
    inferred: 0,
    otherwise: [6, 4, 0],
    spans: weights![Span: 45 Small, 25 Variable, 15 Any, 15 Window, 6 Backwards, 6 Huge],
    inclusive: 15,
    rev: 15,
    step_by: 20,
    all: &Scalar::WORDS,
    // Mostly what indexes are made of.
    types: &[
        Usize, Usize, Usize, Usize, Usize, Usize, Usize, Usize, Usize, Usize, Usize, Usize, Usize, U8, I8, U16, I16,
        U32, I32, U64, I64, Isize, Bool, Bool, Bool,
    ],
    features: {
        use Feature::*;
        &[Casts, Methods, Panics, Asserts, Arrays, Patterns, Steps]
    },
};

/// Loops that a launch decides on: types are small, so that much wraps, and so are ranges, so that
/// much collides.
pub(super) static STRIDES: Profile = Profile {
    statements: weights![Statement: 40 Strided, 20 Operation, 5 Choice, 15 For, 20 If],
    nesting: 3,
    block: 3,
    names: &["v"],
    numbered: 100,
    inner: &[],
    // It is in the number of statements that such a program is small.
    budget: 150,
    ints: weights![Operator: 40 Leaf, 15 Cast, 45 Arithmetic],
    bools: weights![Operator: 1 Compare, 1 Logic],
    flows: weights![Valued: ],
    arithmetic: weights![BinOp: 2 Add, 2 Sub, 1 Mul],
    divisors: ([0, 0, 1], 1),
    logic: [1, 0, 0, 0, 0],
    distances: [1, 0, 0, 0],
    methods: Some(&[]),
    literals: ([95, 5, 0, 0, 0], 0),
    leaves: Leaves::Cast([30, 45, 15, 10, 0, 0]),
    guards: 75,
    any_cast: 100,
    small_arguments: 0,
    observed: 0,
    mutable: 0,
    inferred: 0,
    otherwise: [1, 0, 0],
    spans: weights![Span: 2 Small, 1 Variable, 1 Window, 1 Backwards, 1 Chunk],
    inclusive: 15,
    rev: 0,
    step_by: 25,
    all: &[U3, I3, U5, I5, Usize, Isize],
    types: &[Usize, Usize, Usize, Isize, U3, I3, U5, I5],
    features: &[Feature::Casts, Feature::Steps],
};
