// Where threads of a block wait for each other: barriers, and what is built on them.
#pragma once
#pragma GCC system_header

// Waits for all threads of the block, or of each group of so many. By this function in its table,
// the driver knows that threads of a module meet: the compiler keeps it only where it is called.
extern "C" __attribute__((visibility("default"), noipa)) inline void standin_meet(unsigned group) { standin_services.meet(group); }

static inline void __syncthreads() { standin_meet(~0u); }

namespace standin {

inline unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Every thread of a group shows a word; `read` sees them all.
template <class F> auto among(unsigned group, unsigned long long word, F read) {
    unsigned long long* const slots = standin_services.slots();
    slots[number()] = word;
    standin_meet(group);
    const auto r = read(slots);
    standin_meet(group);
    return r;
}

template <class T> T lane(T x, unsigned from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
    typedef word_of<T> Word;
    const unsigned first = number() / warpSize * warpSize;
    return among(warpSize, host_reinterpret<Word>(x), [=](const unsigned long long* slots) {
        // Nothing in particular, where there is no such thread.
        return host_reinterpret<T>(first + from < threads() ? (Word)slots[first + from] : (Word)0xcbcbcbcbcbcbcbcb);
    });
}

// The words of a group of `width` lanes: that of lane `from` there, of the lane `by` below or
// above, and of the one whose number differs in `mask`.
template <class T> T shuffle(T x, int from, int width) {
    const unsigned own = number() % warpSize;
    return lane(x, own / width * width + (unsigned)from % width);
}
template <class T> T shuffle_up(T x, unsigned by, int width) {
    const unsigned own = number() % warpSize;
    return lane(x, own % width < by ? own : own - by);
}
template <class T> T shuffle_down(T x, unsigned by, int width) {
    const unsigned own = number() % warpSize;
    return lane(x, own % width + by >= (unsigned)width ? own : own + by);
}
template <class T> T shuffle_xor(T x, int mask, int width) {
    const unsigned own = number() % warpSize, from = own ^ (unsigned)mask;
    return lane(x, from / width > own / width ? own : from);
}

// A bit for each lane of the warp.
inline unsigned long long ballot(bool predicate) {
    const unsigned first = number() / warpSize * warpSize;
    return among(warpSize, predicate, [=](const unsigned long long* slots) {
        unsigned long long r = 0;
        for (unsigned i = 0; i < warpSize && first + i < threads(); i++) r |= slots[first + i] << i;
        return r;
    });
}

// A bit for each lane of the warp with the same word.
inline unsigned long long matching(unsigned long long word) {
    const unsigned first = number() / warpSize * warpSize;
    return among(warpSize, word, [=](const unsigned long long* slots) {
        unsigned long long r = 0;
        for (unsigned i = 0; i < warpSize && first + i < threads(); i++) r |= (unsigned long long)(slots[first + i] == word) << i;
        return r;
    });
}

}  // namespace standin

static inline int __syncthreads_count(int predicate) {
    return standin::among(~0u, predicate != 0, [](const unsigned long long* slots) {
        int n = 0;
        for (unsigned i = 0; i < standin::threads(); i++) n += (int)slots[i];
        return n;
    });
}
static inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
static inline int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }
