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
//! | [`errors`] | where each compile error is explained |
//!
//! The [guide](https://github.com/anabranch/anabranch/blob/main/docs/guide/src/SUMMARY.md)
//! introduces all of this step by step.

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

/// Each error of `#[kernel]` and `#[device]` begins with a code, such as `AB0605`. The repository
/// has a [page for each
/// code](https://github.com/anabranch/anabranch/blob/main/docs/errors/README.md): a program with
/// the error, the compiler's message, the reason, and what to write instead. Errors of rustc have
/// rustc's own codes, such as E0277.
pub mod errors {}
