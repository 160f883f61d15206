// CUDA's atomic functions. All of them return what was there before.
#pragma once
#pragma GCC system_header

namespace standin {

// Replaces by `next(old)`, as many times as other threads come between.
template <class T, class F> T exchange_by(T* p, F next) {
    typedef __typeof__(host_reinterpret<std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>>(T())) Word;
    Word* const word = (Word*)p;
    Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, host_reinterpret<Word>(next(host_reinterpret<T>(old))), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return host_reinterpret<T>(old);
}

}  // namespace standin

#define STANDIN_ATOMIC(T) \
    static inline T atomicExch(T* p, T x) { return standin::exchange_by(p, [=](T) { return x; }); }
STANDIN_ATOMIC(int) STANDIN_ATOMIC(unsigned) STANDIN_ATOMIC(unsigned long long) STANDIN_ATOMIC(float)
#undef STANDIN_ATOMIC

#define STANDIN_ATOMIC(T) \
    static inline T atomicAdd(T* p, T x) { return standin::exchange_by(p, [=](T old) { T r; if (__builtin_add_overflow(old, x, &r)) {} return r; }); }
STANDIN_ATOMIC(int) STANDIN_ATOMIC(unsigned) STANDIN_ATOMIC(unsigned long long)
#undef STANDIN_ATOMIC
static inline float atomicAdd(float* p, float x) { return standin::exchange_by(p, [=](float old) { return old + x; }); }
static inline double atomicAdd(double* p, double x) { return standin::exchange_by(p, [=](double old) { return old + x; }); }

#define STANDIN_ATOMIC(T) \
    static inline T atomicSub(T* p, T x) { return standin::exchange_by(p, [=](T old) { T r; if (__builtin_sub_overflow(old, x, &r)) {} return r; }); }
STANDIN_ATOMIC(int) STANDIN_ATOMIC(unsigned)
#undef STANDIN_ATOMIC

#define STANDIN_ATOMIC(T) \
    static inline T atomicMin(T* p, T x) { return standin::exchange_by(p, [=](T old) { return old < x ? old : x; }); } \
    static inline T atomicMax(T* p, T x) { return standin::exchange_by(p, [=](T old) { return old > x ? old : x; }); }
STANDIN_ATOMIC(int) STANDIN_ATOMIC(unsigned) STANDIN_ATOMIC(long long) STANDIN_ATOMIC(unsigned long long)
#undef STANDIN_ATOMIC

#define STANDIN_ATOMIC(T) \
    static inline T atomicAnd(T* p, T x) { return standin::exchange_by(p, [=](T old) { return old & x; }); } \
    static inline T atomicOr(T* p, T x) { return standin::exchange_by(p, [=](T old) { return old | x; }); } \
    static inline T atomicXor(T* p, T x) { return standin::exchange_by(p, [=](T old) { return old ^ x; }); } \
    static inline T atomicCAS(T* p, T expected, T x) { return standin::exchange_by(p, [=](T old) { return old == expected ? x : old; }); }
STANDIN_ATOMIC(int) STANDIN_ATOMIC(unsigned) STANDIN_ATOMIC(unsigned long long)
#undef STANDIN_ATOMIC

static inline unsigned atomicInc(unsigned* p, unsigned most) { return standin::exchange_by(p, [=](unsigned old) { return old >= most ? 0 : old + 1; }); }
static inline unsigned atomicDec(unsigned* p, unsigned most) { return standin::exchange_by(p, [=](unsigned old) { return old == 0 || old > most ? most : old - 1; }); }

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
