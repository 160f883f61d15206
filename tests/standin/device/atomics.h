// CUDA's atomic functions. All of them return what was there before.
#pragma once
#pragma GCC system_header

namespace standin {

template <class T> using word_of = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

// Replaces by `next(old)`, as many times as other threads come between.
template <class T, class F> T exchange_by(T* p, F next) {
    typedef word_of<T> Word;
    Word* const word = (Word*)p;
    Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
    Word replaced;
    do {
        replaced = host_reinterpret<Word>(next(host_reinterpret<T>(old)));
    } while (!__atomic_compare_exchange_n(word, &old, replaced, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return host_reinterpret<T>(old);
}

// Ints wrap around.
template <class T> T wrapping_add(T a, T b) { return (T)((word_of<T>)a + (word_of<T>)b); }
template <class T> T wrapping_sub(T a, T b) { return (T)((word_of<T>)a - (word_of<T>)b); }

}  // namespace standin

// A function of a type, by what it makes of `old` and `x`.
#define STANDIN_ATOMIC(T, NAME, RESULT) \
    static inline T NAME(T* p, T x) { \
        return standin::exchange_by(p, [=]([[maybe_unused]] T old) -> T { return RESULT; }); \
    }
#define STANDIN_ATOMICS_OF_INTS(T) \
    STANDIN_ATOMIC(T, atomicExch, x) \
    STANDIN_ATOMIC(T, atomicAdd, standin::wrapping_add(old, x)) \
    STANDIN_ATOMIC(T, atomicMin, old < x ? old : x) \
    STANDIN_ATOMIC(T, atomicMax, old > x ? old : x) \
    STANDIN_ATOMIC(T, atomicAnd, old & x) \
    STANDIN_ATOMIC(T, atomicOr, old | x) \
    STANDIN_ATOMIC(T, atomicXor, old ^ x) \
    static inline T atomicCAS(T* p, T expected, T x) { \
        return standin::exchange_by(p, [=](T old) { return old == expected ? x : old; }); \
    }
STANDIN_ATOMICS_OF_INTS(int)
STANDIN_ATOMICS_OF_INTS(unsigned)
STANDIN_ATOMICS_OF_INTS(unsigned long long)
STANDIN_ATOMIC(int, atomicSub, standin::wrapping_sub(old, x))
STANDIN_ATOMIC(unsigned, atomicSub, standin::wrapping_sub(old, x))
STANDIN_ATOMIC(unsigned, atomicInc, old >= x ? 0 : old + 1)
STANDIN_ATOMIC(unsigned, atomicDec, old == 0 || old > x ? x : old - 1)
STANDIN_ATOMIC(long long, atomicMin, old < x ? old : x)
STANDIN_ATOMIC(long long, atomicMax, old > x ? old : x)
STANDIN_ATOMIC(float, atomicExch, x)
STANDIN_ATOMIC(float, atomicAdd, old + x)
STANDIN_ATOMIC(double, atomicAdd, old + x)
#undef STANDIN_ATOMICS_OF_INTS
#undef STANDIN_ATOMIC

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
