//! `#[device]` functions.

use super::{Body, Borrow, Header, LocalId, Receiver, SlotId};

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
