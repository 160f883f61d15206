//! The device part: bodies of `par` loops and `#[device]` functions, and the tables that ids point into.

use proc_macro2::{Ident, Span};

use super::{BindingId, Block, Expr, Header};
use crate::ir::{Access, Borrow};
pub(crate) use anabranch_core::template::Receiver;

/// A `#[device]` function.
pub(crate) struct DeviceFn {
    /// Attributes, visibility, name.
    pub(crate) header: Header,
    /// How a method takes `self`, its first parameter.
    pub(crate) receiver: Option<Receiver>,
    /// Its parameters: the first locals of the body, with their types as the user wrote them.
    pub(crate) params: Vec<(LocalId, syn::Type)>,
    /// It returns a reference to a part of its receiver, and its return type is that of the part.
    pub(crate) projects: Option<Borrow>,
    /// The return type, with its slot; `None` for `()`.
    pub(crate) output: Option<(SlotId, syn::Type)>,
    /// What it does.
    pub(crate) body: Body,
}

/// Device code: a tree and the tables its ids point into.
#[derive(Default)]
pub(crate) struct Body {
    /// The statements.
    pub(crate) block: Block,
    /// Every `let`, parameter and loop variable.
    pub(crate) locals: Vec<Local>,
    /// What the body uses of the host part.
    pub(crate) captures: Vec<Capture>,
    /// Holes for types and functions.
    pub(crate) slots: Vec<Slot>,
    /// Where a check can fail at run time.
    pub(crate) sites: Vec<Site>,
    /// The constants of the host part that it has the values of.
    pub(crate) constants: Vec<(Ident, u64)>,
    /// It mentions what may be the index of a CUDA thread.
    pub(crate) counts_like_cuda: bool,
    /// Number of loops in the body, the `par` loop being number 0.
    pub(crate) loops: usize,
    /// `#[allow(…)]` inside the body.
    pub(crate) lints: Vec<syn::Attribute>,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident => $table:ident: $row:ty;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) struct $id(pub(crate) usize);
        impl std::ops::Index<$id> for Body {
            type Output = $row;
            fn index(&self, id: $id) -> &$row { &self.$table[id.0] }
        }
        impl Body {
            /// Adds a row to the table that this id points into.
            pub(crate) fn $table(&mut self, row: $row) -> $id { self.$table.push(row); $id(self.$table.len() - 1) }
        }
    )* };
}
ids! {
    /// Place in [`Body::locals`].
    LocalId => locals: Local;
    /// Place in [`Body::captures`].
    CaptureId => captures: Capture;
    /// Place in [`Body::slots`].
    SlotId => slots: Slot;
    /// Place in [`Body::sites`].
    SiteId => sites: Site;
}

impl Body {
    /// The captures of a grid's extents, in order; of a slice, none.
    pub(crate) fn extents(&self, view: CaptureId) -> impl Iterator<Item = CaptureId> + use<> {
        (0..self[view].dims).map(move |dim| CaptureId(view.0 + 1 + dim))
    }

    /// The captures of a grid's strides, in order, but for the last dimension, where neighbours follow each other; of a slice, none.
    pub(crate) fn strides(&self, view: CaptureId) -> impl Iterator<Item = CaptureId> + use<> {
        let dims = self[view].dims;
        (1..dims).map(move |dim| CaptureId(view.0 + dims + dim))
    }
}

impl Body {
    /// Everything that can fail.
    pub(crate) fn all_sites(&self) -> impl Iterator<Item = SiteId> + use<> {
        (0..self.sites.len()).map(SiteId)
    }

    /// The slot of a variable's value; of those of all threads, that of one.
    pub(crate) fn value_slot(&self, local: LocalId) -> SlotId {
        match self[local].space {
            Space::Each(first) => self[first].slot,
            Space::Own | Space::Shared => self[local].slot,
        }
    }

    /// Whether a place is an array of atomics that threads share, or a part of one.
    pub(crate) fn is_of_atomics(&self, place: &Expr) -> bool {
        place.root().is_some_and(|local| self[local].atomics > 0)
    }
}

impl CaptureId {
    /// As constant data has it.
    pub(crate) fn number(self) -> u32 {
        self.0 as u32
    }
}

impl SlotId {
    /// As constant data has it.
    pub(crate) fn number(self) -> u32 {
        self.0 as u32
    }
}

impl SiteId {
    /// As constant data has it: from 1, because 0 means that nothing has failed.
    pub(crate) fn number(self) -> u32 {
        self.0 as u32 + 1
    }
}

/// A variable of device code.
pub(crate) struct Local {
    /// The user's name. Shadowed names are different locals.
    pub(crate) name: Ident,
    /// `mut`.
    pub(crate) mutable: bool,
    /// Declared without a value: assigned once, later.
    pub(crate) late: bool,
    /// Its type; of a reference, that of what it refers to; of a slice, that of its elements; of atomics, that of their values.
    pub(crate) slot: SlotId,
    /// How it holds it.
    pub(crate) kind: LocalKind,
    /// A loop counts with it: it is an integer.
    pub(crate) counts: bool,
    /// It is a value or a reference for reading, and only rustc knows which. C++ reads both alike.
    pub(crate) loose: bool,
    /// Whose it is, in a loop over blocks.
    pub(crate) space: Space,
    /// The dimensions of an array of atomics that threads share; else 0.
    pub(crate) atomics: usize,
}

impl Local {
    /// An immutable variable of the iteration.
    pub(crate) fn new(name: Ident, slot: SlotId, kind: LocalKind) -> Self {
        Self {
            name,
            mutable: false,
            late: false,
            slot,
            kind,
            counts: false,
            loose: false,
            space: Space::Own,
            atomics: 0,
        }
    }
}

/// Whose a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    /// The iteration's: of the block, or of a thread in a phase.
    Own,
    /// An array that all threads of the block share.
    Shared,
    /// One value for each thread, in an array. They begin as the value of this local.
    Each(LocalId),
}

/// How a local holds its value. References are parameters of device functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LocalKind {
    /// A value of its own.
    Value,
    /// `&T`, `&mut T`.
    Reference(Borrow),
    /// `&[T]`, `&mut [T]`.
    Slice(Borrow),
    /// `impl Fn(A) -> R`; its slot has no meaning.
    Closure,
    /// `&Grid<T, D>`, `&mut Grid<T, D>`, with the number of dimensions.
    Grid(Borrow, usize),
}

/// A host name that a body uses.
pub(crate) struct Capture {
    /// The name.
    pub(crate) name: Ident,
    /// A view or a value.
    pub(crate) kind: CaptureKind,
    /// The number of dimensions of a grid; its extents are the next captures, then its strides. Else 0.
    pub(crate) dims: usize,
}

/// What a captured name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaptureKind {
    /// A view of device memory and how it is used.
    View(BindingId, Access),
    /// A copy of a host value.
    Value,
    /// The number of elements of a grid along this dimension.
    Extent(CaptureId, usize),
    /// The number of elements of a grid from one index to the next along this dimension.
    Stride(CaptureId, usize),
}

/// A hole for what only rustc knows.
pub(crate) enum Slot {
    /// A type that inference finds.
    Inferred,
    /// A type of the signature, as the user wrote it.
    Written(Box<syn::Type>),
    /// A type that the user wrote in the body. Items of the body may give its names other meanings, so it is tied to the slot in its place.
    WrittenInside(Box<syn::Type>),
    /// A called `#[device]` function.
    Function,
    /// A called method: of std, or a `#[device]` function.
    Method,
    /// A binary operator, `==` among them: of numbers, or a `#[device]` function.
    Binary,
    /// The same of `<` and its like.
    Order,
    /// The same of a compound assignment.
    Assign,
    /// The same of `base[index]` for reading.
    Index,
    /// The same for writing.
    IndexMut,
    /// The same of a unary operator.
    Unary,
    /// The value of a constant, and its type.
    Constant,
    /// The same of the first value of an atomic.
    Atomic,
    /// The types of values that are formatted, and what formats them.
    Format,
    /// The struct or variant that a path names, and its type.
    Variant,
    /// What a `?` converts an error with: a `#[device]` function, or nothing.
    Conversion,
}

/// A place whose check can fail.
pub(crate) struct Site {
    /// Where.
    pub(crate) span: Span,
    /// What is checked.
    pub(crate) check: Check,
    /// The access as the user wrote it, where it is one.
    pub(crate) text: String,
}

/// What is checked; the words of a message may be the user's.
pub(crate) type Check = anabranch_core::check::Check<std::borrow::Cow<'static, str>>;
