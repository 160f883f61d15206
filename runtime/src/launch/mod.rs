//! A launch: the host part of a kernel runs, and what it launches is prepared, ordered and recorded.
//!
//! | file | what it knows |
//! |---|---|
//! | `enqueue` | what all work of a stream has in common, launches, copies, fills and graphs |
//! | `host` | the host part: its loops and groups |
//! | `views` | buffers as a host part sees them |

pub(crate) mod enqueue;
pub(crate) mod host;
pub(crate) mod views;
