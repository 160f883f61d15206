//! The order of work: what waits for what, on every backend.
//!
//! | file | contents |
//! |---|---|
//! | `hazard` | which earlier uses of a block of memory a new use must wait for |
//! | `graph_lock` | the lock that launches and copies share, and that the launch of a graph holds alone |
//! | `users` | which graphs, and captures in progress, use a block |
//! | `sources` | panics of a device whose data has been copied to another |
//! | `reports`, `panic` | which threads get a panic of device code, and its message |

pub(crate) mod graph_lock;
pub(crate) mod hazard;
pub(crate) mod panic;
pub(crate) mod reports;
pub(crate) mod sources;
pub(crate) mod users;
