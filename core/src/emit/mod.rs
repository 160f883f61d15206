//! Device code to CUDA C++, as text with holes that the runtime fills with what rustc inferred.
//!
//! Where Rust and C++ differ, and where each difference is handled:
//!
//! | Rust | C++ | handled in |
//! |---|---|---|
//! | types are inferred | types are written | [`Node::Type`]: a hole; `auto` only for temporaries of exact type |
//! | ints wrap (device code means release mode) | signed overflow is undefined, small ints promote | [`Node::Binary`]: the fill spells the operation by type |
//! | operands from left to right | any order | `expr`: operands into temporaries by `analysis::effects` |
//! | the value first, then the place | the same, since C++17 | `expr`: plain assignment as it is, compound ones by temporaries |
//! | blocks, `if`, loops are expressions | statements | `writer`: lowering into a destination |
//! | a loop may never end | one without side effects is taken to end, and deleted with what it guards | `control`: `ab::may_not_end()` |
//! | `break 'label`, `continue 'label` | innermost loop only | `writer`: `goto` to a label after the loop or at the end of its body |
//! | a failing check unwinds | no exceptions | prelude: record, `exit`, formally go on |
//! | shadowing, any Unicode name | one name a scope, keywords, ASCII | [`crate::names`] |
//!
//! | file | what it writes |
//! |---|---|
//! | `function`, `writer`, `control` | functions, statements, control flow |
//! | `phase`, `collectives` | blocks of threads: phases, steps of one thread, barriers, collectives |
//! | `expr`, `calls`, `place`, `pattern` | values, calls, places, and what patterns test and bind |
//! | `text` | the template that all of them build |

mod calls;
mod collectives;
mod control;
mod expr;
mod function;
mod node;
mod pattern;
mod phase;
mod place;
mod text;
mod writer;

pub use function::{Function, device_function, par_loop};
pub use node::{Binary, Method, Node, Told};
pub use text::Text;

/// The nodes of the tree that is written.
mod nodes {
    use crate::ir::code::Bare;
    pub(super) use crate::ir::{
        Access, AssignOp, Borrow, CaptureId, CaptureKind, CollectiveOp, ElementOf, ExprId, LocalId, LocalKind, LoopId,
        Measure, Phase, SiteId, SlotId, Space, changes_memory,
    };
    pub(super) use crate::ops::BinOp;

    macro_rules! bare {
        ($($Node:ident)*) => { $( pub(in crate::emit) type $Node = crate::ir::$Node<Bare>; )* };
    }
    bare!(Adaptor Arm Block Body Callee Capture ClosureParam Collective Expr ExprKind Flow Format List Local LoopRange
        Message Pat PatKind Stmt);
    pub(super) type Part<'a> = crate::ir::Part<'a, Bare>;
    pub(super) type Shape<'a> = crate::ir::Shape<'a, Bare>;
}
