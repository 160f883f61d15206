// Failures on order, the ledger, and what a lost context does.
#include "api.h"

TEST(the_call_that_was_asked_for_fails) {
    CUstream s;
    EQUAL(standin_fail("cuStreamCreate:2:OUT_OF_MEMORY,cuEventCreate:1+:CUDA_ERROR_UNKNOWN"), 0);
    OK(cuStreamCreate(&s, 1));
    EQUAL(cuStreamCreate(&s, 1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuStreamCreate(&s, 1));
    CUevent e;
    for (int i = 0; i < 3; i++) EQUAL(cuEventCreate(&e, 0), CUDA_ERROR_UNKNOWN);
    EQUAL(standin_fail(nullptr), 0);
    OK(cuEventCreate(&e, 0));
    EQUAL(standin_fail("cuEventCreate:0:2"), 1);
    EQUAL(standin_fail("cuEventCreate:1:NO_SUCH_ERROR"), 1);
}

TEST(calls_of_nvrtc_fail_too) {
    int major, minor;
    OK(nvrtcVersion(&major, &minor));
    EQUAL(standin_fail("nvrtcVersion:2:INTERNAL_ERROR,nvrtcVersion:3:1"), 0);
    OK(nvrtcVersion(&major, &minor));
    EQUAL(nvrtcVersion(&major, &minor), 11);
    EQUAL(nvrtcVersion(&major, &minor), 1);
    OK(nvrtcVersion(&major, &minor));
    EQUAL(standin_calls("nvrtcVersion"), 5u);
    EQUAL(standin_fail("nvrtcVersion:1:ILLEGAL_ADDRESS"), 1);
}

TEST_WITH(plans_come_from_the_environment, nullptr, "STANDIN_FAIL=cuStreamCreate:1:700") {
    CUstream s;
    EQUAL(cuStreamCreate(&s, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(an_error_sticks) {
    const CUstream s = stream();
    const CUevent e = event();
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, s);
    OK(cuStreamSynchronize(s));
    standin_fail("cuStreamQuery:1:ILLEGAL_ADDRESS");
    EQUAL(cuStreamQuery(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    EQUAL(cuStreamQuery(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    EQUAL(cuMemsetD32Async(x, 2, 1, s), CUDA_ERROR_ILLEGAL_ADDRESS);
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    // What is given back goes, whatever they say.
    EQUAL(cuStreamDestroy_v2(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    EQUAL(cuEventDestroy_v2(e), CUDA_ERROR_ILLEGAL_ADDRESS);
    EQUAL(cuMemFree_v2(x), CUDA_ERROR_ILLEGAL_ADDRESS);
    EQUAL(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_ILLEGAL_ADDRESS);
    // A fresh context works.
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    stream();
}

TEST(a_kernel_fails_later_than_its_launch) {
    const CUfunction f = kernel("extern \"C\" __global__ void k(unsigned* x) { *x = 1; }");
    const CUdeviceptr x = memory(4);
    const CUstream s = stream();
    EQUAL(standin_fail("kernel:2:OUT_OF_MEMORY"), 1);
    EQUAL(standin_fail("kernel:2:ILLEGAL_ADDRESS"), 0);
    standin_hold(1);
    launch(f, s, 1, 1, x);
    launch(f, s, 1, 1, x);
    launch(f, s, 1, 1, x);
    standin_hold(0);
    EQUAL(cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_failed_release_has_no_effect) {
    const CUstream s = stream();
    standin_fail("cuStreamDestroy:1:UNKNOWN");
    EQUAL(cuStreamDestroy_v2(s), CUDA_ERROR_UNKNOWN);
    EQUAL(standin_live("stream"), 1u);
    OK(cuStreamDestroy_v2(s));
    EQUAL(standin_live("stream"), 0u);
}

TEST(the_ledger_counts) {
    standin_reset_calls();
    const CUstream s = stream();
    for (int i = 0; i < 3; i++) order(s, s);
    EQUAL(standin_calls("cuEventCreate"), 3u);
    EQUAL(standin_calls("cuEventElapsedTime"), 0u);
    EQUAL(standin_calls(""), 1 + 3 * 4u);
    EQUAL(standin_live("event"), 0u);
    EQUAL(standin_live("stream"), 1u);
    char text[4096];
    CHECK(standin_ledger(text, sizeof text) < sizeof text);
    CHECK(std::string(text).find("\"event\":{\"made\":3,\"most\":1,\"live\":0}") != std::string::npos);
    standin_reset_calls();
    EQUAL(standin_calls(""), 0u);
}

REPORTS(the_host_does_not_wait_for_a_held_device, "the program waits while the device is held") {
    standin_hold(1);
    set(memory(4), 1, 1, 0);
    cuCtxSynchronize();
}

