// The functions under test, with the types of the stand-in, and small helpers around them.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../driver/functions.h"

extern "C" {
uint64_t standin_calls(const char*);
void standin_reset_calls();
uint64_t standin_costs(const char*);
uint64_t standin_live(const char*);
uint64_t standin_misuses();
int standin_fail(const char*);
void standin_hold(int);
size_t standin_ledger(char*, size_t);

int nvrtcVersion(int*, int*);
int nvrtcCreateProgram(void**, const char*, const char*, int, const char* const*, const char* const*);
int nvrtcCompileProgram(void*, int, const char* const*);
int nvrtcDestroyProgram(void**);
int nvrtcGetProgramLogSize(void*, size_t*);
int nvrtcGetProgramLog(void*, char*);
int nvrtcGetCUBINSize(void*, size_t*);
int nvrtcGetCUBIN(void*, char*);
int nvrtcGetPTXSize(void*, size_t*);
int nvrtcGetPTX(void*, char*);
}

// One test. It runs in a process of its own, where a context is current.
struct Test {
    const char* name;
    void (*body)();
    // What the stand-in must say; then the run must fail. Null: it must say nothing.
    const char* report;
    // VARIABLE=value for that process, or null.
    const char* setting;
};

std::vector<Test>& tests();

struct Register {
    explicit Register(Test test) { tests().push_back(test); }
};

#define TEST_WITH(NAME, REPORT, SETTING) \
    static void NAME(); \
    static const Register register_##NAME({#NAME, NAME, REPORT, SETTING}); \
    static void NAME()
#define TEST(NAME) TEST_WITH(NAME, nullptr, nullptr)
#define REPORTS(NAME, REPORT) TEST_WITH(NAME, REPORT, nullptr)

[[noreturn]] inline void fail(const char* file, int line, const std::string& why) {
    fprintf(stderr, "%s:%d: %s\n", file, line, why.c_str());
    _Exit(1);
}

inline std::string shown(CUresult result) {
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    return name ? name : std::to_string(result);
}
inline std::string shown(long long x) { return std::to_string(x); }

template <class A, class B> void expect_equal(const char* file, int line, const char* text, A a, B b) {
    if (a == b) return;
    if constexpr (std::is_same_v<A, CUresult>) fail(file, line, std::string(text) + " is " + shown(a) + ", not " + shown(b));
    else fail(file, line, std::string(text) + " is " + shown(static_cast<long long>(a)) + ", not " + shown(static_cast<long long>(b)));
}

#define EQUAL(A, B) expect_equal(__FILE__, __LINE__, #A, A, B)
#define OK(CALL) EQUAL(CALL, CUDA_SUCCESS)
#define CHECK(CONDITION) ((CONDITION) ? void() : fail(__FILE__, __LINE__, #CONDITION))

inline CUstream stream(unsigned flags = 1) {
    CUstream made;
    OK(cuStreamCreate(&made, flags));
    return made;
}

inline CUevent event(unsigned flags = 2) {
    CUevent made;
    OK(cuEventCreate(&made, flags));
    return made;
}

inline CUdeviceptr memory(size_t bytes) {
    CUdeviceptr address;
    OK(cuMemAlloc_v2(&address, bytes));
    return address;
}

// Makes what comes on `later` come after what is on `earlier`.
inline void order(CUstream earlier, CUstream later) {
    const CUevent between = event();
    OK(cuEventRecord(between, earlier));
    OK(cuStreamWaitEvent(later, between, 0));
    OK(cuEventDestroy_v2(between));
}

inline void set(CUdeviceptr to, unsigned value, size_t count, CUstream on) { OK(cuMemsetD32Async(to, value, count, on)); }

// After everything else.
inline std::vector<unsigned> words(CUdeviceptr from, size_t count) {
    std::vector<unsigned> out(count);
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(out.data(), from, 4 * count));
    return out;
}

// The log, and the image where there is one.
struct Compiled {
    int result;
    std::string log, image;
};
Compiled compile(const std::string& source, const char* architecture = "sm_90");

// A kernel `k` of a source that must compile without a word.
CUfunction kernel(const std::string& source, const char* name = "k");

template <class... P> CUresult try_launch(CUfunction function, CUstream on, unsigned grid, unsigned block, P... parameters) {
    void* all[] = {&parameters..., nullptr};
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, on, all, nullptr);
}
template <class... P> void launch(CUfunction function, CUstream on, unsigned grid, unsigned block, P... parameters) {
    OK(try_launch(function, on, grid, block, parameters...));
}
