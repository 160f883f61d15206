//! The reference of the language, by topic.
//!
//! | part | contents |
//! |---|---|
//! | [`#[kernel]`](macro@kernel), [`#[device]`](macro@device) | the attributes: parameters, launchers, device functions, closures |
//! | [`host_part`] | ordinary Rust around the loops: `par`, grids, double buffering, reductions and scans, calls of kernels and libraries |
//! | [`races`] | how races are decided, atomics, where bounds are checked |
//! | [`groups`] | `stream_parallel!` |
//! | [`blocks`] | blocks of threads: phases, shared memory, collectives |
//! | [`language`] | device code: statements, expressions, patterns, iterators, generics |
//! | [`types`] | structs, enums, methods, operators and traits of your own |
//! | [`meaning`] | semantics, printing, panics |
//! | [`methods`] | the methods of numbers in device code |
//! | [`buffers`] | what buffers can do, beside std, ndarray, cudarc and wgpu |
//! | [`environment`] | requirements and environment variables |
//! | [`limits`] | what this version cannot do |
//! | [`errors`] | each compile error by its code |
//!
//! The [guide](https://github.com/anabranch/anabranch/blob/main/docs/guide/src/SUMMARY.md) introduces all of this step by step.

// The pages name the items of the crate without their paths.
#[expect(unused_imports, reason = "rustdoc resolves the links of the pages here")]
use crate::*;

#[doc = include_str!("host_part.md")]
#[doc(alias("gridDim", "blockDim", "launch configuration"))]
#[doc(alias("cudaLaunchKernel", "cuLaunchKernel", "cuBLAS"))]
#[doc(alias("cub::DeviceReduce", "cub::DeviceScan", "thrust::reduce"))]
#[doc(alias("prefix sum", "double buffering", "grid stride loop", "MPI"))]
#[doc(alias("NCCL"))]
pub mod host_part {}

#[doc = include_str!("races.md")]
#[doc(alias("atomicAdd", "atomicCAS", "atomicMax", "atomicMin"))]
#[doc(alias("atomicExch", "data race", "racecheck", "bounds check"))]
pub mod races {}

#[doc = include_str!("groups.md")]
#[doc(alias("stream_parallel", "concurrent kernels", "fork", "join"))]
#[doc(alias("cudaStreamWaitEvent"))]
pub mod groups {}

#[doc = include_str!("blocks.md")]
#[doc(alias("threadIdx", "blockIdx", "__shared__", "shared memory"))]
#[doc(alias("__syncthreads", "syncthreads", "barrier", "warp shuffle"))]
#[doc(alias("__shfl_sync", "__shfl_down_sync", "__syncthreads_or"))]
#[doc(alias("__syncthreads_count", "cub::BlockReduce"))]
#[doc(alias("cooperative groups", "par_blocks", "thread block"))]
#[doc(alias("workgroup"))]
pub mod blocks {}

#[doc = include_str!("language.md")]
#[doc(alias("__constant__", "supported Rust"))]
pub mod language {}

#[doc = include_str!("types.md")]
#[doc(alias("float3", "float4", "operator overloading"))]
pub mod types {}

#[doc = include_str!("meaning.md")]
#[doc(alias("printf", "assert", "__trap", "fma", "fast math"))]
#[doc(alias("integer overflow"))]
pub mod meaning {}

#[doc = include_str!("environment.md")]
#[doc(alias("ANABRANCH_DEVICE", "ANABRANCH_CPU", "ANABRANCH_LANES"))]
#[doc(alias("ANABRANCH_NVRTC", "ANABRANCH_CACHE_DIR"))]
#[doc(alias("ANABRANCH_MAX_STREAMS", "ANABRANCH_FAILED_CHECK", "ANABRANCH_DEBUG"))]
#[doc(alias("ANABRANCH_CONTRACT", "fmad", "fma", "ffp-contract"))]
#[doc(alias("ANABRANCH_PRINT_BUFFER", "ANABRANCH_TRACE", "CUDA_VISIBLE_DEVICES", "NVRTC"))]
pub mod environment {}

#[doc = include_str!("limits.md")]
pub mod limits {}

// Not as tests: those of ui-tests compile the programs, most of which are wrong.
#[cfg_attr(not(doctest), doc = include_str!("errors.md"))]
#[doc(alias("AB0101", "AB0102", "AB0103", "AB0104", "AB0105", "AB0106"))]
#[doc(alias("AB0107", "AB0108", "AB0109", "AB0110", "AB0111", "AB0112"))]
#[doc(alias("AB0113", "AB0114", "AB0115", "AB0116", "AB0117", "AB0118"))]
#[doc(alias("AB0119", "AB0201", "AB0202", "AB0203", "AB0204", "AB0205"))]
#[doc(alias("AB0206", "AB0207", "AB0208", "AB0209", "AB0210", "AB0211"))]
#[doc(alias("AB0212", "AB0213", "AB0214", "AB0215", "AB0216", "AB0217"))]
#[doc(alias("AB0301", "AB0302", "AB0303", "AB0304", "AB0305", "AB0311"))]
#[doc(alias("AB0312", "AB0313", "AB0314", "AB0315", "AB0316", "AB0317"))]
#[doc(alias("AB0401", "AB0402", "AB0403", "AB0404", "AB0405", "AB0406"))]
#[doc(alias("AB0407", "AB0408", "AB0409", "AB0410", "AB0411", "AB0412"))]
#[doc(alias("AB0413", "AB0414", "AB0415", "AB0416", "AB0417", "AB0418"))]
#[doc(alias("AB0419", "AB0501", "AB0502", "AB0503", "AB0504", "AB0505"))]
#[doc(alias("AB0506", "AB0507", "AB0511", "AB0512", "AB0513", "AB0514"))]
#[doc(alias("AB0515", "AB0601", "AB0602", "AB0603", "AB0604", "AB0605"))]
#[doc(alias("AB0606", "AB0608", "AB0609"))]
pub mod errors {}
