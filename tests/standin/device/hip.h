// The names that HIP has and CUDA does not. CUDA's functions with masks are not here: HIP has none
// before 6.2, and other masks from 7.0 on.
#pragma once
#pragma GCC system_header

#define __HIPCC_RTC__ 1

#define __HIP_MEMORY_SCOPE_AGENT 4
// The barriers here order everything.
#define __builtin_amdgcn_fence(ORDER, SCOPE) ((void)0)
template <class T> static inline T __hip_atomic_fetch_max(T* p, T x, int, int) {
    return standin::exchange_by(p, [=](T old) -> T { return old > x ? old : x; });
}
template <class T> static inline T __hip_atomic_fetch_min(T* p, T x, int, int) {
    return standin::exchange_by(p, [=](T old) -> T { return old < x ? old : x; });
}

// Without a width they are about the whole wave, of 32 threads or of 64.
template <class T> static inline T __shfl(T x, int from, int width = warpSize) { return standin::shuffle(x, from, width); }
template <class T> static inline T __shfl_up(T x, unsigned by, int width = warpSize) { return standin::shuffle_up(x, by, width); }
template <class T> static inline T __shfl_down(T x, unsigned by, int width = warpSize) { return standin::shuffle_down(x, by, width); }
template <class T> static inline T __shfl_xor(T x, int mask, int width = warpSize) { return standin::shuffle_xor(x, mask, width); }
static inline unsigned long long __ballot(int predicate) { return standin::ballot(predicate != 0); }
static inline int __any(int predicate) { return __ballot(predicate) != 0; }
static inline int __all(int predicate) { return __ballot(!predicate) == 0; }
