//@ .
// Relaxed atomic operations. CUDA has most of them for unsigned ints; if the sign or the type does
// not matter, the bits are used.
//@ atomic
template <class T> struct atomic { T value; };
//@ atomics
// An array of atomics, by the type of the array of their values.
template <class T> struct of_atomics { typedef ab::atomic<T> type; };
template <class T, usize N> struct of_atomics<ab::array<T, N>> { typedef ab::array<typename of_atomics<T>::type, N> type; };
template <class T> using atomics = typename of_atomics<T>::type;
//@ to_word from_word word
AB_FN u32 to_word(u32 x) { return x; }
AB_FN u32 to_word(i32 x) { return (u32)x; }
AB_FN u32 to_word(f32 x) { return ::__float_as_uint(x); }
AB_FN u64 to_word(u64 x) { return x; }
AB_FN u64 to_word(i64 x) { return (u64)x; }
AB_FN u64 to_word(f64 x) { return (u64)::__double_as_longlong(x); }
template <class T> using word = decltype(to_word(T{}));
template <class T> AB_FN T from_word(ab::word<T> x) { return (T)x; }
template <> AB_FN f32 from_word<f32>(u32 x) { return ::__uint_as_float(x); }
template <> AB_FN f64 from_word<f64>(u64 x) { return ::__longlong_as_double((i64)x); }
//@ change
// Replaces the value by `next` of it, and retries as long as other threads interfere.
template <class T, class F> AB_FN T change(ab::atomic<T>& cell, F next) {
    ab::word<T>* const there = (ab::word<T>*)&cell.value;
    ab::word<T> old = *(volatile ab::word<T>*)there;
    for (;;) {
        const ab::word<T> seen = ::atomicCAS(there, old, ab::to_word(next(ab::from_word<T>(old))));
        if (seen == old) return ab::from_word<T>(old);
        old = seen;
    }
}
//@ load
template <class T> AB_FN T load(ab::atomic<T>& cell) { return *(volatile T*)&cell.value; }
//@ store
template <class T> AB_FN ab::tuple<> store(ab::atomic<T>& cell, T x) { *(volatile T*)&cell.value = x; return {}; }
//@ swap
template <class T> AB_FN T swap(ab::atomic<T>& cell, T x) { return ab::from_word<T>(::atomicExch((ab::word<T>*)&cell.value, ab::to_word(x))); }
//@ compare_exchange compare_exchange_weak
// The value that was there, in `Ok` if it has been replaced.
template <class R, class T> AB_FN R compare_exchange(ab::atomic<T>& cell, T current, T x) {
    const ab::word<T> old = ::atomicCAS((ab::word<T>*)&cell.value, ab::to_word(current), ab::to_word(x));
    if (old == ab::to_word(current)) return R{0, {current}, {}};
    return R{1, {}, {ab::from_word<T>(old)}};
}
template <class R, class T> AB_FN R compare_exchange_weak(ab::atomic<T>& cell, T current, T x) { return ab::compare_exchange<R>(cell, current, x); }
//@ fetch_add
template <class T> AB_FN T fetch_add(ab::atomic<T>& cell, T x) {
    if constexpr (ab::kind<T> == 'f') return ::atomicAdd(&cell.value, x);
    else return (T)::atomicAdd((ab::word<T>*)&cell.value, ab::to_word(x));
}
//@ fetch_sub
template <class T> AB_FN T fetch_sub(ab::atomic<T>& cell, T x) {
    if constexpr (ab::kind<T> == 'f') return ab::fetch_add(cell, -x);
    else return (T)::atomicAdd((ab::word<T>*)&cell.value, 0 - ab::to_word(x));
}
//@ fetch_and
template <class T> AB_FN T fetch_and(ab::atomic<T>& cell, T x) { return (T)::atomicAnd((ab::word<T>*)&cell.value, ab::to_word(x)); }
//@ fetch_or
template <class T> AB_FN T fetch_or(ab::atomic<T>& cell, T x) { return (T)::atomicOr((ab::word<T>*)&cell.value, ab::to_word(x)); }
//@ fetch_xor
template <class T> AB_FN T fetch_xor(ab::atomic<T>& cell, T x) { return (T)::atomicXor((ab::word<T>*)&cell.value, ab::to_word(x)); }
//@ fetch_nand
template <class T> AB_FN T fetch_nand(ab::atomic<T>& cell, T x) { return ab::change(cell, [x](T old) { return (T)~(old & x); }); }
//@ fetch_max
template <class T> AB_FN T fetch_max(ab::atomic<T>& cell, T x) {
    if constexpr (ab::kind<T> == 'f') return ab::change(cell, [x](T old) { return ab::max(old, x); });
    else return ::atomicMax(&cell.value, x);
}
//@ fetch_min
template <class T> AB_FN T fetch_min(ab::atomic<T>& cell, T x) {
    if constexpr (ab::kind<T> == 'f') return ab::change(cell, [x](T old) { return ab::min(old, x); });
    else return ::atomicMin(&cell.value, x);
}
