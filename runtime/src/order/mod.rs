//! What has to wait for what, whichever device runs it.
//!
//! | file | what it knows |
//! |---|---|
//! | `hazard` | which earlier uses of a block of memory a new use must wait for |
//! | `graph_lock` | launches and copies share a device, the launch of a graph has it alone |
//! | `users` | which graphs, and captures in progress, use a block |
//! | `reports` | which threads learn of a panic of device code |

pub(crate) mod graph_lock;
pub(crate) mod hazard;
pub(crate) mod reports;
pub(crate) mod users;
