// A CUDA driver whose calls do nothing: what a program costs over it is its own work. Kernels do
// not run, memory has no content.
#include <sys/mman.h>

#include <cstring>

#include "../driver/cuda.h"

namespace {

constexpr size_t MEMORY = size_t{1} << 36;

thread_local CUcontext current;

CUresult made(uintptr_t* handle) {
    static uintptr_t last = 0x1000;
    *handle = last += 64;
    return CUDA_SUCCESS;
}

CUresult placed(CUdeviceptr* address, size_t bytes) {
    static CUdeviceptr next = 0x7f0000000000;
    *address = next;
    next += (bytes + 255) & ~size_t{255};
    return CUDA_SUCCESS;
}

}  // namespace

// A function that does nothing, for each pair of a name and its parameters.
#define NOTHING(NAME, ...) \
    API CUresult NAME(__VA_ARGS__) { return CUDA_SUCCESS; }
// A function that makes an object.
#define MAKES(NAME, ...) \
    API CUresult NAME(uintptr_t* made_handle, ##__VA_ARGS__) { return made(made_handle); }
// A function that writes a number.
#define GIVES(NAME, VALUE, TYPE, ...) \
    API CUresult NAME(TYPE* out, ##__VA_ARGS__) { return *out = VALUE, CUDA_SUCCESS; }

NOTHING(cuInit, unsigned)
GIVES(cuDeviceGetCount, 1, int)
GIVES(cuDriverGetVersion, 13000, int)
GIVES(cuDeviceGet, 0, CUdevice, int)
API CUresult cuDeviceGetName(char* name, int size, CUdevice) { return strncpy(name, "null", size), CUDA_SUCCESS; }
// 75 and 76: the compute capability.
API CUresult cuDeviceGetAttribute(int* out, int attribute, CUdevice) {
    return *out = attribute == 75 ? 9 : attribute == 76 ? 0 : 1, CUDA_SUCCESS;
}
GIVES(cuDevicePrimaryCtxRetain, 0x100, CUcontext, CUdevice)
NOTHING(cuDevicePrimaryCtxRelease_v2, CUdevice)
GIVES(cuCtxGetCurrent, current, CUcontext)
API CUresult cuCtxSetCurrent(CUcontext context) { return current = context, CUDA_SUCCESS; }
NOTHING(cuCtxSynchronize, void)
API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) { return *least = 0, *greatest = -5, CUDA_SUCCESS; }

MAKES(cuStreamCreateWithPriority, unsigned, int)
NOTHING(cuStreamDestroy_v2, CUstream)
API CUresult cuStreamGetPriority(CUstream, int* out) { return *out = 0, CUDA_SUCCESS; }
NOTHING(cuStreamSynchronize, CUstream)
NOTHING(cuStreamQuery, CUstream)
NOTHING(cuStreamWaitEvent, CUstream, CUevent, unsigned)
API CUresult cuStreamIsCapturing(CUstream, int* out) { return *out = 0, CUDA_SUCCESS; }
NOTHING(cuThreadExchangeStreamCaptureMode, int*)
MAKES(cuEventCreate, unsigned)
NOTHING(cuEventDestroy_v2, CUevent)
NOTHING(cuEventRecord, CUevent, CUstream)
NOTHING(cuEventSynchronize, CUevent)
NOTHING(cuEventQuery, CUevent)

MAKES(cuMemPoolCreate, const void*)
NOTHING(cuMemPoolSetAttribute, CUmemoryPool, int, void*)
NOTHING(cuMemPoolTrimTo, CUmemoryPool, size_t)
NOTHING(cuMemPoolDestroy, CUmemoryPool)
API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool, CUstream) { return placed(out, bytes); }
NOTHING(cuMemFreeAsync, CUdeviceptr, CUstream)
API CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) { return placed(out, bytes); }
NOTHING(cuMemFree_v2, CUdeviceptr)
API CUresult cuMemGetInfo_v2(size_t* free, size_t* total) { return *free = *total = MEMORY, CUDA_SUCCESS; }
API CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned) {
    *out = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return *out == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* host, unsigned) {
    return *out = reinterpret_cast<CUdeviceptr>(host), CUDA_SUCCESS;
}
NOTHING(cuMemFreeHost, void*)
NOTHING(cuMemcpyHtoDAsync_v2, CUdeviceptr, const void*, size_t, CUstream)
API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr, size_t bytes, CUstream) { return memset(to, 0, bytes), CUDA_SUCCESS; }
NOTHING(cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr, size_t, CUstream)
NOTHING(cuMemsetD8Async, CUdeviceptr, unsigned char, size_t, CUstream)
NOTHING(cuMemsetD16Async, CUdeviceptr, unsigned short, size_t, CUstream)
NOTHING(cuMemsetD32Async, CUdeviceptr, unsigned, size_t, CUstream)

MAKES(cuModuleLoadData, const void*)
NOTHING(cuModuleUnload, CUmodule)
MAKES(cuModuleGetFunction, CUmodule, const char*)
NOTHING(cuFuncLoad, CUfunction)
GIVES(cuFuncGetAttribute, 0, int, int, CUfunction)
NOTHING(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**)

NOTHING(cuStreamBeginCapture_v2, CUstream, int)
API CUresult cuStreamEndCapture(CUstream, CUgraph* out) { return made(out); }
MAKES(cuGraphInstantiateWithFlags, CUgraph, unsigned long long)
NOTHING(cuGraphDestroy, CUgraph)
NOTHING(cuGraphLaunch, CUgraphExec, CUstream)
NOTHING(cuGraphExecDestroy, CUgraphExec)

API CUresult cuGetErrorName(CUresult, const char** out) { return *out = "none", CUDA_SUCCESS; }
API CUresult cuGetErrorString(CUresult, const char** out) { return *out = "none", CUDA_SUCCESS; }
