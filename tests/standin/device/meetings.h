// Where threads of a block wait for each other: barriers, and what is built on them.
#pragma once
#pragma GCC system_header

static inline void __syncthreads() { standin_services.meet(~0u); }
static inline void __syncwarp(unsigned = ~0u) { standin_services.meet(warpSize); }

namespace standin {

inline unsigned number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Every thread of a group shows a word; `read` sees them all.
template <class F> auto among(unsigned group, unsigned long long word, F read) {
    unsigned long long* const slots = standin_services.slots();
    slots[number()] = word;
    standin_services.meet(group);
    const auto r = read(slots);
    standin_services.meet(group);
    return r;
}

template <class T> T lane(T x, unsigned from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
    typedef word_of<T> Word;
    const unsigned first = number() / warpSize * warpSize;
    return among(warpSize, host_reinterpret<Word>(x), [=](const unsigned long long* slots) {
        return host_reinterpret<T>((Word)slots[first + from]);
    });
}

inline unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }

}  // namespace standin

template <class T> static inline T __shfl_sync(unsigned, T x, int from, int width = warpSize) {
    const unsigned own = standin::number() % warpSize;
    return standin::lane(x, own / width * width + (unsigned)from % width);
}
template <class T> static inline T __shfl_up_sync(unsigned, T x, unsigned by, int width = warpSize) {
    const unsigned own = standin::number() % warpSize;
    return standin::lane(x, own % width < by ? own : own - by);
}
template <class T> static inline T __shfl_down_sync(unsigned, T x, unsigned by, int width = warpSize) {
    const unsigned own = standin::number() % warpSize;
    return standin::lane(x, own % width + by >= (unsigned)width ? own : own + by);
}
template <class T> static inline T __shfl_xor_sync(unsigned, T x, int mask, int width = warpSize) {
    const unsigned own = standin::number() % warpSize, from = own ^ (unsigned)mask;
    return standin::lane(x, from / width > own / width ? own : from);
}
static inline unsigned __ballot_sync(unsigned, int predicate) {
    const unsigned first = standin::number() / warpSize * warpSize;
    return standin::among(warpSize, predicate != 0, [=](const unsigned long long* slots) {
        unsigned r = 0;
        for (unsigned i = 0; i < warpSize && first + i < standin::threads(); i++) r |= (unsigned)slots[first + i] << i;
        return r;
    });
}
static inline int __any_sync(unsigned mask, int predicate) { return (__ballot_sync(mask, predicate) & mask) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return (__ballot_sync(mask, predicate) & mask) == mask; }
static inline int __syncthreads_count(int predicate) {
    return standin::among(~0u, predicate != 0, [](const unsigned long long* slots) {
        int n = 0;
        for (unsigned i = 0; i < standin::threads(); i++) n += (int)slots[i];
        return n;
    });
}
static inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
static inline int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }
