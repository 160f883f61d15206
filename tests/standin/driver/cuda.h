// The types of cuda.h as far as they are in use. HIP's are the same under other names, and so are
// its numbers of errors. Handles are numbers here: nothing outside of this library may look behind
// them, and a number can be recognized as one that is no more.
#pragma once
#include <cstddef>
#include <cstdint>

#define API extern "C" __attribute__((visibility("default")))

enum CUresult : int {
#define RESULT(NUMBER, NAME, HIP, TEXT) CUDA_ERROR_##NAME = NUMBER,
#include "results.inc"
#undef RESULT
};
constexpr CUresult CUDA_SUCCESS = CUDA_ERROR_SUCCESS;

using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = uintptr_t;
using CUstream = uintptr_t;
using CUevent = uintptr_t;
using CUmodule = uintptr_t;
using CUfunction = uintptr_t;
using CUmemoryPool = uintptr_t;
using CUgraph = uintptr_t;
using CUgraphExec = uintptr_t;
using CUgraphNode = uintptr_t;

// Stream handles with a meaning of their own.
constexpr CUstream CU_STREAM_LEGACY = 1;
constexpr CUstream CU_STREAM_PER_THREAD = 2;
