//@ .
// Collectives: what all threads of a block compute together. `cpu/collectives.rs` says in which
// order they fold, so that sums of floats have the same bits on all devices.
//
// All threads of the block call them, `thread` being their number. Between two of them that use the
// same room there is a barrier, because the first may still be read: `analysis/barriers/rooms.rs`
// says where. Every thread folds the totals of the warps itself, from shared memory. So all threads
// have one result, bit for bit, even if some of the block have failed, which leaves garbage in it:
// they go one way, and meet at the same barriers.
//@ room
// Shared memory for N values. It is raw, because what is shared must have no constructor.
// Collectives use several rooms in turns, by their numbers.
template <u32 Room, class V, u32 N> AB_FN V* room() {
    alignas(V) __shared__ unsigned char places[N * sizeof(V)];
    return reinterpret_cast<V*>(places);
}
//@ lanes mask
// How many lanes the thread's warp has in a block of T threads, the last one maybe fewer than 32;
// and those lanes as the mask of a shuffle.
template <u32 T> AB_FN u32 lanes(u32 thread) { return T % 32u != 0u && thread / 32u == T / 32u ? T % 32u : 32u; }
AB_FN u32 mask(u32 lanes) { return ~0u >> (32u - lanes); }
//@ from_above from_below from_lane
// Shuffles, as types: NVRTC takes the body of a generic closure for code of the host.
struct from_above {
    u32 by;
    template <class X> AB_FN X operator()(X x) const { return __shfl_down_sync(~0u, x, by); }
};
struct from_below {
    u32 mask, by;
    template <class X> AB_FN X operator()(X x) const { return __shfl_up_sync(mask, x, by); }
};
struct from_lane {
    u32 mask, lane;
    template <class X> AB_FN X operator()(X x) const { return __shfl_sync(mask, x, lane); }
};
//@ shuffled
// A number through a shuffle, which moves 4 or 8 bytes.
template <class V, class S> AB_FN V shuffled(V v, S shuffle) {
    if constexpr (sizeof(V) == 4 || sizeof(V) == 8) return shuffle(v);
    else if constexpr (sizeof(V) == 16) {
        const u64 low = shuffle((u64)v), high = shuffle((u64)((u128)v >> 64));
        return (V)((u128)high << 64 | low);
    }
    else if constexpr (ab::kind<V> == 'f') return V::of((u16)shuffle((u32)v.b));
    else return (V)shuffle((u32)v);
}
//@ met
// The barrier of a collective, which tells which threads have failed where somebody asks.
template <u32 T> AB_FN void met() {
    if constexpr (T <= 32u) __syncwarp();
    else __syncthreads();
}
template <u32 T> AB_FN void met(const ab::cx& own) {
    if constexpr (T <= 32u) ab::meet_warp(own);
    else ab::meet(own);
}
//@ told
// The same where a barrier follows anyway.
AB_FN void told() {}
AB_FN void told(const ab::cx& own) {
#if defined(AB_GO_ON)
    ab::meet(own);
#endif
}
//@ block_fold
template <u32 T, u32 Room, class F, class V, class... C> AB_FN V block_fold(F op, u32 thread, V v, const C&... own) {
    constexpr u32 warps = (T + 31u) / 32u;
    const u32 lane = thread % 32u, lanes = ab::lanes<T>(thread);
#pragma unroll
    for (u32 by = 16u; by > 0u; by /= 2u) {
        if constexpr (T % 32u == 0u) v = op(v, ab::shuffled(v, ab::from_above{by}));
        else {
            // What a lane that is not there has is undefined: a lane that would read it reads
            // itself.
            const bool there = lane + by < lanes;
            const V other = ab::shuffled(v, ab::from_lane{ab::mask(lanes), there ? lane + by : lane});
            if (there) v = op(v, other);
        }
    }
    V* const totals = ab::room<Room, V, warps>();
    if (lane == 0u) totals[thread / 32u] = v;
    ab::met<T>(own...);
    V all[warps];
#pragma unroll
    for (u32 w = 0u; w < warps; w++) all[w] = totals[w];
#pragma unroll
    for (u32 by = 16u; by > 0u; by /= 2u) {
        // As many rounds for each distance: otherwise NVRTC does not unroll them, and keeps the
        // totals in memory.
#pragma unroll
        for (u32 w = 0u; w < 16u; w++) {
            if (w < by && w + by < warps) all[w] = op(all[w], all[w + by]);
        }
    }
    return all[0];
}
//@ block_sum
template <u32 T, u32 Room, class V, class... C> AB_FN V block_sum(u32 thread, V v, const C&... own) {
    return ab::block_fold<T, Room>([](V a, V b) { return ab::plus(a, b); }, thread, v, own...);
}
//@ block_product
template <u32 T, u32 Room, class V, class... C> AB_FN V block_product(u32 thread, V v, const C&... own) {
    return ab::block_fold<T, Room>([](V a, V b) { return ab::times(a, b); }, thread, v, own...);
}
//@ block_min
template <u32 T, u32 Room, class V, class... C> AB_FN V block_min(u32 thread, V v, const C&... own) {
    return ab::block_fold<T, Room>([](V a, V b) { return ab::min(a, b); }, thread, v, own...);
}
//@ block_max
template <u32 T, u32 Room, class V, class... C> AB_FN V block_max(u32 thread, V v, const C&... own) {
    return ab::block_fold<T, Room>([](V a, V b) { return ab::max(a, b); }, thread, v, own...);
}
//@ block_any
// Those of `bool` are barriers themselves.
template <class... C> AB_FN bool block_any(bool v, const C&... own) {
    ab::told(own...);
    const bool any = __syncthreads_or(v) != 0;
    ab::ends(own...);
    return any;
}
//@ block_all
template <class... C> AB_FN bool block_all(bool v, const C&... own) {
    ab::told(own...);
    const bool all = __syncthreads_and(v) != 0;
    ab::ends(own...);
    return all;
}
//@ block_count
template <class... C> AB_FN usize block_count(bool v, const C&... own) {
    ab::told(own...);
    const usize count = (usize)__syncthreads_count(v);
    ab::ends(own...);
    return count;
}
//@ block_broadcast
template <u32 T, u32 Room, class V> AB_FN V block_broadcast(u32 thread, const V& v, const ab::cx& c, u32 site, usize of, const ab::cx& own) {
    if (__builtin_expect(of >= T, 0)) { ab::die(c, site, of, T); of = 0; }
    V* const place = ab::room<Room, V, 1u>();
    if (thread == of) *place = v;
    ab::met<T>(own);
    return *place;
}
//@ block_scan
// The sum up to the thread's own value, or to the one before it.
template <u32 T, u32 Room, bool Inclusive, class V, class... C> AB_FN V block_scan(u32 thread, V v, const C&... own) {
    constexpr u32 warps = (T + 31u) / 32u;
    const u32 lane = thread % 32u, warp = thread / 32u, lanes = ab::lanes<T>(thread);
#pragma unroll
    for (u32 by = 1u; by < 32u; by *= 2u) {
        const V other = ab::shuffled(v, ab::from_below{ab::mask(lanes), by});
        if (lane >= by) v = ab::plus(other, v);
    }
    V* const totals = ab::room<Room, V, warps>();
    if (lane == 31u) totals[warp] = v;
    if constexpr (!Inclusive) v = ab::shuffled(v, ab::from_below{ab::mask(lanes), 1u});
    ab::met<T>(own...);
    // The sum of nothing. For floats it is the zero that changes no other.
    if (!Inclusive && thread == 0u) return (V)-0.0f;
    if (warp == 0u) return v;
    V before = totals[0];
    if constexpr (warps <= 8u) {
        // Their loads need not wait for each other.
#pragma unroll
        for (u32 w = 1u; w + 1u < warps; w++) {
            if (w < warp) before = ab::plus(before, totals[w]);
        }
    } else {
        for (u32 w = 1u; w + 1u < warps && w < warp; w++) before = ab::plus(before, totals[w]);
    }
    return !Inclusive && lane == 0u ? before : ab::plus(before, v);
}
//@ block_inclusive_sum
template <u32 T, u32 Room, class V, class... C> AB_FN V block_inclusive_sum(u32 thread, V v, const C&... own) {
    return ab::block_scan<T, Room, true>(thread, v, own...);
}
//@ block_exclusive_sum
template <u32 T, u32 Room, class V, class... C> AB_FN V block_exclusive_sum(u32 thread, V v, const C&... own) {
    return ab::block_scan<T, Room, false>(thread, v, own...);
}
