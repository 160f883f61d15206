//! Families of programs, and how slow each may become before `--gate` fails.

/// What the speed of a program depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    /// Memory: each element is read or written about once.
    Memory,
    /// Windows over neighbours, and matrices by tiles.
    Windows,
    /// Iterations with long loops in them: on the CPU they run in SIMD lanes.
    LongLoops,
    /// Long loops that call functions which take slices: they run one by one.
    Slices,
    /// Formulas, and rows of different lengths.
    Formulas,
    /// Structs, enums and traits of the user's own.
    OwnTypes,
    /// Sums.
    Reductions,
    /// Scans and histograms.
    Algorithms,
    /// Sorting.
    Sorting,
    /// Atomics, compared with counting without them.
    Atomics,
    /// The cost of a launch with almost no work.
    Launches,
    /// Launches of a graph, compared with launches of its kernels.
    Replays,
}

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// The kernel's time divided by that of the hand-written code.
    Ratio,
    /// The time of a call.
    Nanoseconds,
}

impl Family {
    pub(crate) const ALL: [Self; 12] = [
        Self::Memory,
        Self::Windows,
        Self::LongLoops,
        Self::Slices,
        Self::Formulas,
        Self::OwnTypes,
        Self::Reductions,
        Self::Algorithms,
        Self::Sorting,
        Self::Atomics,
        Self::Launches,
        Self::Replays,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Memory => "Memory",
            Self::Windows => "Windows and tiles",
            Self::LongLoops => "Long loops",
            Self::Slices => "Functions of slices",
            Self::Formulas => "Formulas",
            Self::OwnTypes => "User types",
            Self::Reductions => "Reductions",
            Self::Algorithms => "Scans and histograms",
            Self::Sorting => "Sorting",
            Self::Atomics => "Atomics",
            Self::Launches => "Launches",
            Self::Replays => "Replays of a graph",
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Launches => Unit::Nanoseconds,
            Self::Memory
            | Self::Windows
            | Self::LongLoops
            | Self::Slices
            | Self::Formulas
            | Self::OwnTypes
            | Self::Reductions
            | Self::Algorithms
            | Self::Sorting
            | Self::Atomics
            | Self::Replays => Unit::Ratio,
        }
    }

    /// The limit of `--gate` on the CPU device: about twice the worst program of the family, as
    /// measured with two processors. It finds large regressions, such as a loop that is no longer
    /// vectorized, but not small ones, because the machines of CI are noisy.
    pub(crate) fn limit(self) -> f64 {
        match self {
            Self::Memory => 2.5,
            Self::Windows => 1.5,
            // Those whose lanes are lost come to 1.
            Self::LongLoops => 0.75,
            Self::Slices => 2.0,
            Self::Formulas => 2.0,
            Self::OwnTypes => 2.0,
            Self::Reductions => 2.5,
            Self::Algorithms => 3.5,
            Self::Sorting => 1.5,
            // Ratios from 5 to 199 occur, depending on how the cores share a cache line.
            Self::Atomics => 600.0,
            Self::Launches => 2000.0,
            Self::Replays => 1.5,
        }
    }
}
