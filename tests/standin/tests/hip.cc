// HIP's functions: their names, their devices, and where they differ from CUDA's.
#include <cstring>
#include <thread>

#include "api.h"

extern "C" {
int hipInit(unsigned);
int hipGetDeviceCount(int*);
int hipDeviceGetAttribute(int*, int, int);
int hipGetDevicePropertiesR0600(char*, int);
int hipSetDevice(int);
int hipGetDevice(int*);
int hipDeviceEnablePeerAccess(int, unsigned);
int hipDeviceGetStreamPriorityRange(int*, int*);
int hipDeviceSynchronize();
const char* hipGetErrorName(int);
const char* hipGetErrorString(int);
int hipStreamCreateWithPriority(CUstream*, unsigned, int);
int hipStreamDestroy(CUstream);
int hipStreamSynchronize(CUstream);
int hipStreamQuery(CUstream);
int hipStreamWaitEvent(CUstream, CUevent, unsigned);
int hipStreamBeginCapture(CUstream, int);
int hipStreamEndCapture(CUstream, CUgraph*);
int hipThreadExchangeStreamCaptureMode(int*);
int hipEventCreateWithFlags(CUevent*, unsigned);
int hipEventRecord(CUevent, CUstream);
int hipEventQuery(CUevent);
int hipEventSynchronize(CUevent);
int hipMalloc(CUdeviceptr*, size_t);
int hipFree(CUdeviceptr);
int hipHostMalloc(void**, size_t, unsigned);
int hipHostFree(void*);
int hipMemcpyDtoHAsync(void*, CUdeviceptr, size_t, CUstream);
int hipMemcpyPeerAsync(CUdeviceptr, int, CUdeviceptr, int, size_t, CUstream);
int hipMemsetD32Async(CUdeviceptr, int, size_t, CUstream);
int hipMemset2DAsync(CUdeviceptr, size_t, int, size_t, size_t, CUstream);
int hipModuleLoadData(CUmodule*, const void*);
int hipModuleUnload(CUmodule);
int hipModuleGetFunction(CUfunction*, CUmodule, const char*);
int hipModuleLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**);
int hipGraphInstantiateWithFlags(CUgraphExec*, CUgraph, unsigned long long);
int hipGraphLaunch(CUgraphExec, CUstream);
int hiprtcCreateProgram(void**, const char*, const char*, int, const char* const*, const char* const*);
int hiprtcCompileProgram(void*, int, const char* const*);
int hiprtcGetProgramLogSize(void*, size_t*);
int hiprtcGetProgramLog(void*, char*);
int hiprtcGetCodeSize(void*, size_t*);
int hiprtcGetCode(void*, char*);
void standin_reset_hip();
const char* standin_renamed(const char*);
}

#define GLOBAL "extern \"C\" __global__ void "

namespace {

constexpr const char* HERE = "--offload-arch=gfx90a:sramecc+:xnack-";

CUstream hip_stream() {
    CUstream made;
    EQUAL(hipStreamCreateWithPriority(&made, 1, 0), 0);
    return made;
}

CUevent hip_event() {
    CUevent made;
    EQUAL(hipEventCreateWithFlags(&made, 2), 0);
    return made;
}

CUdeviceptr hip_memory(size_t bytes) {
    CUdeviceptr address;
    EQUAL(hipMalloc(&address, bytes), 0);
    return address;
}

void hip_set(CUdeviceptr to, int value, CUstream on) { EQUAL(hipMemsetD32Async(to, value, 1, on), 0); }

std::vector<unsigned> hip_words(CUdeviceptr from, size_t count) {
    std::vector<unsigned> out(count);
    EQUAL(hipDeviceSynchronize(), 0);
    EQUAL(hipMemcpyDtoHAsync(out.data(), from, 4 * count, 0), 0);
    EQUAL(hipDeviceSynchronize(), 0);
    return out;
}

Compiled hip_compile(const std::string& source, std::vector<const char*> options = {HERE}) {
    void* program;
    EQUAL(hiprtcCreateProgram(&program, source.c_str(), "test", 0, nullptr, nullptr), 0);
    Compiled compiled;
    compiled.result = hiprtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    size_t size = 0;
    EQUAL(hiprtcGetProgramLogSize(program, &size), 0);
    compiled.log.resize(size);
    EQUAL(hiprtcGetProgramLog(program, compiled.log.data()), 0);
    compiled.log.pop_back();
    if (compiled.result == 0) {
        EQUAL(hiprtcGetCodeSize(program, &size), 0);
        compiled.image.resize(size);
        EQUAL(hiprtcGetCode(program, compiled.image.data()), 0);
    }
    return compiled;
}

CUfunction hip_kernel(const std::string& source) {
    const Compiled compiled = hip_compile(source);
    if (compiled.result != 0 || !compiled.log.empty()) fail(__FILE__, __LINE__, compiled.log);
    CUmodule module;
    CUfunction function;
    EQUAL(hipModuleLoadData(&module, compiled.image.data()), 0);
    EQUAL(hipModuleGetFunction(&function, module, "k"), 0);
    return function;
}

template <class... P> int hip_launch(CUfunction function, CUstream on, unsigned grid, unsigned block, P... parameters) {
    void* all[] = {&parameters..., nullptr};
    return hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, on, all, nullptr);
}

}  // namespace

TEST(a_program_of_hip_runs) {
    const CUfunction f = hip_kernel(GLOBAL "k(unsigned* x) { x[threadIdx.x] = 3 * threadIdx.x; }");
    const CUdeviceptr x = hip_memory(32);
    standin_reset_calls();
    EQUAL(hip_launch(f, hip_stream(), 1, 8, x), 0);
    EQUAL(standin_costs("synchronization"), 0u);  // functions are loaded with their module
    EQUAL(hip_words(x, 8)[7], 21u);
    EQUAL(hipMemset2DAsync(x + 1, 8, 0xff, 1, 4, 0), 0);
    EQUAL(hip_words(x, 8)[6], 0xff12u);
    EQUAL(hip_words(x, 8)[7], 21u);
}

TEST(hip_has_devices_of_its_own) {
    int count = 0, device = -1;
    EQUAL(hipInit(0), 0);
    EQUAL(hipGetDeviceCount(&count), 0);
    EQUAL(count, 1);
    EQUAL(hipSetDevice(1), 101);
    EQUAL(hipGetDevice(&device), 0);
    EQUAL(device, 0);
    char properties[1472];
    EQUAL(hipGetDevicePropertiesR0600(properties, 0), 0);
    EQUAL(strcmp(properties + 1160, "gfx90a:sramecc+:xnack-"), 0);
    int least, greatest, wave;
    EQUAL(hipDeviceGetStreamPriorityRange(&least, &greatest), 0);
    EQUAL(least, 1);
    EQUAL(greatest, -1);
    EQUAL(hipDeviceGetAttribute(&wave, 87, 0), 0);
    EQUAL(wave, 64);
    // What CUDA has made current stays so.
    CUcontext before, after;
    OK(cuCtxGetCurrent(&before));
    hip_stream();
    OK(cuCtxGetCurrent(&after));
    EQUAL(before, after);
}

TEST_WITH(threads_of_hip_begin_with_the_first_device, nullptr, "STANDIN_DEVICES=2") {
    EQUAL(hipSetDevice(1), 0);
    int here = -1, there = -1;
    EQUAL(hipGetDevice(&here), 0);
    std::thread([&] { EQUAL(hipGetDevice(&there), 0); }).join();
    EQUAL(here, 1);
    EQUAL(there, 0);
}

TEST_WITH(peers_of_hip_reach_each_other, nullptr, "STANDIN_DEVICES=2") {
    const CUdeviceptr x = hip_memory(4);
    EQUAL(hipSetDevice(1), 0);
    const CUdeviceptr y = hip_memory(4);
    EQUAL(hipDeviceEnablePeerAccess(0, 0), 0);
    EQUAL(hipDeviceEnablePeerAccess(0, 0), 704);
    hip_set(y, 7, 0);
    EQUAL(hipMemcpyPeerAsync(x, 0, y, 1, 4, 0), 0);
    EQUAL(hip_words(x, 1)[0], 7u);
}

REPORTS(a_stream_of_cuda_is_none_of_hip, "belongs to another context") { EQUAL(hipStreamSynchronize(stream()), 400); }
REPORTS(memory_of_hip_is_none_of_cuda, "which device 0 has no access to") {
    cuMemsetD32Async(memory(4), 0, 1, 0);
    cuMemcpyDtoDAsync_v2(memory(4), hip_memory(4), 4, 0);
}

TEST(images_are_for_one_architecture) {
    CUmodule module;
    const char* const source = GLOBAL "k() {}";
    const auto load = [&](const char* target) { return hipModuleLoadData(&module, hip_compile(source, {target}).image.data()); };
    EQUAL(load(HERE), 0);
    EQUAL(load("--offload-arch=gfx90a"), 0);
    EQUAL(load("--offload-arch=gfx90a:xnack-"), 0);
    EQUAL(load("--offload-arch=gfx90a:sramecc-"), 209);
    EQUAL(load("--offload-arch=gfx908"), 209);
    EQUAL(hipModuleLoadData(&module, compile(source).image.data()), 200);
    EQUAL(cuModuleLoadData(&module, hip_compile(source).image.data()), CUDA_ERROR_INVALID_IMAGE);
}

REPORTS(an_image_stays_as_long_as_its_module, "the image was changed or freed before") {
    CUmodule module;
    Compiled compiled = hip_compile(GLOBAL "k() {}");
    EQUAL(hipModuleLoadData(&module, compiled.image.data()), 0);
    EQUAL(hipModuleUnload(module), 0);
    EQUAL(hipModuleLoadData(&module, compiled.image.data()), 0);
    compiled.image[0] = 0;
    hipModuleUnload(module);
}

TEST(options_of_hiprtc) {
    const std::string source = GLOBAL "k(unsigned* x) { int unused = 0; *x = 1; }";
    EQUAL(hip_compile(source, {HERE, "-std=c++17", "-O3", "-ffp-contract=off", "-gline-tables-only"}).log.empty(), false);
    EQUAL(hip_compile(source, {HERE, "-w"}).log.empty(), true);
    EQUAL(hip_compile(source, {}).result, 5);
    for (const char* option : {"-ffp-contract=fast", "-munsafe-fp-atomics", "--fmad=false"}) EQUAL(hip_compile(source, {HERE, option}).result, 6);
    EQUAL(hip_compile(GLOBAL "k(unsigned* x) { *x = __shfl_sync(~0u, *x, 0); }").result, 6);
    const Compiled large = hip_compile(GLOBAL "k(unsigned* x) { volatile unsigned a[40000]; a[*x] = 1; *x = a[*x + 1]; }");
    EQUAL(large.result, 6);
    CHECK(large.log.find("exceeds limit (131056) in function 'k'") != std::string::npos);
}

REPORTS(hiprtc_ends_the_process_for_processors_of_tomorrow, "does not know the processor of gfx1310") {
    hip_compile("", {"--offload-arch=gfx1310"});
}

// A sum over the lanes of the first thread's group: over 32 of them, and over the whole wave.
static std::vector<unsigned> sums_of_lanes() {
    const CUfunction f = hip_kernel(GLOBAL R"(k(unsigned* x) {
        unsigned narrow = 1, wide = 1;
        for (unsigned by = 16; by > 0; by /= 2) narrow += __shfl_down(narrow, by, 32);
        for (unsigned by = warpSize / 2; by > 0; by /= 2) wide += __shfl_down(wide, by);
        const unsigned votes = (unsigned)__builtin_popcountll(__ballot(threadIdx.x != 1));
        if (threadIdx.x == 0) { x[0] = narrow; x[1] = wide; x[2] = votes; }
    })");
    const CUdeviceptr x = hip_memory(12);
    EQUAL(hip_launch(f, 0, 1, 128, x), 0);
    return hip_words(x, 3);
}
TEST(a_wave_has_64_threads) { CHECK((sums_of_lanes() == std::vector<unsigned>{32, 64, 63})); }
TEST_WITH(a_wave_can_have_32_threads, nullptr, "STANDIN_WAVE=32") { CHECK((sums_of_lanes() == std::vector<unsigned>{32, 32, 31})); }

TEST(calls_and_failures_have_the_names_of_hip) {
    const CUstream s = hip_stream();
    standin_reset_calls();
    CUdeviceptr x;
    EQUAL(standin_fail("hipMalloc:1:OUT_OF_MEMORY,hipMalloc:2:hipErrorInvalidValue,hipStreamQuery:1:719"), 0);
    EQUAL(hipMalloc(&x, 4), 2);
    EQUAL(hipMalloc(&x, 4), 1);
    EQUAL(hipMalloc(&x, 4), 0);
    EQUAL(standin_calls("hipMalloc"), 3u);
    EQUAL(standin_calls(""), 3u);
    EQUAL(standin_fail("hipMalloc:1:hipErrorOfNoKind"), 1);
    EQUAL(standin_fail("hiprtcCreateProgram:1:HIPRTC_ERROR_INTERNAL_ERROR"), 0);
    void* program;
    EQUAL(hiprtcCreateProgram(&program, "", "test", 0, nullptr, nullptr), 11);
    EQUAL(standin_calls("hiprtcCreateProgram"), 1u);
    EQUAL(standin_calls("nvrtcCreateProgram"), 0u);
    // The first error that sticks ends the device of HIP, and not the one of CUDA.
    EQUAL(standin_fail("hipStreamQuery:1:719"), 0);
    EQUAL(hipStreamQuery(s), 719);
    EQUAL(hipMalloc(&x, 4), 719);
    stream();
    EQUAL(hipStreamDestroy(s), 719);
    EQUAL(hipFree(x), 719);
    standin_reset_hip();
    hip_stream();
}

TEST(functions_have_two_names) {
    const char* const names[][2] = {
        {"cuStreamBeginCapture", "hipStreamBeginCapture"}, {"cuCtxSetCurrent", "hipSetDevice"},
        {"cuMemHostAlloc", "hipHostMalloc"},    {"cuLaunchKernel", "hipModuleLaunchKernel"},       {"nvrtcGetCUBIN", "hiprtcGetCode"},
        {"nvrtcCreateProgram", "hiprtcCreateProgram"},
    };
    for (const auto& [cuda, hip] : names) {
        EQUAL(std::string(hip) == standin_renamed(cuda), true);
        EQUAL(std::string(cuda) == standin_renamed(hip), true);
    }
    CHECK(!standin_renamed("cuFuncLoad") && !standin_renamed("hipGetDevicePropertiesR0600") && !standin_renamed("nvrtcGetPTX"));
}

TEST(errors_have_the_names_of_hip) {
    EQUAL(std::string(hipGetErrorName(0)) == "hipSuccess", true);
    EQUAL(std::string(hipGetErrorName(2)) == "hipErrorOutOfMemory", true);
    EQUAL(std::string(hipGetErrorName(9)) == "hipErrorInvalidConfiguration", true);
    EQUAL(std::string(hipGetErrorName(714)) == "hipErrorUnknown", true);
    EQUAL(std::string(hipGetErrorString(2)) == "out of memory", true);
    const char* text;
    EQUAL(cuGetErrorName(9, &text), CUDA_ERROR_INVALID_VALUE);
}

TEST(errors_that_pass_on_hip) {
    const CUstream s = hip_stream();
    for (const char* plan : {"hipStreamQuery:1:709", "hipStreamQuery:1:911"}) {
        EQUAL(standin_fail(plan), 0);
        CHECK(hipStreamQuery(s) > 0);
        EQUAL(hipStreamQuery(s), 0);
    }
}

TEST_WITH(a_device_of_hip_is_no_leak, nullptr, "STANDIN_LEAKS=1") {
    EQUAL(hipStreamDestroy(hip_stream()), 0);
    OK(cuDevicePrimaryCtxRelease_v2(0));
}
TEST_WITH(objects_of_hip_are_leaks, "live at the end of the context of device 0: 1 of kind stream", "STANDIN_LEAKS=1") {
    hip_stream();
    OK(cuDevicePrimaryCtxRelease_v2(0));
}
REPORTS(a_reset_shows_leaks, "live at the end of the context of device 0: 1 of kind event") {
    hip_event();
    standin_reset_hip();
}

REPORTS(destroying_a_stream_waits, "the stream has work in progress, which this call waits for") {
    const CUstream s = hip_stream();
    standin_hold(1);
    hip_set(hip_memory(4), 1, s);
    hipStreamDestroy(s);
}

TEST(a_stream_at_rest_is_destroyed) {
    const CUstream s = hip_stream();
    hip_set(hip_memory(4), 1, s);
    EQUAL(hipStreamSynchronize(s), 0);
    EQUAL(hipStreamDestroy(s), 0);
}

// What HIP does with an event reads the state of the stream on which it was recorded.
static CUevent event_of_a_stream_that_is_gone() {
    const CUstream s = hip_stream();
    const CUevent e = hip_event();
    EQUAL(hipEventRecord(e, s), 0);
    EQUAL(hipStreamSynchronize(s), 0);
    EQUAL(hipStreamDestroy(s), 0);
    return e;
}
constexpr const char* GONE = "the stream on which the event was recorded has been destroyed";
REPORTS(an_event_is_asked_for_after_its_stream, GONE) { hipEventQuery(event_of_a_stream_that_is_gone()); }
REPORTS(an_event_is_waited_for_after_its_stream, GONE) { hipEventSynchronize(event_of_a_stream_that_is_gone()); }
REPORTS(a_stream_waits_for_an_event_after_its_stream, GONE) { hipStreamWaitEvent(hip_stream(), event_of_a_stream_that_is_gone(), 0); }
TEST(an_event_is_recorded_again_after_its_stream) {
    const CUevent e = event_of_a_stream_that_is_gone();
    EQUAL(hipEventRecord(e, hip_stream()), 0);
    EQUAL(hipEventSynchronize(e), 0);
}

REPORTS(a_wait_has_no_flags, "HIP has no flags 0x1 of a wait") { hipStreamWaitEvent(hip_stream(), hip_event(), 1); }
REPORTS(a_graph_has_no_flags, "flags 0x1 of a graph") {
    CUgraph graph;
    CUgraphExec exec;
    const CUstream s = hip_stream();
    EQUAL(hipStreamBeginCapture(s, 2), 0);
    EQUAL(hipStreamEndCapture(s, &graph), 0);
    hipGraphInstantiateWithFlags(&exec, graph, 1);
}

// Two streams in one capture: `first` and `second` are the events of the fork and of the join.
static CUgraph fork_and_join(CUevent first, CUevent second) {
    const CUstream s = hip_stream(), other = hip_stream();
    const CUdeviceptr x = hip_memory(4);
    CUgraph graph;
    EQUAL(hipStreamBeginCapture(s, 2), 0);
    hip_set(x, 1, s);
    EQUAL(hipEventRecord(first, s), 0);
    EQUAL(hipStreamWaitEvent(other, first, 0), 0);
    hip_set(x, 2, other);
    EQUAL(hipEventRecord(second, other), 0);
    EQUAL(hipStreamWaitEvent(s, second, 0), 0);
    EQUAL(hipStreamEndCapture(s, &graph), 0);
    return graph;
}
TEST(an_event_is_recorded_in_many_captures) {
    const CUevent first = hip_event(), second = hip_event();
    for (int i = 0; i < 2; i++) {
        CUgraphExec exec;
        EQUAL(hipGraphInstantiateWithFlags(&exec, fork_and_join(first, second), 0), 0);
        EQUAL(hipGraphLaunch(exec, 0), 0);
    }
}
REPORTS(an_event_is_recorded_once_in_a_capture, "recorded for the second time in one capture") {
    const CUevent event = hip_event();
    fork_and_join(event, event);
}

// HIP takes a capture that fails to end off its list, and the stream's status stays what it was.
REPORTS(a_capture_that_failed_to_end_is_over, "HIP erases what is not in its list") {
    const CUstream s = hip_stream(), other = hip_stream();
    const CUevent e = hip_event();
    CUgraph graph;
    EQUAL(hipStreamBeginCapture(s, 2), 0);
    EQUAL(hipEventRecord(e, s), 0);
    EQUAL(hipStreamWaitEvent(other, e, 0), 0);
    hip_set(hip_memory(4), 1, other);
    EQUAL(hipStreamEndCapture(s, &graph), 904);
    EQUAL(hipStreamQuery(s), 900);
    hipStreamEndCapture(s, &graph);
}

// An event of a capture is asked for, or waited for: the capture is broken.
static void broken_by(int (*call)(CUevent)) {
    const CUstream s = hip_stream();
    const CUevent e = hip_event();
    CUgraph graph;
    EQUAL(hipStreamBeginCapture(s, 2), 0);
    EQUAL(hipEventRecord(e, s), 0);
    EQUAL(call(e), 907);
    EQUAL(hipStreamEndCapture(s, &graph), 901);
}
REPORTS(asking_for_an_event_breaks_a_capture, "in a capture under way, which this call breaks") { broken_by(hipEventQuery); }
REPORTS(waiting_for_an_event_breaks_a_capture, "in a capture under way, which this call breaks") { broken_by(hipEventSynchronize); }

// Asking or waiting for another stream breaks a capture in the global mode, also from another
// thread, unless that is in the relaxed mode.
TEST(asking_beside_a_capture_breaks_it) {
    const CUstream s = hip_stream(), other = hip_stream();
    const CUevent e = hip_event();
    EQUAL(hipEventRecord(e, other), 0);
    const auto capture = [&](int mode, int own, int result, auto call) {
        CUgraph graph;
        EQUAL(hipStreamBeginCapture(s, mode), 0);
        std::thread([&] {
            EQUAL(hipThreadExchangeStreamCaptureMode(&own), 0);
            EQUAL(call(), result == 901 ? 900 : 0);
        }).join();
        EQUAL(hipStreamEndCapture(s, &graph), result);
    };
    EQUAL(hipDeviceSynchronize(), 0);
    for (const int own : {0, 1, 2}) {
        const int result = own == 2 ? 0 : 901;
        capture(0, own, result, [&] { return hipStreamQuery(other); });
        capture(0, own, result, [&] { return hipStreamSynchronize(other); });
        capture(0, own, result, [&] { return hipEventSynchronize(e); });
        capture(0, own, own == 0 ? 901 : 0, [&] { return hipEventQuery(e); });
        capture(1, own, 0, [&] { return hipStreamQuery(other); });
    }
}

TEST_WITH(copies_between_devices_are_not_captured, "HIP does not capture this copy", "STANDIN_DEVICES=2") {
    const CUdeviceptr x = hip_memory(4);
    EQUAL(hipSetDevice(1), 0);
    const CUdeviceptr y = hip_memory(4);
    const CUstream s = hip_stream();
    EQUAL(hipStreamBeginCapture(s, 2), 0);
    hipMemcpyPeerAsync(x, 0, y, 1, 4, s);
}

REPORTS(a_grid_has_less_than_2_to_32_threads, "2^32 threads or more along x") {
    const CUfunction f = hip_kernel(GLOBAL "k() {}");
    EQUAL(hip_launch(f, 0, 1u << 22, 1024), 9);
}
REPORTS(a_block_is_within_its_bounds, "larger than its bounds") {
    const CUfunction f = hip_kernel(GLOBAL "__launch_bounds__(64) k() {}");
    EQUAL(hip_launch(f, 0, 1, 128), 719);
}

REPORTS(mapped_memory_is_coherent, "the memory is mapped, but not coherent") {
    void* memory;
    EQUAL(hipHostMalloc(&memory, 64, 1 | 2 | 0x40000000), 0);
    EQUAL(hipHostFree(memory), 0);
    hipHostMalloc(&memory, 64, 1 | 2);
}
REPORTS(flags_of_memory_are_known, "flags 0x80000000 are not modelled") {
    void* memory;
    hipHostMalloc(&memory, 64, 0x80000000);
}
