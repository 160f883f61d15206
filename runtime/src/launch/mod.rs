//! Launches: the host part of a kernel runs, and its work is prepared, ordered and recorded.
//!
//! | file | contents |
//! |---|---|
//! | `enqueue` | the steps that launches, copies, fills and graphs have in common |
//! | `host` | the host part: its loops and groups |
//! | `views` | the views of buffers in a host part |

pub(crate) mod enqueue;
pub(crate) mod host;
pub(crate) mod views;
