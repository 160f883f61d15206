//! `ANABRANCH_DEBUG`: what machine code says about the source, for profilers and debuggers.

/// What a compiler adds to the machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DebugInfo {
    /// Nothing.
    None,
    /// The line of the source of each instruction. The instructions are the same.
    Lines,
    /// All that a debugger needs, without optimization.
    Full,
}

impl DebugInfo {
    /// Debug builds have lines. This asks how this crate is built: the profile of a program is that
    /// of all its crates, and one setting holds for all kernels of the process.
    pub(super) const DEFAULT: Self = if cfg!(debug_assertions) { Self::Lines } else { Self::None };

    /// The value with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "line" => Some(Self::Lines),
            "full" => Some(Self::Full),
            _ => None,
        }
    }

    /// Whether the source that is compiled names the lines that it comes from.
    pub(super) fn has_lines(self) -> bool {
        self != Self::None
    }
}
