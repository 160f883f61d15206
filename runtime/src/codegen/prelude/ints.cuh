//@ .
// Other methods of ints.
//@ count_ones
AB_FN u32 count_ones_of(u32 x) { return (u32)__popc(x); }
AB_FN u32 count_ones_of(u64 x) { return (u32)__popcll(x); }
AB_FN u32 count_ones_of(u128 x) { return count_ones_of((u64)(x >> 64)) + count_ones_of((u64)x); }
template <class T> AB_FN u32 count_ones(T x) { return count_ones_of((ab::wide<T>)(ab::uns<T>)x); }
//@ count_zeros
template <class T> AB_FN u32 count_zeros(T x) { return ab::bits<T> - ab::count_ones(x); }
//@ trailing_zeros
// Ones in all positions below the lowest one bit; all bits for 0.
template <class T> AB_FN u32 trailing_zeros(T x) { return ab::count_ones((ab::uns<T>)(~(ab::wide<T>)x & ((ab::wide<T>)x - 1u))); }
//@ leading_ones
template <class T> AB_FN u32 leading_ones(T x) { return ab::leading_zeros(ab::inv(x)); }
//@ trailing_ones
template <class T> AB_FN u32 trailing_ones(T x) { return ab::trailing_zeros(ab::inv(x)); }
//@ rotate_left
template <class T> AB_FN T rotate_left(T x, u32 n) {
    const ab::uns<T> u = (ab::uns<T>)x;
    return (T)(ab::shl(u, n) | ab::shr(u, 0u - n));
}
//@ rotate_right
template <class T> AB_FN T rotate_right(T x, u32 n) {
    const ab::uns<T> u = (ab::uns<T>)x;
    return (T)(ab::shr(u, n) | ab::shl(u, 0u - n));
}
//@ reverse_bits
AB_FN u32 reverse_bits_of(u32 x) { return __brev(x); }
AB_FN u64 reverse_bits_of(u64 x) { return __brevll(x); }
AB_FN u128 reverse_bits_of(u128 x) { return (u128)reverse_bits_of((u64)x) << 64 | reverse_bits_of((u64)(x >> 64)); }
template <class T> AB_FN T reverse_bits(T x) {
    typedef ab::wide<T> W;
    return (T)(reverse_bits_of((W)(ab::uns<T>)x) >> (ab::bits<W> - ab::bits<T>));
}
//@ swap_bytes
AB_FN u32 swap_bytes_of(u32 x) { return __byte_perm(x, 0u, 0x0123u); }
AB_FN u64 swap_bytes_of(u64 x) { return (u64)swap_bytes_of((u32)x) << 32 | swap_bytes_of((u32)(x >> 32)); }
AB_FN u128 swap_bytes_of(u128 x) { return (u128)swap_bytes_of((u64)x) << 64 | swap_bytes_of((u64)(x >> 64)); }
template <class T> AB_FN T swap_bytes(T x) {
    typedef ab::wide<T> W;
    return (T)(swap_bytes_of((W)(ab::uns<T>)x) >> (ab::bits<W> - ab::bits<T>));
}
//@ unbounded_shl
template <class T> AB_FN T unbounded_shl(T a, u32 n) { return n < ab::bits<T> ? ab::shl(a, n) : (T)0; }
//@ unbounded_shr
template <class T> AB_FN T unbounded_shr(T a, u32 n) { return n < ab::bits<T> ? ab::shr(a, n) : (T)(ab::negative(a) ? -1 : 0); }
//@ is_power_of_two
template <class T> AB_FN bool is_power_of_two(T x) { return x != 0 && (x & (x - 1)) == 0; }
//@ next_power_of_two
// 0 if the result does not fit, as in release builds.
template <class T> AB_FN T next_power_of_two(T x) { return x <= 1 ? (T)1 : ab::add((T)(ab::max_of<T> >> ab::leading_zeros((T)(x - 1))), (T)1); }
//@ div_ceil
template <class T> AB_FN T div_ceil(ab::cx c, u32 site, T a, T b) {
    const T d = ab::divides(c, site, a, b);
    return (T)(a / d + (a % d != 0));
}
//@ abs_diff
template <class T> AB_FN ab::uns<T> abs_diff(T a, T b) { return (ab::uns<T>)(a < b ? ab::sub(b, a) : ab::sub(a, b)); }
//@ is_positive
template <class T> AB_FN bool is_positive(T x) { return x > 0; }
//@ is_negative
template <class T> AB_FN bool is_negative(T x) { return x < 0; }
//@ cast_signed
template <class T> AB_FN ab::sig<T> cast_signed(T x) { return (ab::sig<T>)x; }
//@ cast_unsigned
template <class T> AB_FN ab::uns<T> cast_unsigned(T x) { return (ab::uns<T>)x; }
//@ isqrt
// Digit by digit, from the highest one that the root can have.
template <class T> AB_FN T isqrt(ab::cx c, u32 site, T x) {
    if (__builtin_expect(ab::negative(x), 0)) { ab::die(c, site, 0, 0); x = 0; }
    typedef ab::wide<T> W;
    W rest = (W)x, root = 0;
    for (W bit = (W)1 << (ab::bits<W> - 2 - (ab::leading_zeros(rest | 1u) & ~1u)); bit != 0; bit >>= 2) {
        const bool set = rest >= root + bit;
        if (set) rest -= root + bit;
        root = (root >> 1) + (set ? bit : 0);
    }
    return (T)root;
}
//@ ilog2
template <class T> AB_FN u32 ilog2(ab::cx c, u32 site, T x) {
    if (__builtin_expect(x <= 0, 0)) { ab::die(c, site, 0, 0); x = 1; }
    return ab::bits<T> - 1u - ab::leading_zeros(x);
}
//@ ilog
// Fails with 1 for an invalid base, which Rust checks first, and with 0 for an invalid argument.
template <class T> AB_FN u32 ilog(ab::cx c, u32 site, T x, T base) {
    if (__builtin_expect(base < 2, 0)) { ab::die(c, site, 1, 0); base = 2; }
    if (__builtin_expect(x <= 0, 0)) { ab::die(c, site, 0, 0); x = 1; }
    u32 n = 0;
    for (; x >= base; x = (T)(x / base)) n++;
    return n;
}
//@ ilog10
template <class T> AB_FN u32 ilog10(ab::cx c, u32 site, T x) { return ab::ilog(c, site, x, (T)10); }
//@ is_multiple_of
template <class T> AB_FN bool is_multiple_of(T a, T b) { return b == 0 ? a == 0 : a % b == 0; }
//@ next_multiple_of
template <class T> AB_FN T next_multiple_of(ab::cx c, u32 site, T a, T b) {
    const T r = ab::rem(c, site, a, b);
    return r == 0 ? a : ab::add(a, (T)(b - r));
}
