// Memory, copies and fills.

#include "hip.h"

namespace standin {

SAME(hipMalloc, (CUdeviceptr* address, size_t bytes), cuMemAlloc_v2(address, bytes))
SAME(hipFree, (CUdeviceptr address), cuMemFree_v2(address))
SAME(hipMemGetInfo, (size_t* free, size_t* total), cuMemGetInfo_v2(free, total))
SAME(hipPointerGetAttribute, (void* out, int attribute, CUdeviceptr address), cuPointerGetAttribute(out, attribute, address))

MEANS(hipHostMalloc, cuMemHostAlloc)
// Memory that is mapped must be coherent, or what one side writes may not reach the other before
// the kernel ends.
API int hipHostMalloc(void** memory, size_t bytes, unsigned flags) {
    constexpr unsigned PORTABLE = 1, MAPPED = 2, COHERENT = 0x40000000;
    const HipCall hip("hipHostMalloc");
    const Doing doing(hip.name);
    if ((flags & ~(PORTABLE | MAPPED | COHERENT)) != 0) misuse("flags %#x are not modelled", flags);
    if ((flags & MAPPED) && !(flags & COHERENT)) misuse("the memory is mapped, but not coherent");
    return cuMemHostAlloc(memory, bytes, flags & (PORTABLE | MAPPED));
}

SAME(hipHostFree, (void* memory), cuMemFreeHost(memory))
SAME(hipHostGetDevicePointer, (CUdeviceptr* address, void* memory, unsigned flags), cuMemHostGetDevicePointer_v2(address, memory, flags))

SAME(hipMemcpyHtoDAsync, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream), cuMemcpyHtoDAsync_v2(to, from, bytes, stream))
SAME(hipMemcpyDtoHAsync, (void* to, CUdeviceptr from, size_t bytes, CUstream stream), cuMemcpyDtoHAsync_v2(to, from, bytes, stream))
SAME(hipMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), cuMemcpyDtoDAsync_v2(to, from, bytes, stream))
SAME(hipMemcpyPeerAsync, (CUdeviceptr to, int to_device, CUdeviceptr from, int from_device, size_t bytes, CUstream stream),
     cuMemcpyPeerAsync(to, context_handle(to_device), from, context_handle(from_device), bytes, stream))

SAME(hipMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream), cuMemsetD8Async(to, value, count, stream))
SAME(hipMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream), cuMemsetD16Async(to, value, count, stream))
SAME(hipMemsetD32Async, (CUdeviceptr to, int value, size_t count, CUstream stream),
     cuMemsetD32Async(to, static_cast<unsigned>(value), count, stream))
// Bytes in rows. There is no such function for words.
SAME(hipMemset2DAsync, (CUdeviceptr to, size_t pitch, int value, size_t width, size_t height, CUstream stream),
     cuMemsetD2D8Async(to, pitch, static_cast<unsigned char>(value), width, height, stream))

}  // namespace standin
