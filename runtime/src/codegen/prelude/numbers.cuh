//@ .
// Methods of both ints and floats. The templates are also those of half floats.
//@ abs
AB_FN f32 abs(f32 x) { return ::fabsf(x); }
AB_FN f64 abs(f64 x) { return ::fabs(x); }
template <class T> AB_FN T abs(T x) {
    if constexpr (ab::kind<T> == 'f') return T::of(x.b & 0x7fff);
    else return x < 0 ? ab::neg(x) : x;
}
//@ min
// Of two zeros, -0 is the smaller one, as for the instruction. C leaves that open, and NVRTC takes
// another zero where it knows both operands.
#if defined(__EDG__)
AB_FN f32 min(f32 a, f32 b) { f32 r; asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
AB_FN f64 min(f64 a, f64 b) { f64 r; asm("min.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; }
#else
AB_FN f32 min(f32 a, f32 b) { return a == b ? __uint_as_float(__float_as_uint(a) | __float_as_uint(b)) : ::fminf(a, b); }
AB_FN f64 min(f64 a, f64 b) { return a == b ? __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b)) : ::fmin(a, b); }
#endif
template <class T> AB_FN T min(T a, T b) {
    if constexpr (ab::kind<T> == 'f') return a == b ? T::of(a.b | b.b) : b < a || a != a ? b : a;
    else return b < a ? b : a;
}
//@ max
#if defined(__EDG__)
AB_FN f32 max(f32 a, f32 b) { f32 r; asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
AB_FN f64 max(f64 a, f64 b) { f64 r; asm("max.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; }
#else
AB_FN f32 max(f32 a, f32 b) { return a == b ? __uint_as_float(__float_as_uint(a) & __float_as_uint(b)) : ::fmaxf(a, b); }
AB_FN f64 max(f64 a, f64 b) { return a == b ? __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b)) : ::fmax(a, b); }
#endif
template <class T> AB_FN T max(T a, T b) {
    if constexpr (ab::kind<T> == 'f') return a == b ? T::of(a.b & b.b) : b > a || a != a ? b : a;
    else return b < a ? a : b;
}
//@ narrow_min narrow_max narrow_saturating_sub
// Index arithmetic in 32 bits, for operands that fit.
AB_FN i32 narrow_min(i32 a, i32 b) { return b < a ? b : a; }
AB_FN i32 narrow_max(i32 a, i32 b) { return b < a ? a : b; }
// For operands from 0 on. Written so that the compiler sees a maximum: surrounding loops are
// unrolled like hand-written ones.
AB_FN i32 narrow_saturating_sub(i32 a, i32 b) { return a - b < 0 ? 0 : a - b; }
//@ clamp
// Keeps NaN, unlike min and max. Rust's message differs for ints (0), floats (1) and other ordered
// types (2).
template <class T> AB_FN T clamp(ab::cx c, u32 site, T x, T lo, T hi) {
    if (__builtin_expect(!(lo <= hi), 0)) ab::die(c, site, ab::kind<T> == 'f' ? 1 : ab::kind<T> == 'i' || ab::kind<T> == 'u' ? 0 : 2, 0);
    return x < lo ? lo : x > hi ? hi : x;
}
//@ signum
AB_FN f32 signum(f32 x) { return x != x ? x : ::copysignf(1.0f, x); }
AB_FN f64 signum(f64 x) { return x != x ? x : ::copysign(1.0, x); }
template <class T> AB_FN T signum(T x) {
    if constexpr (ab::kind<T> == 'f') return x != x ? x : (T)::copysignf(1.0f, (f32)x);
    else return (T)((x > 0) - (x < 0));
}
//@ rem_euclid
template <class T> AB_FN T rem_euclid(ab::cx c, u32 site, T a, T b) {
    const T r = ab::rem(c, site, a, b);
    if constexpr (ab::kind<T> == 'u') return r;
    else return r < (T)0 ? ab::add(r, ab::abs(b)) : r;
}
//@ div_euclid
template <class T> AB_FN T div_euclid(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'f' && sizeof(T) == 2) return (T)ab::div_euclid(c, site, (f32)a, (f32)b);
    else if constexpr (ab::kind<T> == 'f') {
        const T q = ab::trunc(a / b);
        return ab::rem(a, b) < 0 ? (b > 0 ? q - 1 : q + 1) : q;
    } else {
        const T d = ab::divides(c, site, a, b), q = (T)(a / d), r = (T)(a % d);
        if constexpr (ab::kind<T> == 'u') return q;
        else return r < 0 ? (T)(d > 0 ? q - 1 : q + 1) : q;
    }
}
//@ midpoint
// For ints rounded towards zero: the bits that both have, and half of those that only one has.
AB_FN f32 midpoint(f32 a, f32 b) { return (f32)(((f64)a + (f64)b) / 2.0); }
AB_FN f64 midpoint(f64 a, f64 b) {
    const f64 half = 1.7976931348623157e308 / 2.0;
    return ::fabs(a) <= half && ::fabs(b) <= half ? ab::plus(a, b) / 2.0 : a / 2.0 + b / 2.0;
}
template <class T> AB_FN T midpoint_of_ints(T a, T b) {
    const T down = (T)((a & b) + ((a ^ b) >> 1));
    return (T)(down + (ab::negative(down) && ((a ^ b) & 1)));
}
template <class T> AB_FN T midpoint(T a, T b) {
    if constexpr (ab::kind<T> == 'f') return (T)ab::midpoint((f32)a, (f32)b);
    else return midpoint_of_ints(a, b);
}
