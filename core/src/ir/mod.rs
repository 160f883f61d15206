//! The intermediate representation of device code: the body of a `par` loop or of a `#[device]`
//! function, with names resolved.
//!
//! It is a tree of [`Expr`] in which every name is a [`LocalId`] or a [`CaptureId`]. The macro sees
//! tokens, not types: wherever C++ must spell a type, the tree holds a [`SlotId`], which rustc's
//! inference fills. The macro builds the tree and analyses it.
//!
//! | file | what it has |
//! |---|---|
//! | `body` | a body and the tables that ids point into: locals, captures, slots, sites |
//! | `expr`, `pattern`, `flow`, `collective`, `atomics` | the nodes of the tree |
//! | `memory` | how memory is borrowed and used |
//! | `walk` | the children of a node |
//! | `code`, `wire` | the code of a loop or function with what analyses have found in it, and as bytes |
//! | `effects`, `changes`, `jumps` | what evaluating an expression may do, whether it changes memory, and where control leaves |

pub mod atomics;
mod body;
mod changes;
pub mod code;
mod collective;
pub mod effects;
#[allow(missing_docs)] // The documentation of a variant is that of its fields.
mod expr;
#[allow(missing_docs)] // As in `expr`.
mod flow;
pub mod jumps;
mod memory;
#[allow(missing_docs)] // As in `expr`.
mod pattern;
mod walk;
pub mod wire;

pub use body::*;
pub use changes::*;
pub use collective::*;
pub use expr::*;
pub use flow::*;
pub use memory::*;
pub use pattern::*;

/// The user's tokens in a tree, of which most matter to rustc alone. The macro has all of them.
pub trait Tokens: Copy + Default + 'static {
    /// A place in the source.
    type Span: Copy;
    /// The name of a variable or of a method.
    type Name;
    /// The name or the number of a field.
    type Member;
    /// A path, such as that of a constant, a function or a struct.
    type Path;
    /// A type.
    type Type;
    /// The literal of a number.
    type Literal;
    /// The literal of a string.
    type Words;
    /// The length of an array.
    type Len;
    /// A `const` block.
    type Const;
    /// The label of a loop or block.
    type Label;
    /// A label that a jump names.
    type Lifetime;
    /// An attribute.
    type Attribute;
    /// Any other tokens.
    type Stream;
}
