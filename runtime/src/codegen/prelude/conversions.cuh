//@ .
// `as`, `from` and bits.
//@ to_bits
AB_FN u32 to_bits(f32 x) { return __float_as_uint(x); }
AB_FN u64 to_bits(f64 x) { return (u64)__double_as_longlong(x); }
template <class T> AB_FN ab::uns<T> to_bits(T x) { return x.b; }
//@ from_bits
template <class T> AB_FN T from_bits(ab::uns<T> x) {
    if constexpr (sizeof(T) == 2) return T::of(x);
    else if constexpr (sizeof(T) == 4) return __uint_as_float(x);
    else return __longlong_as_double((i64)x);
}
//@ to_int
// Float to int rounds towards zero and saturates, like the hardware. NaN becomes 0; the hardware
// does this only if neither side has 64 bits.
AB_FN void to_int(i32& r, f32 x) { r = __float2int_rz(x); }
AB_FN void to_int(u32& r, f32 x) { r = __float2uint_rz(x); }
AB_FN void to_int(i64& r, f32 x) { r = x != x ? 0 : __float2ll_rz(x); }
AB_FN void to_int(u64& r, f32 x) { r = x != x ? 0 : __float2ull_rz(x); }
AB_FN void to_int(i32& r, f64 x) { r = x != x ? 0 : __double2int_rz(x); }
AB_FN void to_int(u32& r, f64 x) { r = x != x ? 0 : __double2uint_rz(x); }
AB_FN void to_int(i64& r, f64 x) { r = x != x ? 0 : __double2ll_rz(x); }
AB_FN void to_int(u64& r, f64 x) { r = x != x ? 0 : __double2ull_rz(x); }
//@ to_wide_int
// No hardware converts to 128 bits, so this shifts the significand.
AB_FN void to_wide_int(u128& r, f64 x) {
    if (!(x >= 1.0)) { r = 0; return; }
    const u64 b = ab::to_bits(x);
    const u32 exponent = (u32)(b >> 52) - 1023;
    const u128 significand = (b & 0xfffffffffffffull) | 0x10000000000000ull;
    r = exponent >= 128 ? ~(u128)0 : exponent >= 52 ? significand << (exponent - 52) : significand >> (52 - exponent);
}
AB_FN void to_wide_int(i128& r, f64 x) {
    u128 magnitude;
    ab::to_wide_int(magnitude, x < 0.0 ? -x : x);
    const u128 limit = (u128)ab::max_of<i128> + (x < 0.0);
    if (magnitude > limit) magnitude = limit;
    r = (i128)(x < 0.0 ? 0 - magnitude : magnitude);
}
//@ leading_zeros
AB_FN u32 leading_zeros_of(u32 x) { return (u32)__clz((i32)x); }
AB_FN u32 leading_zeros_of(u64 x) { return (u32)__clzll((i64)x); }
AB_FN u32 leading_zeros_of(u128 x) { return x >> 64 ? leading_zeros_of((u64)(x >> 64)) : 64 + leading_zeros_of((u64)x); }
template <class T> AB_FN u32 leading_zeros(T x) {
    typedef ab::wide<T> W;
    return leading_zeros_of((W)(ab::uns<T>)x) - (ab::bits<W> - ab::bits<T>);
}
//@ from_wide_int
// The upper 64 bits of the normalized number, with all lower bits or-ed into the last bit, round
// like the number itself. The scale is a power of two, so the product is exact (2^128 overflows to
// f32's infinity, as in Rust).
template <class T> AB_FN T from_wide_int(u128 x) {
    if (x == 0) return (T)0;
    const u32 zeros = ab::leading_zeros(x);
    const u128 normal = x << zeros;
    const u64 upper = (u64)(normal >> 64) | ((u64)normal != 0);
    if constexpr (sizeof(T) == 4) return (f32)upper * ab::from_bits<f32>((191 - zeros) << 23);
    else return (f64)upper * ab::from_bits<f64>((u64)(1087 - zeros) << 52);
}
//@ odd
// The f32 that rounds to a half float as this number does: towards zero, with an odd last digit if
// it is not exact.
AB_FN f32 odd(f32 x) { return x; }
AB_FN f32 odd(f64 x) {
    const f32 near = (f32)x;
    if ((f64)near == x || x != x) return near;
    return ab::from_bits<f32>((ab::to_bits(near) - (::fabs((f64)near) > ::fabs(x))) | 1u);
}
template <class T> AB_FN f32 odd(T x) {
    if constexpr (sizeof(T) <= 2) return (f32)x;
    else {
        if (ab::negative(x)) return -ab::odd((ab::uns<T>)(0 - (ab::uns<T>)x));
        const u32 length = ab::bits<T> - ab::leading_zeros(x), unused = length > 24 ? length - 24 : 0;
        const ab::uns<T> kept = (ab::uns<T>)x >> unused;
        return (f32)((u32)kept | (u32)(kept << unused != (ab::uns<T>)x)) * ab::from_bits<f32>((127 + unused) << 23);
    }
}
//@ as
template <class T, class F> AB_FN T as(F x) {
    constexpr bool from_float = ab::kind<F> == 'f', to_float = ab::kind<T> == 'f';
    if constexpr (from_float && sizeof(F) == 2) return ab::as<T>((f32)x);
    else if constexpr (to_float && sizeof(T) == 2) return (T)ab::odd(x);
    else if constexpr (from_float && !to_float) {
        if constexpr (sizeof(T) == 16) { T r; ab::to_wide_int(r, (f64)x); return r; }
        else if constexpr (sizeof(T) >= 4) { T r; ab::to_int(r, x); return r; }
        else if constexpr (ab::kind<T> == 'i') { i32 r; ab::to_int(r, x); return (T)(r < ab::min_of<T> ? ab::min_of<T> : r > ab::max_of<T> ? ab::max_of<T> : r); }
        else { u32 r; ab::to_int(r, x); return (T)(r > ab::max_of<T> ? ab::max_of<T> : r); }
    } else if constexpr (to_float && !from_float && sizeof(F) == 16) {
        if (ab::kind<F> == 'i' && x < 0) return -ab::from_wide_int<T>(0 - (u128)x);
        return ab::from_wide_int<T>((u128)x);
    } else return static_cast<T>(x);
}
//@ to_f32 to_f64 from_f32 from_f64
// Methods of half floats.
template <class T> AB_FN f32 to_f32(T x) { return (f32)x; }
template <class T> AB_FN f64 to_f64(T x) { return (f64)(f32)x; }
template <class T> AB_FN T from_f32(f32 x) { return (T)x; }
template <class T> AB_FN T from_f64(f64 x) { return ab::as<T>(x); }
//@ from
template <class T, class F> AB_FN T from(F x) { return ab::as<T>(x); }
