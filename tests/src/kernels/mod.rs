//! One file a topic. [`all`] lists every kernel, so that none escapes the compilers for GPUs.

/// A kernel with a name, and its type arguments.
macro_rules! source {
    ($name:expr, $($kernel:ident)::+ $(, $($of:tt)+)?) => {
        $crate::kernels::Source {
            name: $name,
            cuda: $($kernel)::+::cuda_source $(::<$($of)+>)?,
            hip: $($kernel)::+::hip_source $(::<$($of)+>)?,
            plan: $($kernel)::+::plan $(::<$($of)+>)?,
        }
    };
}

pub mod algorithms;
pub mod arithmetic;
pub mod atomics;
pub mod barriers;
pub mod benchmarks;
pub mod block_atomics;
pub mod blocks;
pub mod called;
pub mod closures;
pub mod collectives;
pub mod comparisons;
pub mod control;
pub mod endless;
pub mod enums;
pub mod factored;
pub mod functions;
pub mod fused;
pub mod graphs;
pub mod grids;
pub mod groups;
pub mod halves;
pub mod hostile;
pub mod independent;
pub mod indexing;
pub mod indirect;
pub mod iteration;
pub mod known;
pub mod lane_functions;
pub mod lanes;
pub mod language;
pub mod library;
pub mod members;
pub mod methods;
pub mod newcomers;
pub mod numeric;
pub mod order;
pub mod outcomes;
pub mod own_types;
pub mod own_values;
pub mod parts;
pub mod passed;
pub mod patterns;
pub mod phases;
pub mod phases_in_lanes;
pub mod ported;
pub mod prints;
pub mod random;
pub mod ranges;
pub mod reductions;
pub mod rows;
pub mod scratch;
pub mod slices;
pub mod states;
pub mod structs;
pub mod summaries;
pub mod traits;
pub mod warps;

/// What a kernel becomes.
#[derive(Clone, Copy)]
pub struct Source {
    /// The name of the kernel.
    pub name: &'static str,
    /// Its CUDA C++.
    pub cuda: fn() -> String,
    /// Its HIP C++.
    pub hip: fn() -> String,
    /// Its plan.
    pub plan: fn() -> anabranch::Plan,
}

/// Every kernel of the test suites.
pub fn all() -> Vec<Source> {
    let mut all = [
        algorithms::typed(),
        arithmetic::typed(),
        block_atomics::typed(),
        called::typed(),
        collectives::typed(),
        halves::typed(),
        numeric::typed(),
        reductions::typed(),
        scratch::typed(),
        warps::typed(),
    ]
    .concat();
    for sources in [
        algorithms::SOURCES,
        arithmetic::SOURCES,
        atomics::SOURCES,
        barriers::SOURCES,
        benchmarks::SOURCES,
        block_atomics::SOURCES,
        blocks::SOURCES,
        called::SOURCES,
        closures::SOURCES,
        collectives::SOURCES,
        comparisons::SOURCES,
        control::SOURCES,
        endless::SOURCES,
        factored::SOURCES,
        functions::SOURCES,
        fused::SOURCES,
        graphs::SOURCES,
        grids::SOURCES,
        groups::SOURCES,
        halves::SOURCES,
        hostile::SOURCES,
        independent::SOURCES,
        indexing::SOURCES,
        indirect::SOURCES,
        iteration::SOURCES,
        known::SOURCES,
        lane_functions::SOURCES,
        lanes::SOURCES,
        language::SOURCES,
        members::SOURCES,
        newcomers::SOURCES,
        library::SOURCES,
        methods::SOURCES,
        numeric::SOURCES,
        order::SOURCES,
        outcomes::SOURCES,
        own_types::SOURCES,
        own_values::SOURCES,
        parts::SOURCES,
        passed::SOURCES,
        patterns::SOURCES,
        phases::SOURCES,
        phases_in_lanes::SOURCES,
        ported::SOURCES,
        prints::SOURCES,
        random::SOURCES,
        ranges::SOURCES,
        reductions::SOURCES,
        rows::SOURCES,
        scratch::SOURCES,
        enums::SOURCES,
        slices::SOURCES,
        states::SOURCES,
        structs::SOURCES,
        summaries::SOURCES,
        traits::SOURCES,
        warps::SOURCES,
    ] {
        all.extend(sources);
    }
    all
}

/// Each item for the device here, and as ordinary Rust in `plain`.
macro_rules! both {
    (use { $($use:tt)* } $([$attribute:ident] { $($item:tt)* })*) => {
        $(#[$attribute] #[allow(missing_docs)] $($item)*)*

        /// The same without a device.
        #[allow(clippy::needless_range_loop, clippy::ptr_arg, clippy::manual_clamp, clippy::needless_borrow, reason = "they read as the kernels do")]
        #[allow(missing_docs)]
        pub mod plain {
            use super::super::patterns::par::par;
            #[allow(unused_imports, reason = "not all of them have device functions")]
            use anabranch::prelude::*;
            $($use)*
            $($($item)*)*
        }
    };
}
pub(crate) use both;

/// Lists kernels by name.
macro_rules! sources {
    ($($kernel:ident $(::<$($of:ty),+>)?),* $(,)?) => {
        /// The kernels of this file.
        pub const SOURCES: &[crate::kernels::Source] =
            &[$(source!(stringify!($kernel), $kernel $(, $($of),+)?)),*];
    };
}
pub(crate) use sources;
