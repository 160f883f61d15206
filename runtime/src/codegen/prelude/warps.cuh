//@ vote
// Collectives of the warps of a block, which are whole. `cpu/collectives.rs` says in which order
// they fold. The threads of a warp run them together and wait for no others: there is no barrier in
// them, and nothing in shared memory.
AB_FN u32 vote(bool v) { return __ballot_sync(~0u, v); }
//@ warp_ballot
AB_FN u32 warp_ballot(bool v) { return ab::vote(v); }
//@ warp_any
AB_FN bool warp_any(bool v) { return ab::vote(v) != 0u; }
//@ warp_all
AB_FN bool warp_all(bool v) { return ab::vote(v) == ~0u; }
//@ warp_count
AB_FN usize warp_count(bool v) { return (usize)ab::count_ones(ab::vote(v)); }
//@ warp_matching
// By one vote for each bit: the threads with the same bit. For wider values CUDA has an
// instruction.
template <class V> AB_FN u32 warp_matching(V v) {
#if !defined(AB_HIP)
    if constexpr (sizeof(V) == 8) return __match_any_sync(~0u, (u64)v);
    if constexpr (sizeof(V) >= 2) return __match_any_sync(~0u, (u32)v);
#endif
    u32 equal = ~0u;
#pragma unroll
    for (u32 bit = 0u; bit < (ab::kind<V> == 'b' ? 1u : ab::bits<V>); bit++) {
        const bool set = ((u64)v >> bit & 1u) != 0u;
        const u32 those = ab::vote(set);
        equal &= set ? those : ~those;
    }
    return equal;
}
//@ warp_shuffle
template <class V, class L> AB_FN V warp_shuffle(const ab::tuple<V, L>& own) {
    return ab::shuffled(own.m0, ab::from_lane{~0u, (u32)own.m1 % 32u});
}
//@ warp_fold
template <class F, class V> AB_FN V warp_fold(F op, V v) {
#pragma unroll
    for (u32 by = 16u; by > 0u; by /= 2u) v = op(v, ab::shuffled(v, ab::from_above{by}));
    return ab::shuffled(v, ab::from_lane{~0u, 0u});
}
//@ warp_sum
template <class V> AB_FN V warp_sum(V v) {
    return ab::warp_fold([](V a, V b) { return ab::plus(a, b); }, v);
}
//@ warp_product
template <class V> AB_FN V warp_product(V v) {
    return ab::warp_fold([](V a, V b) { return ab::times(a, b); }, v);
}
//@ warp_min
template <class V> AB_FN V warp_min(V v) {
    return ab::warp_fold([](V a, V b) { return ab::min(a, b); }, v);
}
//@ warp_max
template <class V> AB_FN V warp_max(V v) {
    return ab::warp_fold([](V a, V b) { return ab::max(a, b); }, v);
}
//@ warp_scan
// The sum up to the thread's own value, or to the one before it.
template <bool Inclusive, class V> AB_FN V warp_scan(u32 thread, V v) {
    const u32 lane = thread % 32u;
#pragma unroll
    for (u32 by = 1u; by < 32u; by *= 2u) {
        const V other = ab::shuffled(v, ab::from_below{~0u, by});
        if (lane >= by) v = ab::plus(other, v);
    }
    if constexpr (Inclusive) return v;
    else {
        v = ab::shuffled(v, ab::from_below{~0u, 1u});
        // The sum of nothing. For floats it is the zero that changes no other.
        return lane == 0u ? (V)-0.0f : v;
    }
}
//@ warp_inclusive_sum
template <class V> AB_FN V warp_inclusive_sum(u32 thread, V v) { return ab::warp_scan<true>(thread, v); }
//@ warp_exclusive_sum
template <class V> AB_FN V warp_exclusive_sum(u32 thread, V v) { return ab::warp_scan<false>(thread, v); }
