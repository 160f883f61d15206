//@ .
// The operators of Rust, and its compound assignments.
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
template <class T> AB_FN T rem(T a, T b) { return (T)::fmodf((f32)a, (f32)b); }
template <class T> AB_FN T rem(ab::cx c, u32 site, T a, T b) {
    if constexpr (ab::kind<T> == 'f') return rem(a, b);
    else return (T)(a % ab::divides(c, site, a, b));
}
//@ plus
// A sum that is not fused with a product, also where an operand is one.
AB_FN f32 plus(f32 a, f32 b) { return __fadd_rn(a, b); }
AB_FN f64 plus(f64 a, f64 b) { return __dadd_rn(a, b); }
template <class T> AB_FN T plus(T a, T b) {
    if constexpr (ab::kind<T> == 'f') return a + b;
    else return ab::add(a, b);
}
//@ times
AB_FN f32 times(f32 a, f32 b) { return __fmul_rn(a, b); }
AB_FN f64 times(f64 a, f64 b) { return __dmul_rn(a, b); }
template <class T> AB_FN T times(T a, T b) {
    if constexpr (ab::kind<T> == 'f') return a * b;
    else return ab::mul(a, b);
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
template <class T> AB_FN void rem_to(T& a, ab::same<T> b) { a = ab::rem(a, b); }
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
