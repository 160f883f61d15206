//! Sizes that both sides must agree on.

/// Symbols that the launch can compute with in one loop: loop variables, host values, and intermediate results. Beyond that the
/// device checks every access, and the launch refuses what may race.
pub const MAX_SYMBOLS: usize = 64;

/// Threads of a block, on every device that CUDA supports.
pub const MAX_BLOCK_THREADS: u32 = 1024;

/// Steps of a loop in each other that the launch follows: more could need more stack than a thread has. A loop with more is one with
/// too many symbols.
pub const MAX_NESTING: usize = 256;
