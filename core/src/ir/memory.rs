//! How device code uses memory of the device.

/// How memory of the device is borrowed, as it is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Borrow {
    /// `&T`, `&[T]`: read by all.
    Shared,
    /// `&AtomicU32`, `&[AtomicU32]`: changed by all, with atomic operations alone.
    Atomic,
    /// `&mut T`, `&mut [T]`: written.
    Unique,
}

impl Borrow {
    /// The use of a view that is handed on like this.
    pub fn access(self) -> Access {
        match self {
            Borrow::Shared => Access::Read,
            Borrow::Atomic => Access::Atomic,
            Borrow::Unique => Access::Write,
        }
    }
}

/// How a view is used, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Only its length, which cannot change.
    Shape,
    /// Elements are read.
    Read,
    /// Elements are changed by atomic operations, which do not race with each other.
    Atomic,
    /// Elements are written, and maybe read.
    Write,
}

/// S::Nameity of a name bound in the host part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BindingId(pub usize);

/// How a method takes its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// `self`.
    Value,
    /// `&self`.
    Shared,
    /// `&mut self`.
    Unique,
}

impl Receiver {
    /// The name of the variant.
    pub fn variant(self) -> &'static str {
        match self {
            Receiver::Value => "Value",
            Receiver::Shared => "Shared",
            Receiver::Unique => "Unique",
        }
    }
}
