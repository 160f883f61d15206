//! What only the stand-in for the driver can show (`standin/README.md`): which calls a launch
//! makes, that the host waits for none of them, what is left over, and what happens when a call
//! fails.
//!
//! `standin/run cargo test -p anabranch-tests --test standin`, and the same with `--hip`. Anywhere
//! else every test skips and says so.

mod calls;
mod campaign;
mod failures;
mod flat;
mod heap;
mod hold;
mod hooks;
mod library;
mod memory;
mod prepared;
mod threads;
