//@ .
// The types of the crate `half`. Every operation and method is that of f32, rounded once, as in
// `half`. What is only about the sign goes by bits. AMD's GPUs have instructions for f16, and clang
// would fuse sums and products of those, so they are the ones that are never fused.
//@ f16_to_f32 f32_to_f16
// A GPU converts by one instruction, for which NVRTC has no function without a header. The rest is
// for a C++ compiler of the host.
#if defined(__EDG__)
AB_FN f32 f16_to_f32(u16 b) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(b)); return r; }
AB_FN u16 f32_to_f16(f32 x) { u16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
#elif defined(AB_HIP) && defined(__AMDGCN__)
AB_FN f32 f16_to_f32(u16 b) { return (f32)__builtin_bit_cast(_Float16, b); }
AB_FN u16 f32_to_f16(f32 x) { return __builtin_bit_cast(u16, (_Float16)x); }
#else
AB_FN f32 f16_to_f32(u16 b) {
    const u32 sign = (u32)(b & 0x8000u) << 16, exponent = b >> 10 & 31u, fraction = b & 1023u;
    if (exponent == 0) return __uint_as_float(__float_as_uint((f32)fraction * 5.9604644775390625e-8f) | sign);
    return __uint_as_float(sign | (exponent == 31 ? (fraction ? 0x7fc00000u : 0x7f800000u) : (exponent + 112) << 23) | fraction << 13);
}
AB_FN u16 f32_to_f16(f32 x) {
    const u32 bits = __float_as_uint(x), magnitude = bits & 0x7fffffffu;
    const u16 sign = (u16)(bits >> 16 & 0x8000u);
    if (magnitude > 0x7f800000u) return 0x7fff;
    if (magnitude >= 0x47800000u) return (u16)(sign | 0x7c00u);
    // Below the normal numbers: the last digit of this sum is that of the smallest f16.
    if (magnitude < 0x38800000u) return (u16)(sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u));
    return (u16)(sign | ((magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13));
}
#endif
//@ bf16_to_f32 f32_to_bf16
AB_FN f32 bf16_to_f32(u16 b) { return __uint_as_float((u32)b << 16); }
AB_FN u16 f32_to_bf16(f32 x) {
    const u32 bits = __float_as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (u16)(bits >> 16 | 0x40u);
    return (u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
//@ AB_HALF
#define AB_HALF(T)                                                                    \
    struct T {                                                                        \
        u16 b;                                                                        \
        T() = default;                                                                \
        explicit AB_FN T(f32 x) : b(f32_to_##T(x)) {}                                 \
        explicit AB_FN operator f32() const { return T##_to_f32(b); }                 \
        static constexpr AB_FN T of(u16 bits) { return T(bits, nullptr); }            \
        AB_FN T operator-() const { return of((u16)(b ^ 0x8000u)); }                  \
        friend AB_FN T operator+(T x, T y) { return T(__fadd_rn((f32)x, (f32)y)); }   \
        friend AB_FN T operator-(T x, T y) { return T(__fadd_rn((f32)x, -(f32)y)); }  \
        friend AB_FN T operator*(T x, T y) { return T(__fmul_rn((f32)x, (f32)y)); }   \
        friend AB_FN T operator/(T x, T y) { return T((f32)x / (f32)y); }             \
        AB_FN T& operator+=(T y) { return *this = *this + y; }                        \
        AB_FN T& operator-=(T y) { return *this = *this - y; }                        \
        AB_FN T& operator*=(T y) { return *this = *this * y; }                        \
        AB_FN T& operator/=(T y) { return *this = *this / y; }                        \
        friend AB_FN bool operator==(T x, T y) { return (f32)x == (f32)y; }           \
        friend AB_FN bool operator!=(T x, T y) { return (f32)x != (f32)y; }           \
        friend AB_FN bool operator<(T x, T y) { return (f32)x < (f32)y; }             \
        friend AB_FN bool operator<=(T x, T y) { return (f32)x <= (f32)y; }           \
        friend AB_FN bool operator>(T x, T y) { return (f32)x > (f32)y; }             \
        friend AB_FN bool operator>=(T x, T y) { return (f32)x >= (f32)y; }           \
    private:                                                                          \
        constexpr AB_FN T(u16 bits, decltype(nullptr)) : b(bits) {}                   \
    };                                                                                \
    static_assert(sizeof(T) == 2 && alignof(T) == 2, #T " is laid out as in Rust");
//@ f16
// Uses ab::AB_HALF, ab::f16_to_f32 and ab::kind.
AB_HALF(f16)
template <> struct num<f16> { static constexpr char kind = 'f'; static constexpr u32 fraction = 10; typedef u16 uns; typedef i16 sig; typedef f32 wide; };
//@ bf16
// Uses ab::AB_HALF, ab::bf16_to_f32 and ab::kind.
AB_HALF(bf16)
template <> struct num<bf16> { static constexpr char kind = 'f'; static constexpr u32 fraction = 7; typedef u16 uns; typedef i16 sig; typedef f32 wide; };
