// Kernels: threads, barriers, what they must not do, and how they are compiled.
#include <cstring>

#include "api.h"

#define GLOBAL "extern \"C\" __global__ void "

TEST(every_thread_runs_once) {
    const CUfunction f = kernel(GLOBAL R"(k(unsigned* x) {
        const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        atomicAdd(&x[block * blockDim.x * blockDim.y * blockDim.z + thread], 1u);
    })");
    const size_t count = 3 * 2 * 4 * 2 * 3 * 2;
    CUdeviceptr x = memory(4 * count);
    set(x, 0, count, 0);
    void* parameters[] = {&x};
    OK(cuLaunchKernel(f, 2, 3, 2, 3, 2, 4, 0, 0, parameters, nullptr));
    for (const unsigned n : words(x, count)) EQUAL(n, 1u);
}

TEST(an_exit_ends_one_thread) {
    const CUfunction f = kernel(GLOBAL "k(unsigned* x) { x[threadIdx.x] = 1; if (threadIdx.x % 2) AB_EXIT; x[threadIdx.x] = 2; }");
    const CUdeviceptr x = memory(32);
    launch(f, 0, 1, 8, x);
    EQUAL(words(x, 8)[6], 2u);
    EQUAL(words(x, 8)[7], 1u);
}

// Of a module whose functions are loaded when they are first used.
static CUfunction lazy(const std::string& source) {
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, compile(source).image.data()));
    OK(cuModuleGetFunction(&function, module, "k"));
    standin_reset_calls();
    return function;
}

TEST(a_function_is_loaded_once) {
    const char* const source = GLOBAL "k() {}";
    int bytes;
    CUfunction f = lazy(source);
    OK(cuFuncLoad(f));
    EQUAL(standin_costs("synchronization"), 1u);
    launch(f, 0, 1, 1);
    OK(cuFuncGetAttribute(&bytes, 3, f));
    OK(cuFuncLoad(f));
    EQUAL(standin_costs("synchronization"), 1u);
    f = lazy(source);
    OK(cuFuncGetAttribute(&bytes, 3, f));
    launch(f, 0, 1, 1);
    EQUAL(standin_costs("synchronization"), 1u);
    f = lazy(source);
    launch(f, 0, 1, 1);
    launch(f, 0, 1, 1);
    EQUAL(standin_costs("synchronization"), 1u);
}

REPORTS(a_function_is_not_loaded_by_a_capture, "is loaded by its launch, within a capture") {
    const CUfunction f = lazy(GLOBAL "k() {}");
    const CUstream s = stream();
    OK(cuStreamBeginCapture_v2(s, 2));
    launch(f, s, 1, 1);
}

TEST(local_memory_has_an_end) {
    const std::string start = GLOBAL "__launch_bounds__(64) k(unsigned* x) { unsigned a[", rest = R"(];
        for (unsigned& word : a) word = x[0];
        for (unsigned i = 0; i < 50; i++) a[x[i % 2] % 1000] += i;
        x[1] = a[x[0]];
    })";
    const CUdeviceptr x = memory(8);
    set(x, 7, 2, 0);
    int bytes;
    CUfunction f = kernel(start + "100000" + rest);
    OK(cuFuncGetAttribute(&bytes, 3, f));
    CHECK(bytes >= 400000 && bytes < 410000);
    launch(f, 0, 1, 1, x);
    f = kernel(start + "200000" + rest);
    OK(cuFuncGetAttribute(&bytes, 3, f));
    CHECK(bytes >= 800000 && bytes < 810000);
    EQUAL(try_launch(f, 0, 1, 1, x), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    // Also where it was compiled before.
    EQUAL(try_launch(kernel(start + "200000" + rest), 0, 1, 1, x), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

TEST(parameters_are_taken_at_the_launch) {
    const CUfunction f = kernel(GLOBAL "k(unsigned* x, unsigned char a, double b, __int128 c) { *x = (unsigned)(a + b + c); }");
    const CUdeviceptr there = memory(4);
    CUdeviceptr x = there;
    unsigned char a = 1;
    double b = 20;
    __int128 c = 300;
    void* parameters[] = {&x, &a, &b, &c};
    standin_hold(1);
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, parameters, nullptr));
    x = 0;
    a = 0;
    b = 0;
    c = 0;
    standin_hold(0);
    EQUAL(words(there, 1)[0], 321u);
}

TEST(threads_of_a_block_meet) {
    const CUfunction f = kernel(GLOBAL R"(k(unsigned* x) {
        __shared__ unsigned shared[64];
        const unsigned i = threadIdx.x;
        shared[i] = x[64 * blockIdx.x + i];
        __syncthreads();
        const unsigned mirrored = shared[63 - i];
        __syncthreads();
        shared[i] = mirrored;
        for (unsigned half = 32; half > 0; half /= 2) {
            __syncthreads();
            if (i < half) shared[i] += shared[i + half];
        }
        __syncthreads();
        x[64 * blockIdx.x + i] = i == 0 ? shared[0] : mirrored;
    })");
    std::vector<unsigned> in(192);
    for (unsigned i = 0; i < 192; i++) in[i] = i * i;
    const CUdeviceptr x = memory(768);
    OK(cuMemcpyHtoD_v2(x, in.data(), 768));
    launch(f, 0, 3, 64, x);
    const auto out = words(x, 192);
    for (unsigned block = 0; block < 3; block++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 64; i++) sum += in[64 * block + i];
        EQUAL(out[64 * block], sum);
        for (unsigned i = 1; i < 64; i++) EQUAL(out[64 * block + i], in[64 * block + 63 - i]);
    }
}

TEST(threads_that_have_ended_are_not_waited_for) {
    const CUfunction f = kernel(GLOBAL R"(k(unsigned* x) {
        if (threadIdx.x >= 40) return;
        atomicAdd(x, 1u);
        __syncthreads();
        x[1 + threadIdx.x] = *x;
    })");
    const CUdeviceptr x = memory(404);
    set(x, 0, 101, 0);
    launch(f, 0, 1, 100, x);
    EQUAL(words(x, 101)[40], 40u);
    EQUAL(words(x, 101)[41], 0u);
}

TEST(lanes_of_a_warp_exchange_words) {
    const CUfunction f = kernel(GLOBAL R"(k(unsigned* x, double* y) {
        const unsigned i = threadIdx.x;
        unsigned sum = i;
        for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
        x[i] = sum;
        x[64 + i] = __shfl_up_sync(~0u, i, 1) + 100 * __shfl_down_sync(~0u, i, 2) + 10000 * __shfl_sync(~0u, i, 5);
        x[128 + i] = __ballot_sync(~0u, i % 3 == 0);
        x[192 + i] = (unsigned)__syncthreads_count(i < 50);
        y[i] = __shfl_sync(~0u, i * 0.5, 3, 8);
    })");
    const CUdeviceptr x = memory(1024), y = memory(512);
    launch(f, 0, 1, 64, x, y);
    const auto out = words(x, 256);
    EQUAL(out[0], 31u * 16);
    EQUAL(out[63], 31u * 16 + 32 * 32);
    EQUAL(out[64], 0u + 200 + 50000);
    EQUAL(out[64 + 63], 62u + 6300 + 370000);
    EQUAL(out[128], 0x49249249u);
    EQUAL(out[192], 50u);
    double last;
    OK(cuMemcpyDtoH_v2(&last, y + 8 * 63, 8));
    CHECK(last == 59 * 0.5);
}

REPORTS(a_barrier_that_some_do_not_reach, "wait at a barrier that others do not reach") {
    const CUfunction f = kernel(GLOBAL "k(unsigned* x) { if (threadIdx.x < 40) __syncwarp(); else __syncthreads(); *x = 1; }");
    launch(f, 0, 1, 64, memory(4));
    OK(cuCtxSynchronize());
}

REPORTS(a_kernel_writes_a_little_beyond, "bytes behind block 1") {
    launch(kernel(GLOBAL "k(unsigned char* x) { x[10] = 1; }"), 0, 1, 1, memory(10));
    OK(cuCtxSynchronize());
}

REPORTS(a_kernel_writes_a_little_before, "bytes before block 1") {
    launch(kernel(GLOBAL "k(unsigned char* x) { x[-1] = 1; }"), 0, 1, 1, memory(10));
    OK(cuCtxSynchronize());
}

REPORTS(a_kernel_writes_far_beyond, "kernel k: write at") {
    launch(kernel(GLOBAL "k(unsigned* x, unsigned i) { x[i] = 1; }"), 0, 1, 1, memory(256), 500u);
    OK(cuCtxSynchronize());
}

REPORTS(a_kernel_reads_beyond, "kernel k: read at") {
    const CUdeviceptr x = memory(256);
    launch(kernel(GLOBAL "k(unsigned* x, unsigned i) { x[0] = x[i]; }"), 0, 1, 1, x, 64u);
    OK(cuCtxSynchronize());
}

REPORTS(a_kernel_gets_no_host_address, "kernel k: parameter 0") {
    static unsigned here;
    EQUAL(try_launch(kernel(GLOBAL "k(unsigned* x) { *x = 1; }"), 0, 1, 1, &here), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_kernel_gets_no_length_beyond, "parameter 0, 44 bytes") {
    const CUfunction f = kernel(GLOBAL "k(unsigned* x, unsigned long long n) { x[n - 1] = 1; }");
    EQUAL(try_launch(f, 0, 1, 1, memory(40), 11ull), CUDA_ERROR_INVALID_VALUE);
}

REPORTS(a_kernel_gets_no_length_beyond_all_memory, "parameter 0, 18446744073709551615 bytes") {
    const CUfunction f = kernel(GLOBAL "k(unsigned* x, unsigned long long n) { x[n - 1] = 1; }");
    EQUAL(try_launch(f, 0, 1, 1, memory(40), ~0ull / 2), CUDA_ERROR_INVALID_VALUE);
}

static const char* const COPY = GLOBAL R"(k(const unsigned* x, unsigned long long n, unsigned* y, unsigned long long m) {
    y[m - 1] = x[n - 1];
})";

REPORTS(kernels_are_ordered_by_what_they_write, "nothing orders the two") {
    const CUfunction f = kernel(COPY);
    const CUdeviceptr x = memory(40), y = memory(40);
    launch(f, stream(), 1, 1, x, 10ull, y, 10ull);
    launch(f, stream(), 1, 1, y, 10ull, x, 10ull);
}

TEST(kernels_that_only_read_need_no_order) {
    const CUfunction f = kernel(COPY);
    const CUdeviceptr x = memory(40), y = memory(80);
    set(x, 1, 10, 0);
    OK(cuCtxSynchronize());
    launch(f, stream(), 1, 1, x, 10ull, y, 10ull);
    launch(f, stream(), 1, 1, x, 10ull, y + 40, 10ull);
}

static const char* const COUNT = "template <class T> struct atomic { T value; };\n" GLOBAL R"(k(atomic<unsigned>* x, unsigned long long n) {
    atomicAdd(&x[n - 1].value, 1u);
})";

TEST(kernels_that_change_atomics_need_no_order) {
    const CUfunction f = kernel(COUNT);
    const CUdeviceptr x = memory(40);
    set(x, 0, 10, 0);
    OK(cuCtxSynchronize());
    for (int i = 0; i < 5; i++) launch(f, stream(), 1, 100, x, 10ull);
    OK(cuCtxSynchronize());
    EQUAL(words(x, 10)[9], 500u);
}

REPORTS(atomics_are_ordered_with_what_is_written, "changes bytes 0 to 40 while `kernel k` on stream 1 writes 0 to 40; nothing orders the two") {
    const CUdeviceptr x = memory(40);
    launch(kernel(GLOBAL "k(unsigned* x, unsigned long long n) { x[n - 1] = 1; }"), stream(), 1, 1, x, 10ull);
    launch(kernel(COUNT), stream(), 1, 1, x, 10ull);
}

REPORTS(atomics_are_ordered_with_what_is_read, "nothing orders the two") {
    const CUdeviceptr x = memory(40);
    launch(kernel(COUNT), stream(), 1, 1, x, 10ull);
    launch(kernel(COPY), stream(), 1, 1, x, 10ull, memory(40), 10ull);
}

REPORTS(undefined_behaviour_ends_the_run, "undefined behaviour at test:2:") {
    launch(kernel(GLOBAL "k(int* x, int by) {\n *x = 1 << by; }"), 0, 1, 1, memory(4), 40);
    OK(cuCtxSynchronize());
}

REPORTS(signed_overflow_is_undefined, "signed addition overflows") {
    launch(kernel(GLOBAL "k(int* x, int a) { *x = a + 1; }"), 0, 1, 1, memory(4), 2147483647);
    OK(cuCtxSynchronize());
}

TEST(errors_and_warnings_are_in_the_log) {
    const Compiled wrong = compile(GLOBAL "k() {\n undeclared; }");
    EQUAL(wrong.result, 6);
    CHECK(wrong.log.find("test:2:") != std::string::npos && wrong.log.find("undeclared") != std::string::npos);
    const Compiled warned = compile(GLOBAL "k(int* p) { int unused; *p = 1; }");
    EQUAL(warned.result, 0);
    CHECK(warned.log.find("unused") != std::string::npos);
}

TEST(kernels_are_found_by_their_tokens) {
    const std::string source = R"(// extern "C" __global__ void comment() {}
        /* extern "C" __global__ void other_comment() {} */
        extern "C" __global__ void __launch_bounds__(64) bounded(unsigned* x) { *x = 1; }
        extern "C" void __device__ helper() {}
        extern "C" __launch_bounds__(2 * 16, 1) __global__ void odd(unsigned* x) { *x = 2; })";
    const CUfunction bounded = kernel(source, "bounded"), odd = kernel(source, "odd");
    EQUAL(try_launch(bounded, 0, 1, 65, memory(4)), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EQUAL(try_launch(odd, 0, 1, 33, memory(4)), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    OK(try_launch(odd, 0, 1, 32, memory(4)));
}

TEST(shapes_that_cannot_be) {
    const CUfunction f = kernel(GLOBAL "k(unsigned* x) { *x = 1; }");
    const CUdeviceptr x = memory(4);
    EQUAL(try_launch(f, 0, 0, 1, x), CUDA_ERROR_INVALID_VALUE);
    EQUAL(try_launch(f, 0, 1, 0, x), CUDA_ERROR_INVALID_VALUE);
    EQUAL(try_launch(f, 0, 1, 1025, x), CUDA_ERROR_INVALID_VALUE);
    void* parameters[] = {const_cast<CUdeviceptr*>(&x)};
    EQUAL(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, 0, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
    EQUAL(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, 0, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(images_are_checked) {
    CUmodule module;
    CUfunction function;
    const std::string source = GLOBAL "k(unsigned* x) { *x = 1; }";
    EQUAL(cuModuleLoadData(&module, std::string(100, 'x').data()), CUDA_ERROR_INVALID_IMAGE);
    EQUAL(cuModuleLoadData(&module, compile(source, "sm_100").image.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
    EQUAL(cuModuleLoadData(&module, compile(source, "sm_80").image.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
    OK(cuModuleLoadData(&module, compile(source, "sm_90").image.data()));
    EQUAL(cuModuleGetFunction(&function, module, "other"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleUnload(module));
    EQUAL(cuModuleLoadData(&module, compile(source, "compute_100").image.data()), CUDA_ERROR_INVALID_PTX);
    OK(cuModuleLoadData(&module, compile(source, "compute_80").image.data()));
    OK(cuModuleGetFunction(&function, module, "k"));
    launch(function, 0, 1, 1, memory(4));
    OK(cuCtxSynchronize());
}

TEST(modules_have_variables_of_their_own) {
    const std::string source = "__device__ unsigned count;\n" GLOBAL "k(unsigned* x) { *x = ++count; }";
    const CUfunction a = kernel(source), b = kernel(source);
    const CUdeviceptr x = memory(4);
    launch(a, 0, 1, 1, x);
    launch(a, 0, 1, 1, x);
    EQUAL(words(x, 1)[0], 2u);
    launch(b, 0, 1, 1, x);
    EQUAL(words(x, 1)[0], 1u);
}

REPORTS(a_module_is_unloaded_after_its_kernels, "the module is unloaded while `kernel k` is not done") {
    const Compiled compiled = compile(GLOBAL "k(unsigned* x) { *x = 1; }");
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, compiled.image.data()));
    OK(cuModuleGetFunction(&function, module, "k"));
    standin_hold(1);
    launch(function, 0, 1, 1, memory(4));
    OK(cuModuleUnload(module));
    standin_hold(0);
}
