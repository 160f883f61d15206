// Memory: bounds, life, order.
#include <cstring>

#include "api.h"

TEST(copies_and_fills) {
    const CUstream s = stream();
    const CUdeviceptr x = memory(48), y = memory(48);
    const unsigned in[] = {1, 2, 3, 4};
    unsigned out[4] = {};
    OK(cuMemcpyHtoDAsync_v2(x, in, 16, s));
    OK(cuMemcpyDtoDAsync_v2(y, x, 16, s));
    OK(cuMemsetD8Async(y + 4, 0xff, 4, s));
    OK(cuMemcpyDtoHAsync_v2(out, y, 16, s));
    OK(cuStreamSynchronize(s));
    const unsigned expected[] = {1, 0xffffffff, 3, 4};
    EQUAL(memcmp(out, expected, 16), 0);
    set(x, 0, 12, s);
    OK(cuMemsetD2D32Async(x, 12, 5, 1, 4, s));
    OK(cuStreamSynchronize(s));
    EQUAL(words(x, 12)[9], 5u);
    EQUAL(words(x, 12)[10], 0u);
}

TEST(nothing_is_copied_for_nothing) {
    OK(cuMemsetD8Async(memory(4), 0, 0, stream()));
    OK(cuMemcpyDtoDAsync_v2(memory(4), memory(4), 0, stream()));
}

TEST(sizes_that_cannot_be) {
    CUdeviceptr x;
    size_t free, total, later;
    EQUAL(cuMemAlloc_v2(&x, 0), CUDA_ERROR_INVALID_VALUE);
    EQUAL(cuMemAllocAsync(&x, 0, stream()), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetInfo_v2(&free, &total));
    EQUAL(cuMemAlloc_v2(&x, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
    EQUAL(cuMemAlloc_v2(&x, ~size_t{0}), CUDA_ERROR_OUT_OF_MEMORY);
    memory(1 << 20);
    OK(cuMemGetInfo_v2(&later, &total));
    EQUAL(free - later, size_t{1} << 20);
}

TEST(new_memory_is_not_zero) { CHECK(words(memory(4000), 1000)[999] != 0); }

TEST(addresses_are_aligned) {
    for (size_t bytes : {1, 13, 255, 256, 257, 4096, 5000}) EQUAL(memory(bytes) % 256, 0u);
}

TEST(an_address_says_whose_it_is) {
    const CUdeviceptr x = memory(48);
    int type = 0, device = -1;
    OK(cuPointerGetAttribute(&type, 2, x + 47));
    OK(cuPointerGetAttribute(&device, 9, x + 47));
    EQUAL(type, 2);
    EQUAL(device, 0);
    void* host;
    OK(cuMemHostAlloc(&host, 16, 0));
    OK(cuPointerGetAttribute(&type, 2, reinterpret_cast<CUdeviceptr>(host)));
    EQUAL(type, 1);
    OK(cuMemFreeHost(host));
    EQUAL(cuPointerGetAttribute(&type, 2, x + 48), CUDA_ERROR_INVALID_VALUE);
    EQUAL(cuPointerGetAttribute(&type, 2, reinterpret_cast<CUdeviceptr>(&type)), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_copy_ends_in_its_block, "the target, 8 bytes") {
    const unsigned in[2] = {};
    EQUAL(cuMemcpyHtoDAsync_v2(memory(12) + 8, in, 8, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_copy_begins_in_a_block, "is no address of the device") {
    unsigned out[2];
    EQUAL(cuMemcpyDtoHAsync_v2(out, 0x1000, 8, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_fill_ends_in_its_block, "the target, 16 bytes") {
    EQUAL(cuMemsetD32Async(memory(15), 0, 4, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_fill_is_aligned, "not a multiple of the element's 4 bytes") {
    EQUAL(cuMemsetD32Async(memory(16) + 2, 0, 1, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_copy_does_not_overlap_itself, "overlap") {
    const CUdeviceptr x = memory(16);
    EQUAL(cuMemcpyDtoDAsync_v2(x, x + 4, 8, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_host_address_is_no_device_address, "is no address of the device") {
    static unsigned here[4];
    EQUAL(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(here), 0, 4, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(freed_memory_is_not_used, "was freed") {
    const CUdeviceptr x = memory(16);
    OK(cuMemFree_v2(x));
    EQUAL(cuMemsetD32Async(x, 0, 4, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(memory_is_freed_once, "was freed before") {
    const CUdeviceptr x = memory(16);
    OK(cuMemFree_v2(x));
    EQUAL(cuMemFree_v2(x), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_part_of_a_block_is_not_freed, "is no block of this kind") {
    EQUAL(cuMemFree_v2(memory(16) + 4), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(memory_in_use_is_not_freed, "nobody has waited for `cuMemsetD32Async`") {
    const CUdeviceptr x = memory(16);
    set(x, 1, 4, stream());
    OK(cuMemFree_v2(x));
}

TEST(memory_in_the_order_of_a_stream) {
    const CUstream a = stream(), b = stream();
    CUdeviceptr x;
    OK(cuMemAllocAsync(&x, 400, a));
    set(x, 1, 100, a);
    order(a, b);
    set(x, 2, 100, b);
    OK(cuMemFreeAsync(x, b));
    OK(cuCtxSynchronize());
    EQUAL(standin_live("device block"), 0u);
}

REPORTS(memory_is_used_after_its_allocation, "while `cuMemAllocAsync` on stream") {
    CUdeviceptr x;
    OK(cuMemAllocAsync(&x, 400, stream()));
    const CUstream other = stream();
    standin_hold(1);
    set(x, 1, 100, other);
    _Exit(86);  // what would happen next is the next test
}

// Without the report of what is unordered, the access itself fails: the allocation comes behind a
// long kernel.
TEST_WITH(memory_before_its_allocation_is_not_there, "in the not yet allocated block", "STANDIN_NO_RACES=1") {
    CUdeviceptr x;
    const CUstream a = stream(), b = stream();
    const CUfunction slow = kernel(R"(extern "C" __global__ void k(unsigned* x) {
        volatile unsigned i = 0;
        while (i < 300000000) i = i + 1;
        *x = i;
    })");
    launch(slow, a, 1, 1, memory(4));
    OK(cuMemAllocAsync(&x, 400, a));
    set(x, 1, 100, b);
    OK(cuCtxSynchronize());
}

REPORTS(memory_is_freed_after_its_uses, "`cuMemFreeAsync` on stream") {
    CUdeviceptr x;
    const CUstream a = stream();
    OK(cuMemAllocAsync(&x, 400, a));
    set(x, 1, 100, a);
    OK(cuMemFreeAsync(x, stream()));
}

REPORTS(memory_is_not_used_after_an_ordered_free, "was freed") {
    CUdeviceptr x;
    const CUstream a = stream();
    OK(cuMemAllocAsync(&x, 400, a));
    OK(cuMemFreeAsync(x, a));
    EQUAL(cuMemsetD32Async(x, 0, 4, a), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(only_what_was_allocated_in_order_is_freed_in_order, "is no block of this kind") {
    EQUAL(cuMemFreeAsync(memory(4), stream()), CUDA_ERROR_INVALID_VALUE);
}

TEST(host_memory_that_the_device_writes) {
    void* host;
    CUdeviceptr address;
    OK(cuMemHostAlloc(&host, 64, 3));
    OK(cuMemHostGetDevicePointer_v2(&address, host, 0));
    set(address, 42, 16, 0);
    OK(cuCtxSynchronize());
    EQUAL(static_cast<unsigned*>(host)[15], 42u);
    OK(cuMemFreeHost(host));
}

REPORTS(host_memory_has_bounds_too, "the target, 72 bytes") {
    void* host;
    OK(cuMemHostAlloc(&host, 64, 3));
    EQUAL(cuMemcpyDtoHAsync_v2(host, memory(72), 72, stream()), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_context_frees_all_memory, "live at the end of the context of device 0: 1 blocks of memory") {
    memory(4);
    OK(cuDevicePrimaryCtxRelease_v2(0));
}

namespace {

CUmemoryPool pool(uint64_t threshold) {
    const int properties[22] = {1, 0, 1, 0};  // pinned, no handles, of device 0
    CUmemoryPool made;
    OK(cuMemPoolCreate(&made, properties));
    OK(cuMemPoolSetAttribute(made, 4, &threshold));
    return made;
}

CUdeviceptr allocate(CUmemoryPool from, size_t mib, CUstream on) {
    CUdeviceptr address;
    OK(cuMemAllocFromPoolAsync(&address, mib << 20, from, on));
    return address;
}

size_t free_mib() {
    size_t free, total;
    OK(cuMemGetInfo_v2(&free, &total));
    return free >> 20;
}

}  // namespace

TEST_WITH(a_pool_keeps_what_its_threshold_says, nullptr, "STANDIN_MEMORY=16") {
    const CUstream s = stream();
    const CUmemoryPool keeps = pool(~0ull), gives = pool(0);
    OK(cuMemFreeAsync(allocate(keeps, 4, s), s));
    OK(cuMemFreeAsync(allocate(gives, 4, s), s));
    EQUAL(free_mib(), 8u);
    OK(cuStreamSynchronize(s));
    EQUAL(free_mib(), 12u);
    standin_reset_calls();
    const CUdeviceptr again = allocate(keeps, 3, s), more = allocate(gives, 3, s);
    EQUAL(standin_costs("mapping"), 1u);
    OK(cuMemFreeAsync(again, s));
    OK(cuMemFreeAsync(more, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemPoolTrimTo(keeps, 1 << 20));
    EQUAL(free_mib(), 15u);
    OK(cuMemPoolDestroy(keeps));
    EQUAL(free_mib(), 16u);
    EQUAL(cuMemPoolTrimTo(gives, 0), CUDA_SUCCESS);
}

TEST_WITH(what_waits_to_be_free_is_of_use_in_its_order_only, nullptr, "STANDIN_MEMORY=16") {
    const CUstream one = stream(), two = stream();
    const CUmemoryPool from = pool(~0ull);
    CUdeviceptr x = allocate(from, 10, one), y;
    standin_hold(1);
    OK(cuMemFreeAsync(x, one));
    EQUAL(cuMemAllocFromPoolAsync(&y, 10 << 20, from, two), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemPoolTrimTo(from, 0));
    EQUAL(cuMemAlloc_v2(&y, 10 << 20), CUDA_ERROR_OUT_OF_MEMORY);
    x = allocate(from, 10, one);
    OK(cuMemFreeAsync(x, one));
    order(one, two);
    OK(cuMemFreeAsync(allocate(from, 10, two), two));
    standin_hold(0);
    OK(cuCtxSynchronize());
    OK(cuMemFreeAsync(allocate(from, 10, two), two));
}

TEST_WITH(pieces_are_not_joined, nullptr, "STANDIN_MEMORY=16") {
    const CUstream s = stream();
    const CUmemoryPool from = pool(~0ull);
    CUdeviceptr x = allocate(from, 6, s), y = allocate(from, 6, s);
    OK(cuMemFreeAsync(x, s));
    OK(cuMemFreeAsync(y, s));
    OK(cuStreamSynchronize(s));
    EQUAL(cuMemAllocFromPoolAsync(&x, 12 << 20, from, s), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemPoolTrimTo(from, 0));
    OK(cuMemFreeAsync(allocate(from, 12, s), s));
}

REPORTS(a_pool_is_destroyed_once, "has been destroyed") {
    const CUmemoryPool made = pool(0);
    OK(cuMemPoolDestroy(made));
    EQUAL(cuMemPoolDestroy(made), CUDA_ERROR_INVALID_HANDLE);
}

TEST(calls_that_may_wait_are_counted) {
    standin_reset_calls();
    void* host;
    OK(cuMemFree_v2(memory(16)));
    OK(cuMemHostAlloc(&host, 16, 0));
    OK(cuMemFreeHost(host));
    EQUAL(standin_costs("synchronization"), 4u);
    allocate(pool(0), 1, stream());
    EQUAL(standin_costs("synchronization"), 4u);
}
