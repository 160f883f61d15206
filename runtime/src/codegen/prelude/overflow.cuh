//@ .
// The methods of ints with explicit overflow behaviour.
//@ pow
template <class T> AB_FN T pow(T x, u32 n) {
    T r = (T)1;
    for (; n != 0u; n >>= 1) {
        if (n & 1u) r = ab::mul(r, x);
        x = ab::mul(x, x);
    }
    return r;
}
//@ wrapping_add
template <class T> AB_FN T wrapping_add(T a, T b) { return ab::add(a, b); }
//@ wrapping_sub
template <class T> AB_FN T wrapping_sub(T a, T b) { return ab::sub(a, b); }
//@ wrapping_mul
template <class T> AB_FN T wrapping_mul(T a, T b) { return ab::mul(a, b); }
//@ wrapping_neg
template <class T> AB_FN T wrapping_neg(T a) { return ab::neg(a); }
//@ wrapping_shl
template <class T> AB_FN T wrapping_shl(T a, u32 s) { return ab::shl(a, s); }
//@ wrapping_shr
template <class T> AB_FN T wrapping_shr(T a, u32 s) { return ab::shr(a, s); }
//@ wrapping_abs
template <class T> AB_FN T wrapping_abs(T a) { return ab::abs(a); }
//@ wrapping_pow
template <class T> AB_FN T wrapping_pow(T a, u32 n) { return ab::pow(a, n); }
//@ wrapping_add_signed
template <class T> AB_FN T wrapping_add_signed(T a, ab::sig<T> b) { return ab::add(a, (T)b); }
//@ wrapping_sub_signed
template <class T> AB_FN T wrapping_sub_signed(T a, ab::sig<T> b) { return ab::sub(a, (T)b); }
//@ wrapping_add_unsigned
template <class T> AB_FN T wrapping_add_unsigned(T a, ab::uns<T> b) { return ab::add(a, (T)b); }
//@ wrapping_sub_unsigned
template <class T> AB_FN T wrapping_sub_unsigned(T a, ab::uns<T> b) { return ab::sub(a, (T)b); }
//@ overflows
// Whether a / b does not fit.
template <class T> AB_FN bool overflows(T a, T b) {
    if constexpr (ab::kind<T> == 'i') return b == -1 && a == ab::min_of<T>;
    else return false;
}
//@ wrapping_div
template <class T> AB_FN T wrapping_div(ab::cx c, u32 site, T a, T b) { return ab::overflows(a, b) ? a : ab::div(c, site, a, b); }
//@ wrapping_rem
template <class T> AB_FN T wrapping_rem(ab::cx c, u32 site, T a, T b) { return ab::overflows(a, b) ? (T)0 : ab::rem(c, site, a, b); }
//@ wrapping_div_euclid
template <class T> AB_FN T wrapping_div_euclid(ab::cx c, u32 site, T a, T b) { return ab::overflows(a, b) ? a : ab::div_euclid(c, site, a, b); }
//@ wrapping_rem_euclid
template <class T> AB_FN T wrapping_rem_euclid(ab::cx c, u32 site, T a, T b) { return ab::overflows(a, b) ? (T)0 : ab::rem_euclid(c, site, a, b); }
//@ overflowing_div
template <class T> AB_FN ab::tuple<T, bool> overflowing_div(ab::cx c, u32 site, T a, T b) { return {ab::wrapping_div(c, site, a, b), ab::overflows(a, b)}; }
//@ overflowing_rem
template <class T> AB_FN ab::tuple<T, bool> overflowing_rem(ab::cx c, u32 site, T a, T b) { return {ab::wrapping_rem(c, site, a, b), ab::overflows(a, b)}; }
//@ overflowing_div_euclid
template <class T> AB_FN ab::tuple<T, bool> overflowing_div_euclid(ab::cx c, u32 site, T a, T b) { return {ab::wrapping_div_euclid(c, site, a, b), ab::overflows(a, b)}; }
//@ overflowing_rem_euclid
template <class T> AB_FN ab::tuple<T, bool> overflowing_rem_euclid(ab::cx c, u32 site, T a, T b) { return {ab::wrapping_rem_euclid(c, site, a, b), ab::overflows(a, b)}; }
//@ overflowing_add
template <class T> AB_FN ab::tuple<T, bool> overflowing_add(T a, T b) {
    const T r = ab::add(a, b);
    if constexpr (ab::kind<T> == 'u') return {r, r < a};
    else return {r, (T)((a ^ r) & (b ^ r)) < 0};
}
//@ overflowing_sub
template <class T> AB_FN ab::tuple<T, bool> overflowing_sub(T a, T b) {
    const T r = ab::sub(a, b);
    if constexpr (ab::kind<T> == 'u') return {r, a < b};
    else return {r, (T)((a ^ b) & (a ^ r)) < 0};
}
//@ unsigned_abs
template <class T> AB_FN ab::uns<T> unsigned_abs(T x) {
    if constexpr (ab::kind<T> == 'u') return x;
    else return (ab::uns<T>)ab::abs(x);
}
//@ full_product
// The lower and the upper half of a * b.
template <class U> AB_FN ab::tuple<U, U> full_product(U a, U b) {
    // As a product of 64 bits with a constant above 2^31, NVRTC also adds the upper halves of both,
    // which are 0.
    if constexpr (sizeof(U) == 4) return {a * b, __umulhi(a, b)};
    else if constexpr (sizeof(U) < 4) {
        const u64 exact = (u64)a * b;
        return {(U)exact, (U)(exact >> ab::bits<U>)};
    } else if constexpr (sizeof(U) == 8) {
        const u128 exact = (u128)a * b;
        return {(U)exact, (U)(exact >> 64)};
    } else {
        const u64 a1 = (u64)(a >> 64), a0 = (u64)a, b1 = (u64)(b >> 64), b0 = (u64)b;
        const u128 p00 = (u128)a0 * b0, p01 = (u128)a0 * b1, p10 = (u128)a1 * b0, p11 = (u128)a1 * b1;
        const u128 middle = (p00 >> 64) + (u64)p01 + (u64)p10;
        return {(middle << 64) | (u64)p00, p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64)};
    }
}
//@ overflowing_mul
template <class T> AB_FN ab::tuple<T, bool> overflowing_mul(T a, T b) {
    const auto product = ab::full_product(ab::unsigned_abs(a), ab::unsigned_abs(b));
    if constexpr (ab::kind<T> == 'u') return {product.m0, product.m1 != 0};
    else {
        const ab::uns<T> limit = (ab::uns<T>)((ab::uns<T>)ab::max_of<T> + ((a < 0) != (b < 0)));
        return {ab::mul(a, b), product.m1 != 0 || product.m0 > limit};
    }
}
//@ overflowing_neg
template <class T> AB_FN ab::tuple<T, bool> overflowing_neg(T a) { return {ab::neg(a), ab::kind<T> == 'u' ? a != 0 : a == ab::min_of<T>}; }
//@ overflowing_abs
template <class T> AB_FN ab::tuple<T, bool> overflowing_abs(T a) { return {ab::abs(a), a == ab::min_of<T>}; }
//@ overflowing_shl
template <class T> AB_FN ab::tuple<T, bool> overflowing_shl(T a, u32 n) { return {ab::shl(a, n), n >= ab::bits<T>}; }
//@ overflowing_shr
template <class T> AB_FN ab::tuple<T, bool> overflowing_shr(T a, u32 n) { return {ab::shr(a, n), n >= ab::bits<T>}; }
//@ overflowing_pow
// A square that overflows counts only if it is used; the last square is not used.
template <class T> AB_FN ab::tuple<T, bool> overflowing_pow(T x, u32 n) {
    ab::tuple<T, bool> r{(T)1, false};
    bool over = false;
    while (n != 0u) {
        if (n & 1u) {
            const auto next = ab::overflowing_mul(r.m0, x);
            r.m0 = next.m0;
            r.m1 |= next.m1 | over;
        }
        n >>= 1;
        const auto square = ab::overflowing_mul(x, x);
        x = square.m0;
        over |= square.m1;
    }
    return r;
}
//@ mixed
// The overflow of a sum or difference whose right operand has the other signedness: if its highest
// bit is set, it was read as a number that differs by the whole range of the type.
template <class T, class U> AB_FN ab::tuple<T, bool> mixed(const ab::tuple<T, bool>& r, U b) { return {r.m0, r.m1 != ((ab::sig<T>)b < 0)}; }
//@ overflowing_add_signed
template <class T> AB_FN ab::tuple<T, bool> overflowing_add_signed(T a, ab::sig<T> b) { return ab::mixed(ab::overflowing_add(a, (T)b), b); }
//@ overflowing_sub_signed
template <class T> AB_FN ab::tuple<T, bool> overflowing_sub_signed(T a, ab::sig<T> b) { return ab::mixed(ab::overflowing_sub(a, (T)b), b); }
//@ overflowing_add_unsigned
template <class T> AB_FN ab::tuple<T, bool> overflowing_add_unsigned(T a, ab::uns<T> b) { return ab::mixed(ab::overflowing_add(a, (T)b), b); }
//@ overflowing_sub_unsigned
template <class T> AB_FN ab::tuple<T, bool> overflowing_sub_unsigned(T a, ab::uns<T> b) { return ab::mixed(ab::overflowing_sub(a, (T)b), b); }
//@ saturate
// Replaces an overflowed result by the smallest or the greatest value.
template <class T> AB_FN T saturate(const ab::tuple<T, bool>& r, bool down) { return !r.m1 ? r.m0 : down ? ab::min_of<T> : ab::max_of<T>; }
//@ saturating_add
template <class T> AB_FN T saturating_add(T a, T b) { return ab::saturate(ab::overflowing_add(a, b), ab::negative(a)); }
//@ saturating_sub
template <class T> AB_FN T saturating_sub(T a, T b) { return ab::saturate(ab::overflowing_sub(a, b), ab::kind<T> == 'u' || ab::negative(a)); }
//@ saturating_mul
template <class T> AB_FN T saturating_mul(T a, T b) { return ab::saturate(ab::overflowing_mul(a, b), ab::negative(a) != ab::negative(b)); }
//@ saturating_pow
template <class T> AB_FN T saturating_pow(T x, u32 n) { return ab::saturate(ab::overflowing_pow(x, n), ab::negative(x) && (n & 1u)); }
//@ saturating_neg
template <class T> AB_FN T saturating_neg(T a) { return ab::saturate(ab::overflowing_neg(a), false); }
//@ saturating_abs
template <class T> AB_FN T saturating_abs(T a) { return ab::saturate(ab::overflowing_abs(a), false); }
//@ saturating_div
template <class T> AB_FN T saturating_div(ab::cx c, u32 site, T a, T b) { return ab::saturate(ab::overflowing_div(c, site, a, b), false); }
//@ saturating_add_signed
template <class T> AB_FN T saturating_add_signed(T a, ab::sig<T> b) { return ab::saturate(ab::overflowing_add_signed(a, b), b < 0); }
//@ saturating_sub_signed
template <class T> AB_FN T saturating_sub_signed(T a, ab::sig<T> b) { return ab::saturate(ab::overflowing_sub_signed(a, b), b > 0); }
//@ saturating_add_unsigned
template <class T> AB_FN T saturating_add_unsigned(T a, ab::uns<T> b) { return ab::saturate(ab::overflowing_add_unsigned(a, b), false); }
//@ saturating_sub_unsigned
template <class T> AB_FN T saturating_sub_unsigned(T a, ab::uns<T> b) { return ab::saturate(ab::overflowing_sub_unsigned(a, b), true); }
//@ strict
// Fails if the result has overflowed.
template <class T> AB_FN T strict(ab::cx c, u32 site, const ab::tuple<T, bool>& r) {
    if (__builtin_expect(r.m1, 0)) ab::die(c, site, 0, 0);
    return r.m0;
}
//@ strict_add
template <class T> AB_FN T strict_add(ab::cx c, u32 site, T a, T b) { return ab::strict(c, site, ab::overflowing_add(a, b)); }
//@ strict_sub
template <class T> AB_FN T strict_sub(ab::cx c, u32 site, T a, T b) { return ab::strict(c, site, ab::overflowing_sub(a, b)); }
//@ strict_mul
template <class T> AB_FN T strict_mul(ab::cx c, u32 site, T a, T b) { return ab::strict(c, site, ab::overflowing_mul(a, b)); }
//@ strict_neg
template <class T> AB_FN T strict_neg(ab::cx c, u32 site, T a) { return ab::strict(c, site, ab::overflowing_neg(a)); }
//@ strict_abs
template <class T> AB_FN T strict_abs(ab::cx c, u32 site, T a) { return ab::strict(c, site, ab::overflowing_abs(a)); }
//@ strict_pow
template <class T> AB_FN T strict_pow(ab::cx c, u32 site, T a, u32 n) { return ab::strict(c, site, ab::overflowing_pow(a, n)); }
//@ strict_shl
template <class T> AB_FN T strict_shl(ab::cx c, u32 site, T a, u32 n) { return ab::strict(c, site, ab::overflowing_shl(a, n)); }
//@ strict_shr
template <class T> AB_FN T strict_shr(ab::cx c, u32 site, T a, u32 n) { return ab::strict(c, site, ab::overflowing_shr(a, n)); }
//@ strict_add_signed
template <class T> AB_FN T strict_add_signed(ab::cx c, u32 site, T a, ab::sig<T> b) { return ab::strict(c, site, ab::overflowing_add_signed(a, b)); }
//@ strict_sub_signed
template <class T> AB_FN T strict_sub_signed(ab::cx c, u32 site, T a, ab::sig<T> b) { return ab::strict(c, site, ab::overflowing_sub_signed(a, b)); }
//@ strict_add_unsigned
template <class T> AB_FN T strict_add_unsigned(ab::cx c, u32 site, T a, ab::uns<T> b) { return ab::strict(c, site, ab::overflowing_add_unsigned(a, b)); }
//@ strict_sub_unsigned
template <class T> AB_FN T strict_sub_unsigned(ab::cx c, u32 site, T a, ab::uns<T> b) { return ab::strict(c, site, ab::overflowing_sub_unsigned(a, b)); }
//@ strict_div
template <class T> AB_FN T strict_div(ab::cx c, u32 site, T a, T b) { return ab::div(c, site, a, b); }
//@ strict_rem
template <class T> AB_FN T strict_rem(ab::cx c, u32 site, T a, T b) { return ab::rem(c, site, a, b); }
//@ strict_div_euclid
template <class T> AB_FN T strict_div_euclid(ab::cx c, u32 site, T a, T b) { return ab::div_euclid(c, site, a, b); }
//@ strict_rem_euclid
template <class T> AB_FN T strict_rem_euclid(ab::cx c, u32 site, T a, T b) { return ab::rem_euclid(c, site, a, b); }
//@ carrying_add
template <class T> AB_FN ab::tuple<T, bool> carrying_add(T a, T b, bool carry) {
    const auto sum = ab::overflowing_add(a, b), all = ab::overflowing_add(sum.m0, (T)carry);
    return {all.m0, sum.m1 || all.m1};
}
//@ borrowing_sub
template <class T> AB_FN ab::tuple<T, bool> borrowing_sub(T a, T b, bool borrow) {
    const auto rest = ab::overflowing_sub(a, b), all = ab::overflowing_sub(rest.m0, (T)borrow);
    return {all.m0, rest.m1 || all.m1};
}
//@ carrying_mul_add
template <class T> AB_FN ab::tuple<T, T> carrying_mul_add(T a, T b, T carry, T add) {
    const auto product = ab::full_product(a, b);
    const auto once = ab::overflowing_add(product.m0, carry), twice = ab::overflowing_add(once.m0, add);
    return {twice.m0, (T)(product.m1 + once.m1 + twice.m1)};
}
//@ carrying_mul
template <class T> AB_FN ab::tuple<T, T> carrying_mul(T a, T b, T carry) { return ab::carrying_mul_add(a, b, carry, (T)0); }
//@ checked_div checked_rem checked_div_euclid checked_rem_euclid
// What has a value cannot fail: there is no site.
template <class O, class T> AB_FN O checked_div(ab::cx c, T a, T b) { return b == 0 || ab::overflows(a, b) ? O{0, {}} : O{1, {ab::div(c, 0, a, b)}}; }
template <class O, class T> AB_FN O checked_rem(ab::cx c, T a, T b) { return b == 0 || ab::overflows(a, b) ? O{0, {}} : O{1, {ab::rem(c, 0, a, b)}}; }
template <class O, class T> AB_FN O checked_div_euclid(ab::cx c, T a, T b) { return b == 0 || ab::overflows(a, b) ? O{0, {}} : O{1, {ab::div_euclid(c, 0, a, b)}}; }
template <class O, class T> AB_FN O checked_rem_euclid(ab::cx c, T a, T b) { return b == 0 || ab::overflows(a, b) ? O{0, {}} : O{1, {ab::rem_euclid(c, 0, a, b)}}; }
//@ checked_ilog checked_ilog2 checked_ilog10 checked_isqrt
template <class O, class T> AB_FN O checked_ilog(ab::cx c, T x, T base) { return x <= 0 || base < 2 ? O{0, {}} : O{1, {ab::ilog(c, 0, x, base)}}; }
template <class O, class T> AB_FN O checked_ilog2(ab::cx c, T x) { return x <= 0 ? O{0, {}} : O{1, {ab::ilog2(c, 0, x)}}; }
template <class O, class T> AB_FN O checked_ilog10(ab::cx c, T x) { return x <= 0 ? O{0, {}} : O{1, {ab::ilog10(c, 0, x)}}; }
template <class O, class T> AB_FN O checked_isqrt(ab::cx c, T x) { return x < 0 ? O{0, {}} : O{1, {ab::isqrt(c, 0, x)}}; }
//@ checked_next_multiple_of checked_next_power_of_two
template <class O, class T> AB_FN O checked_next_multiple_of(ab::cx, T a, T b) {
    if (b == 0) return O{0, {}};
    const T rest = (T)(a % b);
    if (rest == 0) return O{1, {a}};
    const auto next = ab::overflowing_add(a, (T)(b - rest));
    return next.m1 ? O{0, {}} : O{1, {next.m0}};
}
template <class O, class T> AB_FN O checked_next_power_of_two(ab::cx, T x) {
    const T power = ab::next_power_of_two(x);
    return power == 0 ? O{0, {}} : O{1, {power}};
}
//@ checked_signed_diff
template <class O, class T> AB_FN O checked_signed_diff(ab::cx, T a, T b) {
    const ab::sig<T> difference = (ab::sig<T>)ab::sub(a, b);
    return (a < b) == (difference < 0) ? O{1, {difference}} : O{0, {}};
}
