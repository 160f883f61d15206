// The whole prelude. Each part comes after the parts that it needs.
concat!(
    include_str!("base.cuh"),
    include_str!("halves.cuh"),
    include_str!("print.cuh"),
    include_str!("aggregates.cuh"),
    include_str!("operators.cuh"),
    include_str!("conversions.cuh"),
    include_str!("floats.cuh"),
    include_str!("numbers.cuh"),
    include_str!("ints.cuh"),
    include_str!("overflow.cuh"),
    include_str!("atomics.cuh"),
    include_str!("collectives.cuh"),
    include_str!("warps.cuh"),
    include_str!("bytes.cuh"),
)
