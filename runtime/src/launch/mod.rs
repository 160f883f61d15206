//! Launches: the host part of a kernel runs, and its work is prepared, ordered and recorded.
//!
//! | file | contents |
//! |---|---|
//! | `enqueue` | the steps that launches, copies, fills and graphs have in common |
//! | `host` | the host part: its loops and groups |
//! | `called` | kernels that a host part calls |
//! | `refusal` | arguments that a kernel of the library refuses, at the caller's line |
//! | `library` | the body of a library kernel |
//! | `scratch` | memory for what a statement computes on the way |
//! | `slices` | structs of slices |
//! | `views`, `lent` | the views of buffers in a host part, and those that it lends to the kernels that it calls |

pub(crate) mod called;
pub(crate) mod enqueue;
pub(crate) mod host;
pub(crate) mod lent;
pub(crate) mod library;
pub(crate) mod refusal;
pub(crate) mod scratch;
pub(crate) mod slices;
pub(crate) mod views;
