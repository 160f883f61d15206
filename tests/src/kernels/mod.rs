//! One file a topic. [`all`] lists every kernel, so that none escapes the CUDA compiler.

pub mod arithmetic;
pub mod atomics;
pub mod benchmarks;
pub mod closures;
pub mod control;
pub mod endless;
pub mod enums;
pub mod functions;
pub mod graphs;
pub mod grids;
pub mod groups;
pub mod hostile;
pub mod independent;
pub mod indirect;
pub mod iteration;
pub mod language;
pub mod methods;
pub mod numeric;
pub mod order;
pub mod patterns;
pub mod ported;
pub mod prints;
pub mod ranges;
pub mod rows;
pub mod structs;

/// A kernel's name, the CUDA C++ it becomes, and its plan.
pub type Source = (&'static str, fn() -> String, fn() -> anabranch::Plan);

/// Every kernel of the test suites.
pub fn all() -> Vec<Source> {
    let mut all = [arithmetic::typed(), numeric::typed()].concat();
    for sources in [
        arithmetic::SOURCES,
        atomics::SOURCES,
        benchmarks::SOURCES,
        closures::SOURCES,
        control::SOURCES,
        endless::SOURCES,
        functions::SOURCES,
        graphs::SOURCES,
        grids::SOURCES,
        groups::SOURCES,
        hostile::SOURCES,
        independent::SOURCES,
        indirect::SOURCES,
        iteration::SOURCES,
        language::SOURCES,
        methods::SOURCES,
        numeric::SOURCES,
        order::SOURCES,
        patterns::SOURCES,
        ported::SOURCES,
        prints::SOURCES,
        ranges::SOURCES,
        rows::SOURCES,
        enums::SOURCES,
        structs::SOURCES,
    ] {
        all.extend(sources);
    }
    all
}

/// Lists kernels by name.
macro_rules! sources {
    ($($kernel:ident),* $(,)?) => {
        /// The kernels of this file.
        pub const SOURCES: &[crate::kernels::Source] = &[$((stringify!($kernel), $kernel::cuda_source, $kernel::plan)),*];
    };
}
pub(crate) use sources;
