//@ .
// Methods of floats. The templates are also those of half floats.
//@ copysign
AB_FN f32 copysign(f32 x, f32 sign) { return ::copysignf(x, sign); }
AB_FN f64 copysign(f64 x, f64 sign) { return ::copysign(x, sign); }
template <class T> AB_FN T copysign(T x, T sign) { return T::of((u16)((x.b & 0x7fff) | (sign.b & 0x8000))); }
//@ sqrt
AB_FN f32 sqrt(f32 x) { return ::sqrtf(x); }
AB_FN f64 sqrt(f64 x) { return ::sqrt(x); }
template <class T> AB_FN T sqrt(T x) { return (T)ab::sqrt((f32)x); }
//@ floor
AB_FN f32 floor(f32 x) { return ::floorf(x); }
AB_FN f64 floor(f64 x) { return ::floor(x); }
template <class T> AB_FN T floor(T x) { return (T)ab::floor((f32)x); }
//@ ceil
AB_FN f32 ceil(f32 x) { return ::ceilf(x); }
AB_FN f64 ceil(f64 x) { return ::ceil(x); }
template <class T> AB_FN T ceil(T x) { return (T)ab::ceil((f32)x); }
//@ round
AB_FN f32 round(f32 x) { return ::roundf(x); }
AB_FN f64 round(f64 x) { return ::round(x); }
template <class T> AB_FN T round(T x) { return (T)ab::round((f32)x); }
//@ round_ties_even
AB_FN f32 round_ties_even(f32 x) { return ::rintf(x); }
AB_FN f64 round_ties_even(f64 x) { return ::rint(x); }
template <class T> AB_FN T round_ties_even(T x) { return (T)ab::round_ties_even((f32)x); }
//@ trunc
AB_FN f32 trunc(f32 x) { return ::truncf(x); }
AB_FN f64 trunc(f64 x) { return ::trunc(x); }
template <class T> AB_FN T trunc(T x) { return (T)ab::trunc((f32)x); }
//@ fract
template <class T> AB_FN T fract(T x) { return ab::plus(x, -ab::trunc(x)); }
//@ recip
template <class T> AB_FN T recip(T x) { return (T)1 / x; }
//@ mul_add
AB_FN f32 mul_add(f32 x, f32 a, f32 b) { return ::fmaf(x, a, b); }
AB_FN f64 mul_add(f64 x, f64 a, f64 b) { return ::fma(x, a, b); }
template <class T> AB_FN T mul_add(T x, T a, T b) { return (T)ab::mul_add((f32)x, (f32)a, (f32)b); }
//@ powi
template <class T> AB_FN T powi(T x, i32 n) {
    if constexpr (sizeof(T) == 2) return (T)powi((f32)x, n);
    else {
        u32 e = n < 0 ? 0u - (u32)n : (u32)n;
        T r = (T)1;
        for (;;) {
            if (e & 1u) r *= x;
            e >>= 1;
            if (e == 0u) break;
            x *= x;
        }
        return n < 0 ? (T)1 / r : r;
    }
}
//@ powf
AB_FN f32 powf(f32 x, f32 y) { return ::powf(x, y); }
AB_FN f64 powf(f64 x, f64 y) { return ::pow(x, y); }
template <class T> AB_FN T powf(T x, T y) { return (T)ab::powf((f32)x, (f32)y); }
//@ exp
AB_FN f32 exp(f32 x) { return ::expf(x); }
AB_FN f64 exp(f64 x) { return ::exp(x); }
template <class T> AB_FN T exp(T x) { return (T)ab::exp((f32)x); }
//@ exp2
AB_FN f32 exp2(f32 x) { return ::exp2f(x); }
AB_FN f64 exp2(f64 x) { return ::exp2(x); }
template <class T> AB_FN T exp2(T x) { return (T)ab::exp2((f32)x); }
//@ exp_m1
AB_FN f32 exp_m1(f32 x) { return ::expm1f(x); }
AB_FN f64 exp_m1(f64 x) { return ::expm1(x); }
template <class T> AB_FN T exp_m1(T x) { return (T)ab::exp_m1((f32)x); }
//@ ln
AB_FN f32 ln(f32 x) { return ::logf(x); }
AB_FN f64 ln(f64 x) { return ::log(x); }
template <class T> AB_FN T ln(T x) { return (T)ab::ln((f32)x); }
//@ ln_1p
AB_FN f32 ln_1p(f32 x) { return ::log1pf(x); }
AB_FN f64 ln_1p(f64 x) { return ::log1p(x); }
template <class T> AB_FN T ln_1p(T x) { return (T)ab::ln_1p((f32)x); }
//@ log2
AB_FN f32 log2(f32 x) { return ::log2f(x); }
AB_FN f64 log2(f64 x) { return ::log2(x); }
template <class T> AB_FN T log2(T x) { return (T)ab::log2((f32)x); }
//@ log10
AB_FN f32 log10(f32 x) { return ::log10f(x); }
AB_FN f64 log10(f64 x) { return ::log10(x); }
template <class T> AB_FN T log10(T x) { return (T)ab::log10((f32)x); }
//@ log
template <class T> AB_FN T log(T x, T base) { return (T)(ab::ln((ab::wide<T>)x) / ab::ln((ab::wide<T>)base)); }
//@ sin
AB_FN f32 sin(f32 x) { return ::sinf(x); }
AB_FN f64 sin(f64 x) { return ::sin(x); }
template <class T> AB_FN T sin(T x) { return (T)ab::sin((f32)x); }
//@ cos
AB_FN f32 cos(f32 x) { return ::cosf(x); }
AB_FN f64 cos(f64 x) { return ::cos(x); }
template <class T> AB_FN T cos(T x) { return (T)ab::cos((f32)x); }
//@ sin_cos
AB_FN ab::tuple<f32, f32> sin_cos(f32 x) { ab::tuple<f32, f32> r; ::sincosf(x, &r.m0, &r.m1); return r; }
AB_FN ab::tuple<f64, f64> sin_cos(f64 x) { ab::tuple<f64, f64> r; ::sincos(x, &r.m0, &r.m1); return r; }
template <class T> AB_FN ab::tuple<T, T> sin_cos(T x) { const auto r = ab::sin_cos((f32)x); return {(T)r.m0, (T)r.m1}; }
//@ tan
AB_FN f32 tan(f32 x) { return ::tanf(x); }
AB_FN f64 tan(f64 x) { return ::tan(x); }
template <class T> AB_FN T tan(T x) { return (T)ab::tan((f32)x); }
//@ asin
AB_FN f32 asin(f32 x) { return ::asinf(x); }
AB_FN f64 asin(f64 x) { return ::asin(x); }
template <class T> AB_FN T asin(T x) { return (T)ab::asin((f32)x); }
//@ acos
AB_FN f32 acos(f32 x) { return ::acosf(x); }
AB_FN f64 acos(f64 x) { return ::acos(x); }
template <class T> AB_FN T acos(T x) { return (T)ab::acos((f32)x); }
//@ atan
AB_FN f32 atan(f32 x) { return ::atanf(x); }
AB_FN f64 atan(f64 x) { return ::atan(x); }
template <class T> AB_FN T atan(T x) { return (T)ab::atan((f32)x); }
//@ atan2
AB_FN f32 atan2(f32 y, f32 x) { return ::atan2f(y, x); }
AB_FN f64 atan2(f64 y, f64 x) { return ::atan2(y, x); }
template <class T> AB_FN T atan2(T y, T x) { return (T)ab::atan2((f32)y, (f32)x); }
//@ sinh
AB_FN f32 sinh(f32 x) { return ::sinhf(x); }
AB_FN f64 sinh(f64 x) { return ::sinh(x); }
template <class T> AB_FN T sinh(T x) { return (T)ab::sinh((f32)x); }
//@ cosh
AB_FN f32 cosh(f32 x) { return ::coshf(x); }
AB_FN f64 cosh(f64 x) { return ::cosh(x); }
template <class T> AB_FN T cosh(T x) { return (T)ab::cosh((f32)x); }
//@ tanh
AB_FN f32 tanh(f32 x) { return ::tanhf(x); }
AB_FN f64 tanh(f64 x) { return ::tanh(x); }
template <class T> AB_FN T tanh(T x) { return (T)ab::tanh((f32)x); }
//@ asinh
AB_FN f32 asinh(f32 x) { return ::asinhf(x); }
AB_FN f64 asinh(f64 x) { return ::asinh(x); }
template <class T> AB_FN T asinh(T x) { return (T)ab::asinh((f32)x); }
//@ acosh
AB_FN f32 acosh(f32 x) { return ::acoshf(x); }
AB_FN f64 acosh(f64 x) { return ::acosh(x); }
template <class T> AB_FN T acosh(T x) { return (T)ab::acosh((f32)x); }
//@ atanh
AB_FN f32 atanh(f32 x) { return ::atanhf(x); }
AB_FN f64 atanh(f64 x) { return ::atanh(x); }
template <class T> AB_FN T atanh(T x) { return (T)ab::atanh((f32)x); }
//@ cbrt
AB_FN f32 cbrt(f32 x) { return ::cbrtf(x); }
AB_FN f64 cbrt(f64 x) { return ::cbrt(x); }
template <class T> AB_FN T cbrt(T x) { return (T)ab::cbrt((f32)x); }
//@ hypot
AB_FN f32 hypot(f32 x, f32 y) { return ::hypotf(x, y); }
AB_FN f64 hypot(f64 x, f64 y) { return ::hypot(x, y); }
template <class T> AB_FN T hypot(T x, T y) { return (T)ab::hypot((f32)x, (f32)y); }
//@ to_degrees
AB_FN f32 to_degrees(f32 x) { return x * 57.29578f; }
AB_FN f64 to_degrees(f64 x) { return x * (180.0 / 3.141592653589793); }
template <class T> AB_FN T to_degrees(T x) { return (T)ab::to_degrees((f32)x); }
//@ to_radians
AB_FN f32 to_radians(f32 x) { return x * 0.017453292f; }
AB_FN f64 to_radians(f64 x) { return x * (3.141592653589793 / 180.0); }
template <class T> AB_FN T to_radians(T x) { return (T)ab::to_radians((f32)x); }
//@ is_nan
template <class T> AB_FN bool is_nan(T x) { return x != x; }
//@ is_sign_negative
template <class T> AB_FN bool is_sign_negative(T x) { return ab::to_bits(x) >> (8 * sizeof(T) - 1); }
//@ is_sign_positive
template <class T> AB_FN bool is_sign_positive(T x) { return !ab::is_sign_negative(x); }
//@ exponent
// The stored bits of the exponent, and those of infinity and NaN.
template <class T> constexpr ab::uns<T> exponents = (ab::uns<T>)(((ab::uns<T>)1 << (8 * sizeof(T) - 1 - num<T>::fraction)) - 1);
template <class T> AB_FN ab::uns<T> exponent(T x) { return ab::to_bits(x) >> num<T>::fraction & exponents<T>; }
//@ is_finite
// By its bits: x - x may be fused with the product that x is, and is then what that was rounded by.
template <class T> AB_FN bool is_finite(T x) { return ab::exponent(x) != exponents<T>; }
//@ is_infinite
template <class T> AB_FN bool is_infinite(T x) { return ab::exponent(x) == exponents<T> && x == x; }
//@ is_normal
template <class T> AB_FN bool is_normal(T x) { return ab::exponent(x) != 0 && ab::exponent(x) != exponents<T>; }
//@ is_subnormal
template <class T> AB_FN bool is_subnormal(T x) { return ab::exponent(x) == 0 && x != (T)0; }
//@ total_cmp
// As in std: the bits of a negative number, without those of the sign, count down.
template <class O, class T> AB_FN O total_cmp(T x, T y) {
    const auto place = [](T v) {
        const ab::sig<T> bits = (ab::sig<T>)ab::to_bits(v);
        return (ab::sig<T>)(bits < 0 ? bits ^ (ab::sig<T>)((ab::uns<T>)~(ab::uns<T>)0 >> 1) : bits);
    };
    return O{place(x) < place(y) ? -1 : place(x) == place(y) ? 0 : 1};
}
//@ next_up
template <class T> AB_FN T next_up(T x) {
    const ab::uns<T> b = ab::to_bits(x);
    if (x != x || (x > (T)0 && !ab::is_finite(x))) return x;
    return ab::from_bits<T>(x == (T)0 ? 1 : x > (T)0 ? b + 1 : b - 1);
}
//@ next_down
template <class T> AB_FN T next_down(T x) { return -ab::next_up(-x); }
