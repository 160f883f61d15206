//! The nodes of the tree, field by field.

use super::Written;
use super::tokens::{member, members, name, named, present, span};
use crate::ir::code::Bare;
use crate::ir::{
    Adaptor, Arm, Block, Body, Callee, Capture, ClosureParam, Collective, ExprKind, Flow, Format, List, Local,
    LoopRange, Message, Pat, PatKind, Phase, Slot, Stmt,
};
use crate::wire::{Decode, Decoder, Encode, Encoder};

/// The fields of a node in the order in which they are written, and behind a semicolon those that
/// are not.
macro_rules! tree {
    ($(struct $Name:ident $fields:tt)*) => { $(
        impl<S: Written> Encode for $Name<S> {
            fn encode(&self, to: &mut Encoder) {
                let pattern!($Name $fields) = self;
                put!(S to $fields);
            }
        }

        impl Decode for $Name<Bare> {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                Some(make!($Name from $fields))
            }
        }
    )* };
    ($(enum $Name:ident { $($number:literal => $Variant:ident $fields:tt)* })*) => { $(
        impl<S: Written> Encode for $Name<S> {
            fn encode(&self, to: &mut Encoder) {
                match self {
                    $(pattern!($Name::$Variant $fields) => {
                        to.bytes.push($number);
                        put!(S to $fields);
                    })*
                }
            }
        }

        impl Decode for $Name<Bare> {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                Some(match from.byte()? {
                    $($number => make!($Name::$Variant from $fields),)*
                    _ => return None,
                })
            }
        }
    )* };
}

macro_rules! pattern {
    ($Name:ident $(:: $Variant:ident)? { $($field:ident $(as $how:ident)?),* $(; $($left_out:tt),*)? }) => {
        $Name $(::$Variant)? { $($field,)* $($($left_out: _,)*)? }
    };
    ($Name:ident :: $Variant:ident ($($field:ident $(as $how:ident)?),*)) => { $Name::$Variant($($field),*) };
}

macro_rules! put {
    ($S:ident $to:ident { $($field:ident $(as $how:ident)?),* $(; $($left_out:tt),*)? }) => {
        $(put!(@ $S $to $field $($how)?);)*
    };
    ($S:ident $to:ident ($($field:ident $(as $how:ident)?),*)) => { $(put!(@ $S $to $field $($how)?);)* };
    (@ $S:ident $to:ident $field:ident) => { $field.encode($to) };
    (@ $S:ident $to:ident $field:ident $how:ident) => { $how::encode::<$S>($field, $to) };
}

macro_rules! make {
    ($Name:ident $(:: $Variant:ident)? $from:ident { $($field:ident $(as $how:ident)?),* $(; $($left_out:tt),*)? }) => {
        $Name $(::$Variant)? {
            $($field: make!(@ $from $($how)?),)* $($($left_out: Default::default(),)*)?
        }
    };
    ($Name:ident :: $Variant:ident $from:ident ($($field:ident $(as $how:ident)?),*)) => {
        $Name::$Variant($(make!(@ $from $($how)?)),*)
    };
    (@ $from:ident) => { Decode::decode($from)? };
    (@ $from:ident $how:ident) => { $how::decode($from)? };
}

tree! {
    struct Body { locals, captures, slots, block; sites, constants, counts_like_cuda, loops, lints }
    struct Local { name as name, mutable, late, slot, kind, counts, loose, space, atomics }
    struct Capture { name as name, kind, dims }
    struct Block { stmts, value }
    struct Arm { pat, guard, body }
    struct LoopRange { start, end, inclusive, adaptors }
    struct ClosureParam { local; ty }
    struct Collective { op, of_warps, own, thread, threads, slot, result, of }
    struct Format { values as named, slot; users, around }
    struct Pat { span as span, kind }
    struct List { front, back }
}

tree! {
    enum ExprKind {
        0 => Int { digits, slot; token }
        1 => Float { digits, slot; token }
        2 => Bool(value)
        3 => Words { ; 0 }
        4 => Local(local)
        5 => Captured(capture)
        6 => Constant { slot; path, scope }
        7 => Tuple { elems, slot }
        8 => Array { elems, slot }
        9 => Repeat { value, slot; len }
        10 => FirstAtomic { slot; value }
        11 => Index { view, index, site }
        12 => Own { all, thread }
        13 => Element { base, index, of, site }
        14 => Struct { fields as members, base, called, slot; path }
        15 => Field { base, member as member }
        16 => Deref(place)
        17 => Reference { borrow, place }
        18 => View { view }
        19 => Range { base, start, end, inclusive, site }
        20 => Len(view)
        21 => Measure { base, what }
        22 => Unary { op, operand, slot }
        23 => Binary { op, lhs, rhs, slot, site }
        24 => Compare { op, lhs, rhs, slot }
        25 => Logic { and, lhs, rhs }
        26 => Loaded { element, slot }
        27 => Cast { operand, ty as present, slot }
        28 => Call { callee, args }
        29 => Receiver { place, slot, std_name, changing, lent }
        30 => Collective(collective)
        31 => Closure { params, body, result; output }
        32 => Panic { message, site }
        33 => Print { output, format, site }
        34 => Assert { cond, check }
        35 => Assign { place, value, op }
        36 => Flow { flow, slot }
    }
    enum Message {
        0 => Fixed { ; 0 }
        1 => Formatted(format)
    }
    enum Callee {
        0 => Number { method, owner, site }
        1 => Conversion { name as name, slot }
        2 => Method { name as name, known, slot, site; generics }
        3 => Function { slot, hides, parens as span; path }
        4 => Associated { name as name, slot, site; path }
        5 => Closure(local)
        6 => Atomic { op, result; orderings }
    }
    enum PatKind {
        0 => Wild {}
        1 => Bind { local, sub }
        2 => Bool(value)
        3 => Number { digits, float; tokens }
        4 => Constant { slot; path }
        5 => Range { lo, hi, inclusive }
        6 => Tuple(list)
        7 => Array(list)
        8 => Struct { fields as members, rest, slot; path }
        9 => TupleStruct { list, slot; path }
        10 => Or(pats)
    }
    enum Flow {
        0 => Block(block)
        1 => Unsafe(block)
        2 => Labelled { id, body; label }
        3 => If { cond, then, otherwise }
        4 => Match { scrutinee, arms, form }
        5 => While { id, cond, body; label }
        6 => WhileLet { id, pat, scrutinee, body; label }
        7 => Loop { id, body; label }
        8 => For { id, var, range, body; label }
        9 => Phase { phase, body }
        10 => ForEach { id, pat, array, body; label }
        11 => Break { id, value; label }
        12 => Continue { id; label }
        13 => Return { value, closure }
        14 => Question { value, asked, result, conversion, closure }
    }
    enum Adaptor {
        0 => Rev {}
        1 => StepBy { step, site }
    }
    enum Stmt {
        0 => Let { pat, init, otherwise; ty }
        1 => Declare { span as span, local; ty }
        2 => Expr(expr)
        3 => Item { ; 0 }
    }
    enum Slot {
        0 => Inferred {}
        1 => Written { ; 0 }
        2 => WrittenInside { ; 0 }
        3 => Function {}
        4 => Method {}
        5 => Binary {}
        6 => Order {}
        7 => Assign {}
        8 => Index {}
        9 => IndexMut {}
        10 => Unary {}
        11 => Constant {}
        12 => Atomic {}
        13 => Format {}
        14 => Variant {}
        15 => Conversion {}
    }
}

/// What C++ needs of a phase.
impl Encode for Phase {
    fn encode(&self, to: &mut Encoder) {
        let Self { vars, literal, thread, id, shape: _, of_threads: _, sites: _, slots: _ } = self;
        vars.encode(to);
        literal.encode(to);
        thread.encode(to);
        id.encode(to);
    }
}

impl Decode for Phase {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some(Self {
            vars: Decode::decode(from)?,
            literal: Decode::decode(from)?,
            thread: Decode::decode(from)?,
            id: Decode::decode(from)?,
            shape: Vec::new(),
            of_threads: false,
            sites: 0..0,
            slots: 0..0,
        })
    }
}
