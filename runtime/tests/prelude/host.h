// What CUDA offers to device code and a C++ compiler for the host does not: enough to run the
// prelude on the CPU. The conversions do on NaN what PTX does, not what Rust does, so that the
// prelude's own care is what is tested.
#include <math.h>
#include <stdint.h>
#include <string.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define AB_EXIT throw host_exit{}
struct host_exit {};

static unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected, unsigned long long value) {
    const unsigned long long old = *p;
    if (old == expected) *p = value;
    return old;
}
static void __threadfence_system() {}
// For the compiler to know of; nothing here runs them.
template <class T> T atomicCAS(T* p, T expected, T value);
template <class T> T atomicExch(T* p, T value);
template <class T> T atomicAdd(T* p, T value);
template <class T> T atomicMin(T* p, T value);
template <class T> T atomicMax(T* p, T value);
template <class T> T atomicAnd(T* p, T value);
template <class T> T atomicOr(T* p, T value);
template <class T> T atomicXor(T* p, T value);

// A block of one thread.
#define __shared__ static
static void __syncthreads() {}
static void __syncwarp() {}
static unsigned __ballot_sync(unsigned, int own) { return own != 0; }
template <class T> unsigned __match_any_sync(unsigned, T) { return 1; }
static int __syncthreads_or(int own) { return own; }
static int __syncthreads_and(int own) { return own; }
static int __syncthreads_count(int own) { return own; }
// These round alone: no compiler contracts what it does not see.
template <class T> static T host_unseen(T x) { asm("" : "+m"(x)); return x; }
static float __fadd_rn(float a, float b) { return host_unseen(a) + host_unseen(b); }
static double __dadd_rn(double a, double b) { return host_unseen(a) + host_unseen(b); }
static float __fmul_rn(float a, float b) { return host_unseen(a * b); }
static double __dmul_rn(double a, double b) { return host_unseen(a * b); }

template <class T, class F> static T host_round_to_zero(F x, F lo, F hi, T min, T max, T nan) { return x != x ? nan : x >= hi ? max : x <= lo ? min : (T)x; }
static int __float2int_rz(float x) { return host_round_to_zero<int>(x, -2147483648.0f, 2147483648.0f, INT32_MIN, INT32_MAX, 0); }
static unsigned __float2uint_rz(float x) { return host_round_to_zero<unsigned>(x, 0.0f, 4294967296.0f, 0, UINT32_MAX, 0); }
static long long __float2ll_rz(float x) { return host_round_to_zero<long long>(x, -9223372036854775808.0f, 9223372036854775808.0f, INT64_MIN, INT64_MAX, INT64_MIN); }
static unsigned long long __float2ull_rz(float x) { return host_round_to_zero<unsigned long long>(x, 0.0f, 18446744073709551616.0f, 0, UINT64_MAX, 1ull << 63); }
static int __double2int_rz(double x) { return host_round_to_zero<int>(x, -2147483648.0, 2147483648.0, INT32_MIN, INT32_MAX, INT32_MIN); }
static unsigned __double2uint_rz(double x) { return host_round_to_zero<unsigned>(x, 0.0, 4294967296.0, 0, UINT32_MAX, 1u << 31); }
static long long __double2ll_rz(double x) { return host_round_to_zero<long long>(x, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX, INT64_MIN); }
static unsigned long long __double2ull_rz(double x) { return host_round_to_zero<unsigned long long>(x, 0.0, 18446744073709551616.0, 0, UINT64_MAX, 1ull << 63); }

template <class T, class F> static T host_reinterpret(F x) {
    static_assert(sizeof(T) == sizeof(F), "the same bits");
    T r;
    memcpy(&r, &x, sizeof r);
    return r;
}
static unsigned __float_as_uint(float x) { return host_reinterpret<unsigned>(x); }
static float __uint_as_float(unsigned x) { return host_reinterpret<float>(x); }
static long long __double_as_longlong(double x) { return host_reinterpret<long long>(x); }
static double __longlong_as_double(long long x) { return host_reinterpret<double>(x); }

static int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (unsigned)(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
    return r;
}
static unsigned long long __brevll(unsigned long long x) {
    unsigned long long r = 0;
    for (int i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i);
    return r;
}
static unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
