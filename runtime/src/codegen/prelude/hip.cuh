// What comes before all other parts in a program for AMD GPUs.
//
// HIPRTC has most of CUDA's functions that the prelude uses under the same names, but some mean
// something else there. Those are replaced here, by macros, so that the other parts stay as they
// are. Seen with HIPRTC 5.2 (LLVM 15) and clang 19.
//
// A thread whose check fails goes on (`AB_GO_ON`): `s_endpgm` would end all threads of its wave. So
// nothing ends a thread here.
#define AB_HIP
#define AB_HIP_FN static __device__ __forceinline__
namespace ab_hip {
#if defined(__AMDGCN__)  // on the stand-in, a C++ compiler of the host has functions of its own
// Float to int. In C++ a number that does not fit is undefined, in HIP's functions as well: clang
// takes it for any value. Rust saturates, and so do the instructions for 32 bits, which make 0 of
// NaN.
#define AB_HIP_TO_INT(NAME, T, F, INSTRUCTION) AB_HIP_FN T NAME(F x) { T r; asm(INSTRUCTION " %0, %1" : "=v"(r) : "v"(x)); return r; }
AB_HIP_TO_INT(float2int, int, float, "v_cvt_i32_f32")
AB_HIP_TO_INT(float2uint, unsigned, float, "v_cvt_u32_f32")
AB_HIP_TO_INT(double2int, int, double, "v_cvt_i32_f64")
AB_HIP_TO_INT(double2uint, unsigned, double, "v_cvt_u32_f64")
#undef AB_HIP_TO_INT
template <class T, class F> AB_HIP_FN T to_long(F x, F least, F beyond, T min, T max) {
    return x >= beyond ? max : x > least ? (T)x : x <= least ? min : (T)0;
}
constexpr long long most_long = 9223372036854775807ll;
template <class F> AB_HIP_FN long long to_ll(F x) { return to_long<long long, F>(x, (F)-9223372036854775808.0, (F)9223372036854775808.0, -most_long - 1, most_long); }
template <class F> AB_HIP_FN unsigned long long to_ull(F x) { return to_long<unsigned long long, F>(x, (F)0.0, (F)18446744073709551616.0, 0ull, ~0ull); }
// Sums and products that are never fused. HIP's `__fadd_rn` is a plain `+`, which is. The pragma
// counts only with `-ffp-contract=fast-honor-pragmas` or `off`: with `fast`, clang fuses what it
// finds, whatever the source says.
AB_HIP_FN float add(float a, float b) {
#pragma clang fp contract(off)
    return a + b;
}
AB_HIP_FN double add(double a, double b) {
#pragma clang fp contract(off)
    return a + b;
}
AB_HIP_FN float mul(float a, float b) {
#pragma clang fp contract(off)
    return a * b;
}
AB_HIP_FN double mul(double a, double b) {
#pragma clang fp contract(off)
    return a * b;
}
#endif
// A vote of a block, which is a barrier for all memory, too. HIP does not promise that its own
// votes order global memory; the fences cost nothing.
AB_HIP_FN void before() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); }
AB_HIP_FN void behind() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
AB_HIP_FN int any(int x) { before(); const int r = __syncthreads_or(x); behind(); return r; }
AB_HIP_FN int all(int x) { before(); const int r = __syncthreads_and(x); behind(); return r; }
AB_HIP_FN int count(int x) { before(); const int r = __syncthreads_count(x); behind(); return r; }
// Old versions lack the functions for signed numbers of 64 bits.
template <class T> AB_HIP_FN T fetch_max(T* p, T x) { return __hip_atomic_fetch_max(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
template <class T> AB_HIP_FN T fetch_min(T* p, T x) { return __hip_atomic_fetch_min(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
}  // namespace ab_hip
#if defined(__AMDGCN__)
#define __float2int_rz(x) ab_hip::float2int(x)
#define __float2uint_rz(x) ab_hip::float2uint(x)
#define __float2ll_rz(x) ab_hip::to_ll(x)
#define __float2ull_rz(x) ab_hip::to_ull(x)
#define __double2int_rz(x) ab_hip::double2int(x)
#define __double2uint_rz(x) ab_hip::double2uint(x)
#define __double2ll_rz(x) ab_hip::to_ll(x)
#define __double2ull_rz(x) ab_hip::to_ull(x)
#define __fadd_rn(a, b) ab_hip::add(a, b)
#define __dadd_rn(a, b) ab_hip::add(a, b)
#define __fmul_rn(a, b) ab_hip::mul(a, b)
#define __dmul_rn(a, b) ab_hip::mul(a, b)
#endif
#define __syncthreads_or(x) ab_hip::any(x)
#define __syncthreads_and(x) ab_hip::all(x)
#define __syncthreads_count(x) ab_hip::count(x)
#define atomicMax(p, x) ab_hip::fetch_max(p, x)
#define atomicMin(p, x) ab_hip::fetch_min(p, x)
// Collectives fold 32 threads at a time, also in waves of 64, so that sums of floats have the same
// bits on all devices. All lanes of a wave take part: the masks are those of CUDA.
#define __shfl_sync(mask, x, lane) __shfl(x, (int)(lane), 32)
#define __shfl_up_sync(mask, x, by) __shfl_up(x, by, 32)
#define __shfl_down_sync(mask, x, by) __shfl_down(x, by, 32)
// A wave goes in step, and the compiler leaves out the barrier of a block that is one.
#define __syncwarp() __syncthreads()
// The half of the wave that the thread is in. The threads of a block are numbered along x.
#define __ballot_sync(mask, c) ((unsigned)(__ballot(c) >> (threadIdx.x & ((unsigned)warpSize - 1u) & 32u)))
