//! Sizes that both sides must agree on.

/// Atoms of one loop that the launch computes with: loop variables, host values and intermediate
/// results. If there are more, the device checks every access, and the launch decides races alone.
pub const MAX_ATOMS: usize = 64;

/// Dimensions of a grid.
pub const MOST_DIMS: usize = 3;

/// Threads of a block, on every device that CUDA supports.
pub const MAX_BLOCK_THREADS: u32 = 1024;

/// Threads of a warp, on every device.
pub const WARP: u32 = 32;

/// Steps of a loop in each other that the launch follows: more could need more stack than a thread
/// has. A loop with more counts as one with too many atoms.
pub const MAX_NESTING: usize = 128;

/// The most parts of a tuple that generated code makes of a list; a longer list is tuples in
/// tuples, whose depth stays far below the compiler's recursion limit.
pub const TUPLE_WIDTH: usize = 8;
