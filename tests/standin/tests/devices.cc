// Two devices: copies between them, access to each other's memory, and the order across them.
#include "api.h"

#define TWO(NAME) TEST_WITH(NAME, nullptr, "STANDIN_DEVICES=2")
#define TWO_REPORT(NAME, REPORT) TEST_WITH(NAME, REPORT, "STANDIN_DEVICES=2")

namespace {

// What one device has here. Its context is current after `use`.
struct Device {
    CUcontext context;
    CUstream s;
    CUdeviceptr x;

    explicit Device(int number) {
        OK(cuDevicePrimaryCtxRetain(&context, number));
        use();
        s = stream();
        x = memory(16);
    }
    void use() const { OK(cuCtxSetCurrent(context)); }
};

void order_across(const Device& earlier, const Device& later) {
    earlier.use();
    const CUevent between = event();
    OK(cuEventRecord(between, earlier.s));
    later.use();
    OK(cuStreamWaitEvent(later.s, between, 0));
    OK(cuEventDestroy_v2(between));
}

}  // namespace

TWO(a_copy_goes_to_another_device) {
    const Device a(0), b(1);
    a.use();
    set(a.x, 7, 4, a.s);
    order_across(a, b);
    OK(cuMemcpyPeerAsync(b.x, b.context, a.x, a.context, 16, b.s));
    OK(cuStreamSynchronize(b.s));
    unsigned values[4];
    OK(cuMemcpyDtoH_v2(values, b.x, 16));
    EQUAL(values[3], 7u);
}

TWO_REPORT(unordered_work_of_two_devices_is_reported, "nothing orders the two") {
    const Device a(0), b(1);
    a.use();
    set(a.x, 7, 4, a.s);
    b.use();
    OK(cuMemcpyPeerAsync(b.x, b.context, a.x, a.context, 16, b.s));
}

TWO_REPORT(memory_of_another_device_needs_access, "which device 1 has no access to") {
    const Device a(0), b(1);
    b.use();
    cuMemcpyDtoDAsync_v2(b.x, a.x, 16, b.s);
}

TWO(access_can_be_given) {
    const Device a(0), b(1);
    int can = 0;
    OK(cuDeviceCanAccessPeer(&can, 1, 0));
    EQUAL(can, 1);
    b.use();
    OK(cuCtxEnablePeerAccess(a.context, 0));
    EQUAL(cuCtxEnablePeerAccess(a.context, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    OK(cuMemcpyDtoDAsync_v2(b.x, a.x, 16, b.s));
}

TWO_REPORT(access_between_contexts_does_not_open_a_pool, "which device 1 has no access to") {
    const Device a(0), b(1);
    b.use();
    OK(cuCtxEnablePeerAccess(a.context, 0));
    a.use();
    CUdeviceptr of_a_pool;
    OK(cuMemAllocAsync(&of_a_pool, 16, a.s));
    order_across(a, b);
    cuMemcpyDtoDAsync_v2(b.x, of_a_pool, 16, b.s);
}

TWO_REPORT(the_contexts_of_a_copy_are_those_of_the_memory, "not of device 0") {
    const Device a(0), b(1);
    cuMemcpyPeerAsync(b.x, a.context, a.x, b.context, 16, b.s);
}

TEST(a_device_is_no_peer_of_itself) {
    int can = 1;
    OK(cuDeviceCanAccessPeer(&can, 0, 0));
    EQUAL(can, 0);
    EQUAL(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_ERROR_INVALID_DEVICE);
}
