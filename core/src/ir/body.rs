//! Bodies of `par` loops and `#[device]` functions, and the tables that ids point into.

use super::{Access, BindingId, Block, Borrow, Expr, Tokens};

/// Device code: a tree and the tables its ids point into.
pub struct Body<S: Tokens> {
    /// The statements.
    pub block: Block<S>,
    /// Every `let`, parameter and loop variable.
    pub locals: Vec<Local<S>>,
    /// What the body uses of the host part.
    pub captures: Vec<Capture<S>>,
    /// Holes for types and functions.
    pub slots: Vec<Slot<S>>,
    /// Where a check can fail at run time.
    pub sites: Vec<Site<S>>,
    /// The constants of the host part that it has the values of.
    pub constants: Vec<(S::Name, u64)>,
    /// It mentions what may be the index of a CUDA thread.
    pub counts_like_cuda: bool,
    /// Number of loops in the body, the `par` loop being number 0.
    pub loops: usize,
    /// `#[allow(…)]` inside the body.
    pub lints: Vec<S::Attribute>,
}

/// Without a bound for the tokens.
impl<S: Tokens> Default for Body<S> {
    fn default() -> Self {
        Self {
            block: Block::default(),
            locals: Vec::new(),
            captures: Vec::new(),
            slots: Vec::new(),
            sites: Vec::new(),
            constants: Vec::new(),
            counts_like_cuda: false,
            loops: 0,
            lints: Vec::new(),
        }
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident => $table:ident: $row:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub struct $id(pub usize);
        impl<S: Tokens> std::ops::Index<$id> for Body<S> {
            type Output = $row<S>;
            fn index(&self, id: $id) -> &$row<S> { &self.$table[id.0] }
        }
        impl<S: Tokens> Body<S> {
            /// Adds a row to the table that this id points into.
            pub fn $table(&mut self, row: $row<S>) -> $id { self.$table.push(row); $id(self.$table.len() - 1) }
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

impl<S: Tokens> Body<S> {
    /// The captures of a grid's extents, in order; of a slice, none.
    pub fn extents(&self, view: CaptureId) -> impl Iterator<Item = CaptureId> + use<S> {
        (0..self[view].dims).map(move |dim| CaptureId(view.0 + 1 + dim))
    }

    /// The captures of a grid's strides, in order, but for the last dimension, where neighbours
    /// follow each other; of a slice, none.
    pub fn strides(&self, view: CaptureId) -> impl Iterator<Item = CaptureId> + use<S> {
        let dims = self[view].dims;
        (1..dims).map(move |dim| CaptureId(view.0 + dims + dim))
    }
}

impl<S: Tokens> Body<S> {
    /// Everything that can fail.
    pub fn all_sites(&self) -> impl Iterator<Item = SiteId> + use<S> {
        (0..self.sites.len()).map(SiteId)
    }

    /// The slot of a variable's value; of those of all threads, that of one.
    pub fn value_slot(&self, local: LocalId) -> SlotId {
        match self[local].space {
            Space::Each(first) => self[first].slot,
            Space::Own | Space::Shared => self[local].slot,
        }
    }

    /// Whether something in it can fail, or calls what can.
    pub fn can_fail(&self) -> bool {
        let calls = |slot: &Slot<S>| match slot {
            Slot::Function
            | Slot::Method
            | Slot::Conversion
            | Slot::Binary
            | Slot::Order
            | Slot::Assign
            | Slot::Unary
            | Slot::Index
            | Slot::IndexMut => true,
            Slot::Inferred
            | Slot::Written(_)
            | Slot::WrittenInside(_)
            | Slot::Constant
            | Slot::Atomic
            | Slot::Format
            | Slot::Variant => false,
        };
        !self.sites.is_empty() || self.slots.iter().any(calls)
    }

    /// Whether a place is an array of atomics that threads share, or a part of one.
    pub fn is_of_atomics(&self, place: &Expr<S>) -> bool {
        place.root().is_some_and(|local| self[local].atomics > 0)
    }
}

impl CaptureId {
    /// As constant data has it.
    pub fn number(self) -> u32 {
        self.0 as u32
    }
}

impl SlotId {
    /// As constant data has it.
    pub fn number(self) -> u32 {
        self.0 as u32
    }
}

impl SiteId {
    /// As constant data has it: from 1, because 0 means that nothing has failed.
    pub fn number(self) -> u32 {
        self.0 as u32 + 1
    }
}

/// A variable of device code.
pub struct Local<S: Tokens> {
    /// The user's name. Shadowed names are different locals.
    pub name: S::Name,
    /// `mut`.
    pub mutable: bool,
    /// Declared without a value: assigned once, later.
    pub late: bool,
    /// Its type; of a reference, that of what it refers to; of a slice, that of its elements; of
    /// atomics, that of their values.
    pub slot: SlotId,
    /// How it holds it.
    pub kind: LocalKind,
    /// A loop counts with it: it is an integer.
    pub counts: bool,
    /// It is a value or a reference for reading, and only rustc knows which. C++ reads both alike.
    pub loose: bool,
    /// Whose it is, in a loop over blocks.
    pub space: Space,
    /// The dimensions of an array of atomics that threads share; else 0.
    pub atomics: usize,
}

impl<S: Tokens> Local<S> {
    /// An immutable variable of the iteration.
    pub fn new(name: S::Name, slot: SlotId, kind: LocalKind) -> Self {
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
pub enum Space {
    /// The iteration's: of the block, or of a thread in a phase.
    Own,
    /// An array that all threads of the block share.
    Shared,
    /// One value for each thread, in an array. They begin as the value of this local.
    Each(LocalId),
}

/// How a local holds its value. References are parameters of device functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalKind {
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
pub struct Capture<S: Tokens> {
    /// The name.
    pub name: S::Name,
    /// A view or a value.
    pub kind: CaptureKind,
    /// The number of dimensions of a grid; its extents are the next captures, then its strides.
    /// Else 0.
    pub dims: usize,
}

/// What a captured name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CaptureKind {
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
pub enum Slot<S: Tokens> {
    /// A type that inference finds.
    Inferred,
    /// A type of the signature, as the user wrote it.
    Written(Box<S::Type>),
    /// A type that the user wrote in the body. Items of the body may give its names other meanings,
    /// so it is tied to the slot in its place.
    WrittenInside(Box<S::Type>),
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
pub struct Site<S: Tokens> {
    /// Where.
    pub span: S::Span,
    /// What is checked.
    pub check: Check,
    /// The access as the user wrote it, where it is one.
    pub text: String,
}

/// What is checked; the words of a message may be the user's.
pub type Check = crate::check::Check<std::borrow::Cow<'static, str>>;
