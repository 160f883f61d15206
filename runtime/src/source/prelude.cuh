// What C++ does not do as Rust does, once, with the reason. Nothing is included: a bare NVRTC has no headers, so no uint32_t.
//
// The file is cut into parts. A line `//@ a b` opens the part that defines ab::a and ab::b. A program gets the first and
// the last part and, in this order, those it names as `ab::name`. Parts name each other the same way, so that one scan
// finds what a part pulls in.
//@ base
#define AB_FN __device__ __forceinline__
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64; typedef long long isize; typedef __int128 i128;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64; typedef unsigned long long usize; typedef unsigned __int128 u128;
typedef float f32; typedef double f64;
static_assert(sizeof(void*) == 8 && sizeof(bool) == 1, "buffers are laid out as in 64-bit Rust");
namespace ab {
//@ record fault cx report die
// A failing check: the first thread to fail reports, `site` last, since a record with a site is complete. The thread then
// ends. `die` formally returns, and its callers go on with a harmless value: a path that never returns is a second exit of
// the loop around it, and such loops are not unrolled. Only the report is a call: inlined, it costs registers and a copy a site.
struct record { u64 site; u64 a; u64 b; };
struct fault { u64 word; volatile record* host; };
struct cx { fault* f; };
#if !defined(AB_EXIT)
#define AB_EXIT asm volatile("exit;" ::: "memory")
#endif
__device__ __noinline__ void report(cx c, u32 site, u64 a, u64 b) {
    if (atomicCAS(&c.f->word, 0ull, (u64)site) != 0ull) return;
    volatile record* const r = c.f->host;
    r->a = a;
    r->b = b;
    __threadfence_system();
    r->site = site;
}
AB_FN void die(cx c, u32 site, u64 a, u64 b) {
    report(c, site, a, b);
    AB_EXIT;
}
//@ slice
// A view of a buffer or of an array. Kernels take pointer and length apart: inside a struct, __restrict__ is lost.
template <class T> struct slice {
    T* p;
    usize n;
    AB_FN T& at(ab::cx c, u32 site, usize i) const {
        if (__builtin_expect(i >= n, 0)) { ab::die(c, site, i, n); i = 0; }
        return p[i];
    }
    // The elements from a to b. In Rust's order it fails with (a, n and bit 62) or (b, n and bit 63) where one of them is too
    // great, and with (a, b) where they are out of order.
    AB_FN slice range(ab::cx c, u32 site, usize a, usize b) const {
        if (__builtin_expect(a > b || b > n, 0)) {
            if (a > n) ab::die(c, site, a, n | 1ull << 62);
            else if (b > n) ab::die(c, site, b, n | 1ull << 63);
            else ab::die(c, site, a, b);
            b = a = 0;
        }
        return slice{p + a, b - a};
    }
    AB_FN usize len() const { return n; }
    AB_FN bool is_empty() const { return n == 0; }
    template <class U> AB_FN operator slice<U>() const { return slice<U>{p, n}; }
};
//@ same
// The type itself, where it must not be deduced from an argument.
template <class T> struct same_as { typedef T type; };
template <class T> using same = typename same_as<T>::type;
//@ kind uns wide
// The kind of a number type ('b', 'i', 'u', 'f'), its unsigned twin, and the type to compute in: small ints compute in u32,
// since C++ promotes them to int, where u16 * u16 can overflow, and signed ones in their twin, since signed overflow is undefined.
template <class T> struct num;
template <> struct num<bool> { static constexpr char kind = 'b'; typedef bool uns; typedef u32 wide; };
template <> struct num<i8> { static constexpr char kind = 'i'; typedef u8 uns; typedef u32 wide; };
template <> struct num<i16> { static constexpr char kind = 'i'; typedef u16 uns; typedef u32 wide; };
template <> struct num<i32> { static constexpr char kind = 'i'; typedef u32 uns; typedef u32 wide; };
template <> struct num<i64> { static constexpr char kind = 'i'; typedef u64 uns; typedef u64 wide; };
template <> struct num<i128> { static constexpr char kind = 'i'; typedef u128 uns; typedef u128 wide; };
template <> struct num<u8> { static constexpr char kind = 'u'; typedef u8 uns; typedef u32 wide; };
template <> struct num<u16> { static constexpr char kind = 'u'; typedef u16 uns; typedef u32 wide; };
template <> struct num<u32> { static constexpr char kind = 'u'; typedef u32 uns; typedef u32 wide; };
template <> struct num<u64> { static constexpr char kind = 'u'; typedef u64 uns; typedef u64 wide; };
template <> struct num<u128> { static constexpr char kind = 'u'; typedef u128 uns; typedef u128 wide; };
template <> struct num<f32> { static constexpr char kind = 'f'; typedef u32 uns; typedef f32 wide; };
template <> struct num<f64> { static constexpr char kind = 'f'; typedef u64 uns; typedef f64 wide; };
template <class T> constexpr char kind = num<T>::kind;
template <class T> using uns = typename num<T>::uns;
template <class T> using wide = typename num<T>::wide;
//@ bits min_of max_of
// Width, smallest and greatest value of an int type.
template <class T> constexpr u32 bits = 8 * (u32)sizeof(T);
template <class T> constexpr T max_of = ab::kind<T> == 'u' ? (T)~(ab::uns<T>)0 : (T)((ab::uns<T>)~(ab::uns<T>)0 >> 1);
template <class T> constexpr T min_of = ab::kind<T> == 'u' ? (T)0 : (T)~max_of<T>;
//@ tuple get
// Tuples compare as in Rust: what differs first decides, and NaN, which differs from everything, is in no order.
template <class... T> struct tuple;
template <> struct tuple<> { static constexpr u32 arity = 0; };
template <class A> struct tuple<A> { A m0; static constexpr u32 arity = 1; };
template <class A, class B> struct tuple<A, B> { A m0; B m1; static constexpr u32 arity = 2; };
template <class A, class B, class C> struct tuple<A, B, C> { A m0; B m1; C m2; static constexpr u32 arity = 3; };
template <class A, class B, class C, class D> struct tuple<A, B, C, D> { A m0; B m1; C m2; D m3; static constexpr u32 arity = 4; };
template <class A, class B, class C, class D, class E> struct tuple<A, B, C, D, E> { A m0; B m1; C m2; D m3; E m4; static constexpr u32 arity = 5; };
template <class A, class B, class C, class D, class E, class F> struct tuple<A, B, C, D, E, F> { A m0; B m1; C m2; D m3; E m4; F m5; static constexpr u32 arity = 6; };
template <class A, class B, class C, class D, class E, class F, class G> struct tuple<A, B, C, D, E, F, G> { A m0; B m1; C m2; D m3; E m4; F m5; G m6; static constexpr u32 arity = 7; };
template <class A, class B, class C, class D, class E, class F, class G, class H> struct tuple<A, B, C, D, E, F, G, H> { A m0; B m1; C m2; D m3; E m4; F m5; G m6; H m7; static constexpr u32 arity = 8; };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I> struct tuple<A, B, C, D, E, F, G, H, I> { A m0; B m1; C m2; D m3; E m4; F m5; G m6; H m7; I m8; static constexpr u32 arity = 9; };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J> struct tuple<A, B, C, D, E, F, G, H, I, J> { A m0; B m1; C m2; D m3; E m4; F m5; G m6; H m7; I m8; J m9; static constexpr u32 arity = 10; };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K> struct tuple<A, B, C, D, E, F, G, H, I, J, K> { A m0; B m1; C m2; D m3; E m4; F m5; G m6; H m7; I m8; J m9; K m10; static constexpr u32 arity = 11; };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K, class L> struct tuple<A, B, C, D, E, F, G, H, I, J, K, L> { A m0; B m1; C m2; D m3; E m4; F m5; G m6; H m7; I m8; J m9; K m10; L m11; static constexpr u32 arity = 12; };
template <u32 K, class T> AB_FN auto& get(T& t) {
    if constexpr (K == 0) return t.m0;
    else if constexpr (K == 1) return t.m1;
    else if constexpr (K == 2) return t.m2;
    else if constexpr (K == 3) return t.m3;
    else if constexpr (K == 4) return t.m4;
    else if constexpr (K == 5) return t.m5;
    else if constexpr (K == 6) return t.m6;
    else if constexpr (K == 7) return t.m7;
    else if constexpr (K == 8) return t.m8;
    else if constexpr (K == 9) return t.m9;
    else if constexpr (K == 10) return t.m10;
    else return t.m11;
}
template <u32 K, class T> AB_FN bool equal_from(const T& a, const T& b) {
    if constexpr (K == T::arity) return true;
    else return get<K>(a) == get<K>(b) && equal_from<K + 1>(a, b);
}
template <u32 K, class T> AB_FN bool before_from(const T& a, const T& b, bool tie) {
    if constexpr (K == T::arity) return tie;
    else return get<K>(a) == get<K>(b) ? before_from<K + 1>(a, b, tie) : get<K>(a) < get<K>(b);
}
template <class... T> AB_FN bool operator==(const tuple<T...>& a, const tuple<T...>& b) { return equal_from<0>(a, b); }
template <class... T> AB_FN bool operator!=(const tuple<T...>& a, const tuple<T...>& b) { return !equal_from<0>(a, b); }
template <class... T> AB_FN bool operator<(const tuple<T...>& a, const tuple<T...>& b) { return before_from<0>(a, b, false); }
template <class... T> AB_FN bool operator<=(const tuple<T...>& a, const tuple<T...>& b) { return before_from<0>(a, b, true); }
template <class... T> AB_FN bool operator>(const tuple<T...>& a, const tuple<T...>& b) { return before_from<0>(b, a, false); }
template <class... T> AB_FN bool operator>=(const tuple<T...>& a, const tuple<T...>& b) { return before_from<0>(b, a, true); }
//@ array
template <class T, usize N> struct array {
    T e[N ? N : 1];
    typedef T elem;
    AB_FN T& at(ab::cx c, u32 site, usize i) {
        if (__builtin_expect(i >= N, 0)) { ab::die(c, site, i, N); i = 0; }
        return e[i];
    }
    AB_FN const T& at(ab::cx c, u32 site, usize i) const {
        if (__builtin_expect(i >= N, 0)) { ab::die(c, site, i, N); i = 0; }
        return e[i];
    }
    AB_FN usize len() const { return N; }
    AB_FN bool is_empty() const { return N == 0; }
    AB_FN operator ab::slice<T>() { return ab::slice<T>{e, N}; }
    AB_FN operator ab::slice<const T>() const { return ab::slice<const T>{e, N}; }
    AB_FN ab::slice<T> range(ab::cx c, u32 site, usize a, usize b) { return ab::slice<T>{e, N}.range(c, site, a, b); }
    AB_FN ab::slice<const T> range(ab::cx c, u32 site, usize a, usize b) const { return ab::slice<const T>{e, N}.range(c, site, a, b); }
};
template <class T, usize N> AB_FN bool before(const array<T, N>& a, const array<T, N>& b, bool tie) {
    for (usize i = 0; i < N; i++) {
        if (!(a.e[i] == b.e[i])) return a.e[i] < b.e[i];
    }
    return tie;
}
template <class T, usize N> AB_FN bool operator==(const array<T, N>& a, const array<T, N>& b) {
    for (usize i = 0; i < N; i++) {
        if (!(a.e[i] == b.e[i])) return false;
    }
    return true;
}
template <class T, usize N> AB_FN bool operator!=(const array<T, N>& a, const array<T, N>& b) { return !(a == b); }
template <class T, usize N> AB_FN bool operator<(const array<T, N>& a, const array<T, N>& b) { return before(a, b, false); }
template <class T, usize N> AB_FN bool operator<=(const array<T, N>& a, const array<T, N>& b) { return before(a, b, true); }
template <class T, usize N> AB_FN bool operator>(const array<T, N>& a, const array<T, N>& b) { return before(b, a, false); }
template <class T, usize N> AB_FN bool operator>=(const array<T, N>& a, const array<T, N>& b) { return before(b, a, true); }
//@ filled
// An array with one value in every element.
template <class A> AB_FN A filled(const typename A::elem& value) {
    A r;
    for (auto& e : r.e) e = value;
    return r;
}
//@ last
// Element K of a tuple or an array, counted from the end: 0 is the last one.
template <u32 K, class T, usize N> AB_FN T& last(ab::array<T, N>& a) { return a.e[N - 1 - K]; }
template <u32 K, class T, usize N> AB_FN const T& last(const ab::array<T, N>& a) { return a.e[N - 1 - K]; }
template <u32 K, class... T> AB_FN auto& last(ab::tuple<T...>& t) { return ab::get<sizeof...(T) - 1 - K>(t); }
template <u32 K, class... T> AB_FN auto& last(const ab::tuple<T...>& t) { return ab::get<sizeof...(T) - 1 - K>(t); }
//@ is
// A value against a literal, which has the value's type; that of a float comes as f32 and as f64.
template <class T> AB_FN bool is(T x, ab::same<T> literal) { return x == literal; }
template <class T> AB_FN bool is(T x, f32 single, f64 twice) { return x == (sizeof(T) == 4 ? (T)single : (T)twice); }
//@ ge
template <class T> AB_FN bool ge(T x, ab::same<T> literal) { return x >= literal; }
template <class T> AB_FN bool ge(T x, f32 single, f64 twice) { return x >= (sizeof(T) == 4 ? (T)single : (T)twice); }
//@ le
template <class T> AB_FN bool le(T x, ab::same<T> literal) { return x <= literal; }
template <class T> AB_FN bool le(T x, f32 single, f64 twice) { return x <= (sizeof(T) == 4 ? (T)single : (T)twice); }
//@ lt
template <class T> AB_FN bool lt(T x, ab::same<T> literal) { return x < literal; }
template <class T> AB_FN bool lt(T x, f32 single, f64 twice) { return x < (sizeof(T) == 4 ? (T)single : (T)twice); }
//@ steps steps_up
// The values of a range, forwards or backwards, all or every k-th: of trip t from 0 to `last`, if there is `any`, it is `at(t)`.
// Trips are counted and not values, since a loop up to MAX would never end; and all is modular, since the distance from
// MIN to MAX is no value of a signed type.
template <class T> struct steps {
    T first;
    T step;
    ab::wide<T> last;
    bool any;
    AB_FN T at(ab::wide<T> t) const { return (T)((ab::wide<T>)first + (ab::wide<T>)step * t); }
    AB_FN steps rev() const { return steps{at(last), (T)(0 - (ab::wide<T>)step), last, any}; }
    AB_FN steps by(ab::cx c, u32 site, usize k) const {
        if (__builtin_expect(k == 0, 0)) { ab::die(c, site, 0, 0); k = 1; }
        if (k > last) return steps{first, step, 0, any};
        return steps{first, (T)((ab::wide<T>)step * (ab::wide<T>)k), last / (ab::wide<T>)k, any};
    }
};
template <class T> AB_FN steps<T> steps_up(T lo, ab::same<T> hi, bool inclusive) {
    return steps<T>{lo, (T)1, (ab::wide<T>)hi - (ab::wide<T>)lo - (inclusive ? 0 : 1), inclusive ? lo <= hi : lo < hi};
}
//@ add
template <class T> AB_FN T add(T a, T b) { return (T)((ab::wide<T>)a + (ab::wide<T>)b); }
//@ sub
template <class T> AB_FN T sub(T a, T b) { return (T)((ab::wide<T>)a - (ab::wide<T>)b); }
//@ mul
template <class T> AB_FN T mul(T a, T b) { return (T)((ab::wide<T>)a * (ab::wide<T>)b); }
//@ neg
template <class T> AB_FN T neg(T a) {
    if constexpr (ab::kind<T> == 'f') return -a;
    else return (T)((ab::wide<T>)0 - (ab::wide<T>)a);
}
//@ inv
// Rust's `!`.
template <class T> AB_FN T inv(T a) {
    if constexpr (ab::kind<T> == 'b') return !a;
    else return (T)~a;
}
//@ and_
template <class T> AB_FN T and_(T a, T b) { return (T)(a & b); }
//@ or_
template <class T> AB_FN T or_(T a, T b) { return (T)(a | b); }
//@ xor_
template <class T> AB_FN T xor_(T a, T b) { return (T)(a ^ b); }
//@ shl
// Shifts mask the count, which may be of any int type.
template <class T, class S> AB_FN T shl(T a, S s) { return (T)((ab::wide<T>)a << ((u32)s & (ab::bits<T> - 1))); }
//@ shr
template <class T, class S> AB_FN T shr(T a, S s) { return (T)(a >> ((u32)s & (ab::bits<T> - 1))); }
//@ divides
// Division fails on zero (0) and, for signed ints, on MIN / -1 (1).
template <class T> AB_FN T divides(ab::cx c, u32 site, T a, T b) {
    if (__builtin_expect(b == 0, 0)) { ab::die(c, site, 0, 0); b = 1; }
    if constexpr (ab::kind<T> == 'i') {
        if (__builtin_expect(b == -1 && a == ab::min_of<T>, 0)) { ab::die(c, site, 1, 0); b = 1; }
    }
    return b;
}
//@ div
template <class T> AB_FN T div(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'f') return a / b;
    else return (T)(a / ab::divides(c, site, a, b));
}
//@ rem
AB_FN f32 rem(f32 a, f32 b) { return ::fmodf(a, b); }
AB_FN f64 rem(f64 a, f64 b) { return ::fmod(a, b); }
template <class T> AB_FN T rem(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'f') return rem(a, b);
    else return (T)(a % ab::divides(c, site, a, b));
}
//@ add_to
// Compound assignment. The right operand's type follows the left one's.
template <class T> AB_FN void add_to(T& a, ab::same<T> b) { a = ab::add(a, b); }
//@ sub_to
template <class T> AB_FN void sub_to(T& a, ab::same<T> b) { a = ab::sub(a, b); }
//@ mul_to
template <class T> AB_FN void mul_to(T& a, ab::same<T> b) { a = ab::mul(a, b); }
//@ div_to
template <class T> AB_FN void div_to(ab::cx c, u32 site, T& a, ab::same<T> b) { a = ab::div<T>(c, site, a, b); }
//@ rem_to
AB_FN void rem_to(f32& a, f32 b) { a = ab::rem(a, b); }
AB_FN void rem_to(f64& a, f64 b) { a = ab::rem(a, b); }
template <class T> AB_FN void rem_to(ab::cx c, u32 site, T& a, ab::same<T> b) { a = ab::rem<T>(c, site, a, b); }
//@ and_to
template <class T> AB_FN void and_to(T& a, ab::same<T> b) { a = ab::and_(a, b); }
//@ or_to
template <class T> AB_FN void or_to(T& a, ab::same<T> b) { a = ab::or_(a, b); }
//@ xor_to
template <class T> AB_FN void xor_to(T& a, ab::same<T> b) { a = ab::xor_(a, b); }
//@ shl_to
template <class T, class S> AB_FN void shl_to(T& a, S s) { a = ab::shl(a, s); }
//@ shr_to
template <class T, class S> AB_FN void shr_to(T& a, S s) { a = ab::shr(a, s); }
//@ to_bits
AB_FN u32 to_bits(f32 x) { return __float_as_uint(x); }
AB_FN u64 to_bits(f64 x) { return (u64)__double_as_longlong(x); }
//@ from_bits
template <class T> AB_FN T from_bits(ab::uns<T> x) {
    if constexpr (sizeof(T) == 4) return __uint_as_float(x);
    else return __longlong_as_double((i64)x);
}
//@ to_int
// Float to int rounds towards zero and saturates, as the hardware does; NaN is 0, which the hardware gives only where
// neither side has 64 bits.
AB_FN void to_int(i32& r, f32 x) { r = __float2int_rz(x); }
AB_FN void to_int(u32& r, f32 x) { r = __float2uint_rz(x); }
AB_FN void to_int(i64& r, f32 x) { r = x != x ? 0 : __float2ll_rz(x); }
AB_FN void to_int(u64& r, f32 x) { r = x != x ? 0 : __float2ull_rz(x); }
AB_FN void to_int(i32& r, f64 x) { r = x != x ? 0 : __double2int_rz(x); }
AB_FN void to_int(u32& r, f64 x) { r = x != x ? 0 : __double2uint_rz(x); }
AB_FN void to_int(i64& r, f64 x) { r = x != x ? 0 : __double2ll_rz(x); }
AB_FN void to_int(u64& r, f64 x) { r = x != x ? 0 : __double2ull_rz(x); }
//@ to_wide_int
// No hardware converts to 128 bits: the significand, shifted.
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
// The upper 64 bits of the normalized number, with all lower bits or-ed into the last, round like the number itself; the
// scale is a power of two, so the product is exact (2^128 overflows to f32's infinity, as in Rust).
template <class T> AB_FN T from_wide_int(u128 x) {
    if (x == 0) return (T)0;
    const u32 zeros = ab::leading_zeros(x);
    const u128 normal = x << zeros;
    const u64 upper = (u64)(normal >> 64) | ((u64)normal != 0);
    if constexpr (sizeof(T) == 4) return (f32)upper * ab::from_bits<f32>((191 - zeros) << 23);
    else return (f64)upper * ab::from_bits<f64>((u64)(1087 - zeros) << 52);
}
//@ as
template <class T, class F> AB_FN T as(F x) {
    constexpr bool from_float = ab::kind<F> == 'f', to_float = ab::kind<T> == 'f';
    if constexpr (from_float && !to_float) {
        if constexpr (sizeof(T) == 16) { T r; ab::to_wide_int(r, (f64)x); return r; }
        else if constexpr (sizeof(T) >= 4) { T r; ab::to_int(r, x); return r; }
        else if constexpr (ab::kind<T> == 'i') { i32 r; ab::to_int(r, x); return (T)(r < ab::min_of<T> ? ab::min_of<T> : r > ab::max_of<T> ? ab::max_of<T> : r); }
        else { u32 r; ab::to_int(r, x); return (T)(r > ab::max_of<T> ? ab::max_of<T> : r); }
    } else if constexpr (to_float && !from_float && sizeof(F) == 16) {
        if (ab::kind<F> == 'i' && x < 0) return -ab::from_wide_int<T>(0 - (u128)x);
        return ab::from_wide_int<T>((u128)x);
    } else return static_cast<T>(x);
}
//@ from
template <class T, class F> AB_FN T from(F x) { return ab::as<T>(x); }
//@ abs
AB_FN f32 abs(f32 x) { return ::fabsf(x); }
AB_FN f64 abs(f64 x) { return ::fabs(x); }
template <class T> AB_FN T abs(T x) { return x < 0 ? ab::neg(x) : x; }
//@ min
AB_FN f32 min(f32 a, f32 b) { return ::fminf(a, b); }
AB_FN f64 min(f64 a, f64 b) { return ::fmin(a, b); }
template <class T> AB_FN T min(T a, T b) { return b < a ? b : a; }
//@ max
AB_FN f32 max(f32 a, f32 b) { return ::fmaxf(a, b); }
AB_FN f64 max(f64 a, f64 b) { return ::fmax(a, b); }
template <class T> AB_FN T max(T a, T b) { return b < a ? a : b; }
//@ clamp
// Keeps NaN, unlike min and max. Fails with 1 for floats, since Rust words that otherwise.
template <class T> AB_FN T clamp(ab::cx c, u32 site, T x, T lo, T hi) {
    if (__builtin_expect(!(lo <= hi), 0)) ab::die(c, site, ab::kind<T> == 'f', 0);
    return x < lo ? lo : x > hi ? hi : x;
}
//@ copysign
AB_FN f32 copysign(f32 x, f32 sign) { return ::copysignf(x, sign); }
AB_FN f64 copysign(f64 x, f64 sign) { return ::copysign(x, sign); }
//@ signum
AB_FN f32 signum(f32 x) { return x != x ? x : ::copysignf(1.0f, x); }
AB_FN f64 signum(f64 x) { return x != x ? x : ::copysign(1.0, x); }
template <class T> AB_FN T signum(T x) { return (T)((x > 0) - (x < 0)); }
//@ sqrt
AB_FN f32 sqrt(f32 x) { return ::sqrtf(x); }
AB_FN f64 sqrt(f64 x) { return ::sqrt(x); }
//@ floor
AB_FN f32 floor(f32 x) { return ::floorf(x); }
AB_FN f64 floor(f64 x) { return ::floor(x); }
//@ ceil
AB_FN f32 ceil(f32 x) { return ::ceilf(x); }
AB_FN f64 ceil(f64 x) { return ::ceil(x); }
//@ round
AB_FN f32 round(f32 x) { return ::roundf(x); }
AB_FN f64 round(f64 x) { return ::round(x); }
//@ round_ties_even
AB_FN f32 round_ties_even(f32 x) { return ::rintf(x); }
AB_FN f64 round_ties_even(f64 x) { return ::rint(x); }
//@ trunc
AB_FN f32 trunc(f32 x) { return ::truncf(x); }
AB_FN f64 trunc(f64 x) { return ::trunc(x); }
//@ fract
template <class T> AB_FN T fract(T x) { return x - ab::trunc(x); }
//@ recip
template <class T> AB_FN T recip(T x) { return (T)1 / x; }
//@ mul_add
AB_FN f32 mul_add(f32 x, f32 a, f32 b) { return ::fmaf(x, a, b); }
AB_FN f64 mul_add(f64 x, f64 a, f64 b) { return ::fma(x, a, b); }
//@ powi
template <class T> AB_FN T powi(T x, i32 n) {
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
//@ powf
AB_FN f32 powf(f32 x, f32 y) { return ::powf(x, y); }
AB_FN f64 powf(f64 x, f64 y) { return ::pow(x, y); }
//@ exp
AB_FN f32 exp(f32 x) { return ::expf(x); }
AB_FN f64 exp(f64 x) { return ::exp(x); }
//@ exp2
AB_FN f32 exp2(f32 x) { return ::exp2f(x); }
AB_FN f64 exp2(f64 x) { return ::exp2(x); }
//@ exp_m1
AB_FN f32 exp_m1(f32 x) { return ::expm1f(x); }
AB_FN f64 exp_m1(f64 x) { return ::expm1(x); }
//@ ln
AB_FN f32 ln(f32 x) { return ::logf(x); }
AB_FN f64 ln(f64 x) { return ::log(x); }
//@ ln_1p
AB_FN f32 ln_1p(f32 x) { return ::log1pf(x); }
AB_FN f64 ln_1p(f64 x) { return ::log1p(x); }
//@ log2
AB_FN f32 log2(f32 x) { return ::log2f(x); }
AB_FN f64 log2(f64 x) { return ::log2(x); }
//@ log10
AB_FN f32 log10(f32 x) { return ::log10f(x); }
AB_FN f64 log10(f64 x) { return ::log10(x); }
//@ sin
AB_FN f32 sin(f32 x) { return ::sinf(x); }
AB_FN f64 sin(f64 x) { return ::sin(x); }
//@ cos
AB_FN f32 cos(f32 x) { return ::cosf(x); }
AB_FN f64 cos(f64 x) { return ::cos(x); }
//@ tan
AB_FN f32 tan(f32 x) { return ::tanf(x); }
AB_FN f64 tan(f64 x) { return ::tan(x); }
//@ asin
AB_FN f32 asin(f32 x) { return ::asinf(x); }
AB_FN f64 asin(f64 x) { return ::asin(x); }
//@ acos
AB_FN f32 acos(f32 x) { return ::acosf(x); }
AB_FN f64 acos(f64 x) { return ::acos(x); }
//@ atan
AB_FN f32 atan(f32 x) { return ::atanf(x); }
AB_FN f64 atan(f64 x) { return ::atan(x); }
//@ atan2
AB_FN f32 atan2(f32 y, f32 x) { return ::atan2f(y, x); }
AB_FN f64 atan2(f64 y, f64 x) { return ::atan2(y, x); }
//@ sinh
AB_FN f32 sinh(f32 x) { return ::sinhf(x); }
AB_FN f64 sinh(f64 x) { return ::sinh(x); }
//@ cosh
AB_FN f32 cosh(f32 x) { return ::coshf(x); }
AB_FN f64 cosh(f64 x) { return ::cosh(x); }
//@ tanh
AB_FN f32 tanh(f32 x) { return ::tanhf(x); }
AB_FN f64 tanh(f64 x) { return ::tanh(x); }
//@ cbrt
AB_FN f32 cbrt(f32 x) { return ::cbrtf(x); }
AB_FN f64 cbrt(f64 x) { return ::cbrt(x); }
//@ hypot
AB_FN f32 hypot(f32 x, f32 y) { return ::hypotf(x, y); }
AB_FN f64 hypot(f64 x, f64 y) { return ::hypot(x, y); }
//@ to_degrees
AB_FN f32 to_degrees(f32 x) { return x * 57.29578f; }
AB_FN f64 to_degrees(f64 x) { return x * (180.0 / 3.141592653589793); }
//@ to_radians
AB_FN f32 to_radians(f32 x) { return x * 0.017453292f; }
AB_FN f64 to_radians(f64 x) { return x * (3.141592653589793 / 180.0); }
//@ is_nan
template <class T> AB_FN bool is_nan(T x) { return x != x; }
//@ is_finite
template <class T> AB_FN bool is_finite(T x) { return x - x == (T)0; }
//@ is_infinite
template <class T> AB_FN bool is_infinite(T x) { return x == x && x - x != (T)0; }
//@ is_sign_negative
template <class T> AB_FN bool is_sign_negative(T x) { return ab::to_bits(x) >> (8 * sizeof(T) - 1); }
//@ is_sign_positive
template <class T> AB_FN bool is_sign_positive(T x) { return !ab::is_sign_negative(x); }
//@ rem_euclid
template <class T> AB_FN T rem_euclid(ab::cx c, u32 site, T a, T b) {
    const T r = ab::rem(c, site, a, b);
    if constexpr (ab::kind<T> == 'u') return r;
    else return r < 0 ? ab::add(r, ab::abs(b)) : r;
}
//@ div_euclid
template <class T> AB_FN T div_euclid(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'f') {
        const T q = ab::trunc(a / b);
        return ab::rem(a, b) < 0 ? (b > 0 ? q - 1 : q + 1) : q;
    } else {
        const T d = ab::divides(c, site, a, b), q = (T)(a / d), r = (T)(a % d);
        if constexpr (ab::kind<T> == 'u') return q;
        else return r < 0 ? (T)(d > 0 ? q - 1 : q + 1) : q;
    }
}
//@ div_ceil
template <class T> AB_FN T div_ceil(ab::cx c, u32 site, T a, T b) {
    const T d = ab::divides(c, site, a, b);
    return (T)(a / d + (a % d != 0));
}
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
//@ wrapping_div
template <class T> AB_FN T wrapping_div(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'i') {
        if (b == -1) return ab::neg(a);
    }
    return (T)(a / ab::divides(c, site, a, b));
}
//@ wrapping_rem
template <class T> AB_FN T wrapping_rem(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'i') {
        if (b == -1) return (T)0;
    }
    return (T)(a % ab::divides(c, site, a, b));
}
//@ saturating_add
template <class T> AB_FN T saturating_add(T a, T b) {
    const T r = ab::add(a, b);
    if constexpr (ab::kind<T> == 'u') return r < a ? ab::max_of<T> : r;
    else return (T)((a ^ r) & (b ^ r)) < 0 ? (a < 0 ? ab::min_of<T> : ab::max_of<T>) : r;
}
//@ saturating_sub
template <class T> AB_FN T saturating_sub(T a, T b) {
    if constexpr (ab::kind<T> == 'u') return a < b ? (T)0 : (T)(a - b);
    else {
        const T r = ab::sub(a, b);
        return (T)((a ^ b) & (a ^ r)) < 0 ? (a < 0 ? ab::min_of<T> : ab::max_of<T>) : r;
    }
}
//@ unsigned_abs
template <class T> AB_FN ab::uns<T> unsigned_abs(T x) {
    if constexpr (ab::kind<T> == 'u') return x;
    else return (ab::uns<T>)ab::abs(x);
}
//@ product
// a * b, and whether it does not fit.
template <class U> AB_FN bool product(U a, U b, U& r) {
    if constexpr (sizeof(U) < 16) {
        const u128 exact = (u128)a * b;
        r = (U)exact;
        return exact > ab::max_of<U>;
    } else {
        const u64 a1 = (u64)(a >> 64), a0 = (u64)a, b1 = (u64)(b >> 64), b0 = (u64)b;
        const u128 cross = (u128)a1 * b0 + (u128)a0 * b1, low = (u128)a0 * b0;
        r = low + (cross << 64);
        return (a1 != 0 && b1 != 0) || cross >> 64 != 0 || r < low;
    }
}
//@ saturating_mul
template <class T> AB_FN T saturating_mul(T a, T b) {
    ab::uns<T> r;
    const bool over = ab::product(ab::unsigned_abs(a), ab::unsigned_abs(b), r);
    if constexpr (ab::kind<T> == 'u') return over ? ab::max_of<T> : r;
    else {
        const bool negative = (a < 0) != (b < 0);
        if (over || r > (ab::uns<T>)ab::max_of<T>) return negative ? ab::min_of<T> : ab::max_of<T>;
        return negative ? ab::neg((T)r) : (T)r;
    }
}
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
//@ count_ones
AB_FN u32 count_ones_of(u32 x) { return (u32)__popc(x); }
AB_FN u32 count_ones_of(u64 x) { return (u32)__popcll(x); }
AB_FN u32 count_ones_of(u128 x) { return count_ones_of((u64)(x >> 64)) + count_ones_of((u64)x); }
template <class T> AB_FN u32 count_ones(T x) { return count_ones_of((ab::wide<T>)(ab::uns<T>)x); }
//@ count_zeros
template <class T> AB_FN u32 count_zeros(T x) { return ab::bits<T> - ab::count_ones(x); }
//@ trailing_zeros
// The ones below the lowest one; all bits for 0.
template <class T> AB_FN u32 trailing_zeros(T x) { return ab::count_ones((ab::uns<T>)(~(ab::wide<T>)x & ((ab::wide<T>)x - 1u))); }
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
//@ abs_diff
template <class T> AB_FN ab::uns<T> abs_diff(T a, T b) { return (ab::uns<T>)(a < b ? ab::sub(b, a) : ab::sub(a, b)); }
//@ is_power_of_two
template <class T> AB_FN bool is_power_of_two(T x) { return x != 0 && (x & (x - 1)) == 0; }
//@ is_positive
template <class T> AB_FN bool is_positive(T x) { return x > 0; }
//@ is_negative
template <class T> AB_FN bool is_negative(T x) { return x < 0; }
//@ end
}  // namespace ab
