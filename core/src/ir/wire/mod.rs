//! Code as bytes. Of the tokens, it has the lines, names and members.

mod tokens;
mod tree;

use super::atomics::{AtomicOp, OPS};
use super::code::{Bare, Decoded, DecodedFunction, DecodedLoop, FunctionHead, Info, LoopDim, LoopHead, Room};
use super::{
    Access, AssignOp, BindingId, Body, Borrow, CaptureId, CaptureKind, CollectiveOp, ElementOf, Expr, ExprId, ExprKind,
    LocalId, LocalKind, LoopId, MatchForm, Measure, SiteId, SlotId, Space, Tokens,
};
use crate::methods::{METHODS, Method};
use crate::ops::{BinOp, CompareOp, UnOp};
use crate::output::Output;
use crate::wire::{Decode, Decoder, Encode, Encoder, fields, wire};
use tokens::span;

/// Tokens of which the lines, names and members are known.
pub trait Written: Tokens {
    /// The file and the line of a span.
    fn line(span: Self::Span) -> (String, u32);
    /// A name.
    fn name(name: &Self::Name) -> String;
    /// A field, by its name in C++.
    fn member(member: &Self::Member) -> String;
}

/// The bytes of a loop.
pub fn encode_loop<S: Written>(head: &LoopHead<S::Span>, body: &Body<S>, info: &Info) -> Vec<u8> {
    code(body, Some(info), |to| {
        let LoopHead { span, dims, block, over_blocks, can_fail } = head;
        span::encode::<S>(span, to);
        dims.encode(to);
        block.encode(to);
        over_blocks.encode(to);
        can_fail.encode(to);
    })
}

/// The bytes of a device function.
pub fn encode_function<S: Written>(head: &FunctionHead, body: &Body<S>, info: Option<&Info>) -> Vec<u8> {
    code(body, info, |to| head.encode(to))
}

/// The loop that these bytes are.
pub fn decode_loop(bytes: &[u8]) -> Option<DecodedLoop> {
    decode(bytes, |from| {
        let span = span::decode(from)?;
        let (dims, block, over_blocks) = (Vec::decode(from)?, u32::decode(from)?, bool::decode(from)?);
        Some(LoopHead { span, dims, block, over_blocks, can_fail: bool::decode(from)? })
    })
}

/// The device function that these bytes are.
pub fn decode_function(bytes: &[u8]) -> Option<DecodedFunction> {
    decode(bytes, FunctionHead::decode)
}

fn code<S: Written>(body: &Body<S>, info: Option<&Info>, head: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let mut to = Encoder::default();
    head(&mut to);
    body.encode(&mut to);
    match info {
        Some(info) => {
            true.encode(&mut to);
            info.encode(&mut to);
        }
        None => false.encode(&mut to),
    }
    let files = std::mem::take(&mut to.files);
    files.encode(&mut to);
    to.bytes
}

fn decode<H>(bytes: &[u8], head: impl FnOnce(&mut Decoder<'_>) -> Option<H>) -> Option<Decoded<H>> {
    Decoder::all(bytes, |from| {
        let (head, body, info) = (head(from)?, Body::decode(from)?, Option::decode(from)?);
        Some(Decoded { head, body, info, files: Vec::decode(from)? })
    })
}

macro_rules! ids {
    ($($Id:ident)*) => { $(
        impl Encode for $Id {
            fn encode(&self, to: &mut Encoder) {
                self.0.encode(to);
            }
        }

        impl Decode for $Id {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                Decode::decode(from).map(Self)
            }
        }
    )* };
}
ids!(LocalId CaptureId SlotId SiteId LoopId BindingId);

/// As its number among the expressions that have been written.
impl Encode for ExprId {
    fn encode(&self, to: &mut Encoder) {
        let number = to.exprs.get(&self.0).copied().unwrap_or(u64::MAX);
        number.encode(to);
    }
}

/// One that is not in the tree is refused: a barrier before it would be lost without a word.
impl Decode for ExprId {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        u64::decode(from).filter(|number| *number < from.exprs).map(Self)
    }
}

impl<S: Written> Encode for Expr<S> {
    fn encode(&self, to: &mut Encoder) {
        let Self { id, span, kind } = self;
        let number = to.exprs.len() as u64;
        to.exprs.insert(id.0, number);
        span::encode::<S>(span, to);
        kind.encode(to);
    }
}

impl Decode for Expr<Bare> {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        let id = ExprId(from.exprs);
        from.exprs += 1;
        Some(Self { id, span: span::decode(from)?, kind: ExprKind::decode(from)? })
    }
}

/// Functions of a table, by their places in it.
macro_rules! tables {
    ($($table:ident: $Row:ty;)*) => { $(
        impl Encode for &'static $Row {
            fn encode(&self, to: &mut Encoder) {
                let at = $table.iter().position(|row| row.name == self.name);
                at.unwrap_or(usize::MAX).encode(to);
            }
        }

        impl Decode for &'static $Row {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                $table.get(usize::decode(from)?)
            }
        }
    )* };
}
tables! {
    METHODS: Method;
    OPS: AtomicOp;
}

wire! {
    plain BinOp
    plain CompareOp
    plain UnOp
    plain CollectiveOp
    plain Output
}

wire! {
    struct LoopDim { var, first, stepped }
    struct FunctionHead { params, method, projects, output }
    struct Info {
        decided, indexing, counted, one_round, plain, calls, compared, within, barriers, filled, filled_unless_wrapped,
        rooms
    }
    struct Room { number, waits }
    struct AssignOp { op, slot, site }
}

wire! {
    enum Borrow { 0 => Shared {} 1 => Atomic {} 2 => Unique {} }
    enum Access { 0 => Shape {} 1 => Read {} 2 => Atomic {} 3 => Write {} }
    enum Space { 0 => Own {} 1 => Shared {} 2 => Each(first) }
    enum LocalKind { 0 => Value {} 1 => Reference(borrow) 2 => Slice(borrow) 3 => Closure {} 4 => Grid(borrow, dims) }
    enum CaptureKind { 0 => View(binding, access) 1 => Value {} 2 => Extent(of, dim) 3 => Stride(of, dim) }
    enum Measure { 0 => Len {} 1 => IsEmpty {} 2 => Shape {} }
    enum ElementOf { 0 => Value(slot) 1 => Slice {} 2 => Grid {} }
    enum MatchForm { 0 => Match {} 1 => IfLet {} }
}
