// The names that CUDA has for what threads of a warp do together.
#pragma once
#pragma GCC system_header

#define __CUDACC_RTC__ 1

static inline void __syncwarp(unsigned = ~0u) { standin_meet(warpSize); }
template <class T> static inline T __shfl_sync(unsigned, T x, int from, int width = warpSize) { return standin::shuffle(x, from, width); }
template <class T> static inline T __shfl_up_sync(unsigned, T x, unsigned by, int width = warpSize) { return standin::shuffle_up(x, by, width); }
template <class T> static inline T __shfl_down_sync(unsigned, T x, unsigned by, int width = warpSize) {
    return standin::shuffle_down(x, by, width);
}
template <class T> static inline T __shfl_xor_sync(unsigned, T x, int mask, int width = warpSize) { return standin::shuffle_xor(x, mask, width); }
static inline unsigned __ballot_sync(unsigned, int predicate) { return (unsigned)standin::ballot(predicate != 0); }
static inline int __any_sync(unsigned mask, int predicate) { return (__ballot_sync(mask, predicate) & mask) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return (__ballot_sync(mask, predicate) & mask) == mask; }
template <class T> static inline unsigned __match_any_sync(unsigned, T x) { return (unsigned)standin::matching(x); }
