//! Device code to C++, with the types that rustc inferred.
//!
//! The emitter writes one function for one program. [`Inferred`] provides what is not in the tree:
//! types, constants and called functions. [`Form`] says which program it is. CUDA C++ and HIP C++
//! are the same text; a header gives HIP the names of CUDA.
//!
//! Where Rust and C++ differ, and where each difference is handled:
//!
//! | Rust | C++ | handled in |
//! |---|---|---|
//! | types are inferred | types are written | [`Inferred::ty`]; `auto` only for temporaries of exact type |
//! | ints wrap (device code means release mode) | signed overflow is undefined, small ints promote | `ops`: the native operator only where it means the same |
//! | division by zero, indexes out of bounds fail | undefined or silent | `ops`, `place`: helpers of the prelude that report the site |
//! | a literal has the type that it needs | a literal has its own type | [`literal`] |
//! | operands from left to right | any order | `expr`: operands into temporaries by `ir::effects` |
//! | the value first, then the place | the same, since C++17 | `place`: plain assignment as it is, compound ones by temporaries |
//! | blocks, `if`, loops are expressions | statements | `writer`: lowering into a destination |
//! | a loop may never end | one without side effects is taken to end, and deleted with what it guards | `control`: `ab::may_not_end()` |
//! | `break 'label`, `continue 'label` | innermost loop only | `control`: `goto` to a label after the loop or at the end of its body |
//! | a failing check unwinds | no exceptions | prelude: record, `exit`, formally go on |
//! | shadowing, any Unicode name | one name a scope, keywords, ASCII | [`crate::names`] |
//!
//! | file | what it writes |
//! |---|---|
//! | `function`, `writer`, `control` | functions, statements, control flow |
//! | `phase`, `collectives` | blocks of threads: phases, steps of one thread, barriers, collectives |
//! | `expr`, `calls`, `ops`, `place`, `pattern` | values, calls, operations by their types, places, and what patterns test and bind |
//! | `narrow` | indexes in 32 bits, where the launch has shown that they fit |
//! | [`literal`], [`lines`] | literals, and `#line` directives |
//! | `form`, `inferred` | what the runtime says of a function, and what it gets |

mod calls;
mod collectives;
mod control;
mod expr;
mod form;
mod function;
mod inferred;
pub mod lines;
pub mod literal;
mod narrow;
mod ops;
mod pattern;
mod phase;
mod place;
mod writer;

pub use form::{Form, Proved, Uses, Version, Written};
pub use function::{device_function, index_function, index_slot, narrow_params, par_loop};
pub use inferred::{CalledFunction, Captured, Fields, Inferred, MISSING, Member, Question};

/// The nodes of the tree that is written.
mod nodes {
    use crate::ir::code::Bare;
    pub(super) use crate::ir::{
        Access, AssignOp, Borrow, CaptureId, CaptureKind, ElementOf, ExprId, LocalId, LocalKind, LoopId, Measure,
        Phase, Receiver, SiteId, SlotId, Space, changes_memory,
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
