//@ .
// Tuples, arrays, slices, patterns and ranges.
//@ slice
// A view of a buffer or of an array. Kernels take pointer and length separately, because
// __restrict__ has no effect inside a struct.
template <class T> struct slice {
    T* p;
    usize n;
    AB_FN T& at(ab::cx c, u32 site, usize i) const {
        if (__builtin_expect(i >= n, 0)) { ab::die(c, site, i, n); i = 0; }
        AB_NOWHERE(c, p);
        return p[i];
    }
    // The same if the launch has checked that n is below 2^32. If the type of i ensures the same
    // for i, this is one comparison instead of two.
    AB_FN T& at_narrow(ab::cx c, u32 site, usize i) const {
        if (__builtin_expect(i >> 32 != 0 || (u32)i >= (u32)n, 0)) { ab::die(c, site, i, n); i = 0; }
        AB_NOWHERE(c, p);
        return p[i];
    }
    // The elements from a to b. It fails, in Rust's order, with (a, n and bit 62) or (b, n and bit
    // 63) if one of them is too large, and with (a, b) if a is greater than b.
    AB_FN slice from(ab::cx c, u32 site, usize a) const { return range(c, site, a, n); }
    AB_FN slice range(ab::cx c, u32 site, usize a, usize b) const {
        if (__builtin_expect(a > b || b > n, 0)) {
            if (a > n) ab::die(c, site, a, n | 1ull << 62);
            else if (b > n) ab::die(c, site, b, n | 1ull << 63);
            else ab::die(c, site, a, b);
            b = a = 0;
        }
#if defined(AB_GO_ON)
        if (a == b) a = b = 0;  // `nowhere` assumes that the first element exists
#endif
        return slice{p + a, b - a};
    }
    AB_FN usize len() const { return n; }
    AB_FN bool is_empty() const { return n == 0; }
    template <class U> AB_FN operator slice<U>() const { return slice<U>{p, n}; }
};
//@ tuple get
// Tuples compare as in Rust: the first difference decides. NaN differs from everything and is
// unordered.
template <class... T> struct tuple;
template <> struct tuple<> {
    static constexpr u32 arity = 0;
    AB_NOTHING_TO_WRITE(tuple)
};
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
    T e[N];
    typedef T elem;
    AB_NOTHING_TO_WRITE(array)
    AB_FN T& at(ab::cx c, u32 site, usize i) {
        if (__builtin_expect(i >= N, 0)) { ab::die(c, site, i, N); i = 0; }
        AB_NOWHERE_NEAR(c, e);
        return e[i];
    }
    AB_FN const T& at(ab::cx c, u32 site, usize i) const {
        if (__builtin_expect(i >= N, 0)) { ab::die(c, site, i, N); i = 0; }
        AB_NOWHERE_NEAR(c, e);
        return e[i];
    }
    AB_FN usize len() const { return N; }
    AB_FN bool is_empty() const { return false; }
    AB_FN operator ab::slice<T>() { return ab::slice<T>{e, N}; }
    AB_FN operator ab::slice<const T>() const { return ab::slice<const T>{e, N}; }
    AB_FN ab::slice<T> from(ab::cx c, u32 site, usize a) { return ab::slice<T>{e, N}.range(c, site, a, N); }
    AB_FN ab::slice<const T> from(ab::cx c, u32 site, usize a) const { return ab::slice<const T>{e, N}.range(c, site, a, N); }
    AB_FN ab::slice<T> range(ab::cx c, u32 site, usize a, usize b) { return ab::slice<T>{e, N}.range(c, site, a, b); }
    AB_FN ab::slice<const T> range(ab::cx c, u32 site, usize a, usize b) const { return ab::slice<const T>{e, N}.range(c, site, a, b); }
};
// Without elements: what a failed check goes on with is a place that nothing reads.
template <class T> __device__ T no_element{};
template <class T> struct array<T, 0> {
    T e[1];
    typedef T elem;
    AB_NOTHING_TO_WRITE(array)
    AB_FN T& at(ab::cx c, u32 site, usize i) const {
        ab::die(c, site, i, 0);
        return no_element<T>;
    }
    AB_FN usize len() const { return 0; }
    AB_FN bool is_empty() const { return true; }
    AB_FN operator ab::slice<T>() const { return ab::slice<T>{&no_element<T>, 0}; }
    AB_FN operator ab::slice<const T>() const { return ab::slice<const T>{&no_element<T>, 0}; }
    AB_FN ab::slice<T> from(ab::cx c, u32 site, usize a) const { return range(c, site, a, 0); }
    AB_FN ab::slice<T> range(ab::cx c, u32 site, usize a, usize b) const { return ab::slice<T>{&no_element<T>, 0}.range(c, site, a, b); }
};
template <class T, usize N> AB_FN bool before(const array<T, N>& a, const array<T, N>& b, bool tie) {
    for (usize i = 0; i < a.len(); i++) {
        if (!(a.e[i] == b.e[i])) return a.e[i] < b.e[i];
    }
    return tie;
}
template <class T, usize N> AB_FN bool operator==(const array<T, N>& a, const array<T, N>& b) {
    for (usize i = 0; i < a.len(); i++) {
        if (!(a.e[i] == b.e[i])) return false;
    }
    return true;
}
template <class T, usize N> AB_FN bool operator!=(const array<T, N>& a, const array<T, N>& b) { return !(a == b); }
template <class T, usize N> AB_FN bool operator<(const array<T, N>& a, const array<T, N>& b) { return before(a, b, false); }
template <class T, usize N> AB_FN bool operator<=(const array<T, N>& a, const array<T, N>& b) { return before(a, b, true); }
template <class T, usize N> AB_FN bool operator>(const array<T, N>& a, const array<T, N>& b) { return before(b, a, false); }
template <class T, usize N> AB_FN bool operator>=(const array<T, N>& a, const array<T, N>& b) { return before(b, a, true); }
//@ two_words
// A number of 64 bits as a parameter. Whoever computes in 32 bits has its lower half as an operand,
// and need not load the whole number.
struct alignas(8) two_words {
    u32 low, high;
    AB_FN u64 whole() const { return (u64)high << 32 | low; }
};
//@ stride
// How many elements lie between neighbours along a dimension of a grid.
struct alignas(8) stride {
    u32 low, high;
    AB_FN operator usize() const { return (usize)high << 32 | low; }
};
//@ grid
// A view of D dimensions, with its extents and its strides; that of the last dimension is 1. Each
// component of an index has a check of its own, and a site: the first one and those after it.
template <class T, u32 D> struct grid {
    T* p;
    usize e[D], s[D - 1];
    AB_FN T& at(ab::cx c, u32 site, usize y, usize x) const {
        static_assert(D == 2);
        if (__builtin_expect(y >= e[0], 0)) { ab::die(c, site, y, e[0]); y = x = 0; }
        if (__builtin_expect(x >= e[1], 0)) { ab::die(c, site + 1, x, e[1]); y = x = 0; }
        AB_NOWHERE(c, p);
        return p[y * s[0] + x];
    }
    AB_FN T& at(ab::cx c, u32 site, usize z, usize y, usize x) const {
        static_assert(D == 3);
        if (__builtin_expect(z >= e[0], 0)) { ab::die(c, site, z, e[0]); z = y = x = 0; }
        if (__builtin_expect(y >= e[1], 0)) { ab::die(c, site + 1, y, e[1]); z = y = x = 0; }
        if (__builtin_expect(x >= e[2], 0)) { ab::die(c, site + 2, x, e[2]); z = y = x = 0; }
        AB_NOWHERE(c, p);
        return p[z * s[0] + y * s[1] + x];
    }
    AB_FN T& at(ab::cx c, u32 site, const ab::array<usize, D>& i) const {
        if constexpr (D == 2) return at(c, site, i.e[0], i.e[1]);
        else return at(c, site, i.e[0], i.e[1], i.e[2]);
    }
    // The same if the launch has checked that the extents and strides are below 2^32, as for a
    // slice.
    static AB_FN bool outside(usize i, usize n) { return __builtin_expect(i >> 32 != 0 || (u32)i >= (u32)n, 0); }
    AB_FN T& at_narrow(ab::cx c, u32 site, usize y, usize x) const {
        static_assert(D == 2);
        if (outside(y, e[0])) { ab::die(c, site, y, e[0]); y = x = 0; }
        if (outside(x, e[1])) { ab::die(c, site + 1, x, e[1]); y = x = 0; }
        AB_NOWHERE(c, p);
        return p[(usize)(u32)y * (u32)s[0] + (u32)x];
    }
    AB_FN T& at_narrow(ab::cx c, u32 site, usize z, usize y, usize x) const {
        static_assert(D == 3);
        if (outside(z, e[0])) { ab::die(c, site, z, e[0]); z = y = x = 0; }
        if (outside(y, e[1])) { ab::die(c, site + 1, y, e[1]); z = y = x = 0; }
        if (outside(x, e[2])) { ab::die(c, site + 2, x, e[2]); z = y = x = 0; }
        AB_NOWHERE(c, p);
        return p[(usize)(u32)z * (u32)s[0] + (usize)(u32)y * (u32)s[1] + (u32)x];
    }
    AB_FN T& at_narrow(ab::cx c, u32 site, const ab::array<usize, D>& i) const {
        if constexpr (D == 2) return at_narrow(c, site, i.e[0], i.e[1]);
        else return at_narrow(c, site, i.e[0], i.e[1], i.e[2]);
    }
    AB_FN ab::array<usize, D> shape() const {
        if constexpr (D == 2) return {{e[0], e[1]}};
        else return {{e[0], e[1], e[2]}};
    }
    AB_FN usize len() const {
        if constexpr (D == 2) return e[0] * e[1];
        else return e[0] * e[1] * e[2];
    }
    AB_FN bool is_empty() const { return len() == 0; }
    template <class U> AB_FN operator grid<U, D>() const {
        if constexpr (D == 2) return {p, {e[0], e[1]}, {s[0]}};
        else return {p, {e[0], e[1], e[2]}, {s[0], s[1]}};
    }
};
//@ len is_empty
template <class T> AB_FN usize len(const T& elements) { return elements.len(); }
template <class T> AB_FN bool is_empty(const T& elements) { return elements.is_empty(); }
//@ is_some is_none is_ok is_err
template <class O> AB_FN bool is_some(const O& x) { return x.ab_tag == 1; }
template <class O> AB_FN bool is_none(const O& x) { return x.ab_tag == 0; }
template <class R> AB_FN bool is_ok(const R& x) { return x.ab_tag == 0; }
template <class R> AB_FN bool is_err(const R& x) { return x.ab_tag == 1; }
//@ value
template <class T> AB_FN T value(const T& x) { return x; }
//@ less
// What `<` and its like are, of an answer of `partial_cmp`.
template <class O> AB_FN bool less(const O& answer) { return answer.ab_tag == 1 && answer.Some.m0.ab_tag < 0; }
//@ less_or_equal
template <class O> AB_FN bool less_or_equal(const O& answer) { return answer.ab_tag == 1 && answer.Some.m0.ab_tag <= 0; }
//@ greater
template <class O> AB_FN bool greater(const O& answer) { return answer.ab_tag == 1 && answer.Some.m0.ab_tag > 0; }
//@ greater_or_equal
template <class O> AB_FN bool greater_or_equal(const O& answer) { return answer.ab_tag == 1 && answer.Some.m0.ab_tag >= 0; }
//@ cmp
template <class O, class T> AB_FN O cmp(const T& a, const T& b) { return O{a < b ? -1 : a == b ? 0 : 1}; }
//@ partial_cmp
template <class O, class T> AB_FN O partial_cmp(const T& a, const T& b) {
    if (a < b) return O{1, {{-1}}};
    if (b < a) return O{1, {{1}}};
    return a == b ? O{1, {{0}}} : O{0, {}};
}
//@ reverse is_eq is_ne is_lt is_le is_gt is_ge
// The methods of `Ordering`.
template <class O> AB_FN O reverse(const O& x) { return O{-x.ab_tag}; }
template <class O> AB_FN bool is_eq(const O& x) { return x.ab_tag == 0; }
template <class O> AB_FN bool is_ne(const O& x) { return x.ab_tag != 0; }
template <class O> AB_FN bool is_lt(const O& x) { return x.ab_tag < 0; }
template <class O> AB_FN bool is_le(const O& x) { return x.ab_tag <= 0; }
template <class O> AB_FN bool is_gt(const O& x) { return x.ab_tag > 0; }
template <class O> AB_FN bool is_ge(const O& x) { return x.ab_tag >= 0; }
//@ unwrap_or
template <class O, class T> AB_FN auto unwrap_or(const O& x, const T& otherwise) -> decltype(x.Some.m0) { return x.ab_tag == 1 ? x.Some.m0 : otherwise; }
template <class R, class T> AB_FN auto unwrap_or(const R& x, const T& otherwise) -> decltype(x.Ok.m0) { return x.ab_tag == 0 ? x.Ok.m0 : otherwise; }
//@ unwrap expect
// What has no value fails, and shows the error.
template <class O> AB_FN auto unwrap(ab::cx c, u32 site, const O& x) -> decltype(x.Some.m0) {
    if (__builtin_expect(x.ab_tag == 0, 0)) ab::fail(c, site, ab::tuple<>{});
    return x.Some.m0;
}
template <class R> AB_FN auto unwrap(ab::cx c, u32 site, const R& x) -> decltype(x.Ok.m0) {
    if (__builtin_expect(x.ab_tag == 1, 0)) ab::fail(c, site, x.Err.m0);
    return x.Ok.m0;
}
template <class O> AB_FN auto expect(ab::cx c, u32 site, const O& x) { return unwrap(c, site, x); }
//@ unwrap_or_default
template <class O> AB_FN auto unwrap_or_default(const O& x) -> decltype(x.Some.m0) { return x.ab_tag == 1 ? x.Some.m0 : decltype(x.Some.m0){}; }
template <class R> AB_FN auto unwrap_or_default(const R& x) -> decltype(x.Ok.m0) { return x.ab_tag == 0 ? x.Ok.m0 : decltype(x.Ok.m0){}; }
//@ ok_or_of ok_of err_of then_some_of zip_of flatten_of
// The type of the result comes first.
template <class R, class O, class E> AB_FN R ok_or_of(const O& x, const E& error) { return x.ab_tag == 1 ? R{0, {x.Some.m0}, {}} : R{1, {}, {error}}; }
template <class O, class R> AB_FN O ok_of(const R& x) { return x.ab_tag == 0 ? O{1, {x.Ok.m0}} : O{0, {}}; }
template <class O, class R> AB_FN O err_of(const R& x) { return x.ab_tag == 1 ? O{1, {x.Err.m0}} : O{0, {}}; }
template <class O, class T> AB_FN O then_some_of(bool some, const T& value) { return some ? O{1, {value}} : O{0, {}}; }
template <class O, class A, class B> AB_FN O zip_of(const A& a, const B& b) { return a.ab_tag == 1 && b.ab_tag == 1 ? O{1, {{a.Some.m0, b.Some.m0}}} : O{0, {}}; }
template <class O, class N> AB_FN O flatten_of(const N& x) { return x.ab_tag == 1 ? x.Some.m0 : O{0, {}}; }
//@ if_of
template <class T, class> struct if_of { typedef T type; };
//@ and_of or_of xor_of
template <class O, class X> AB_FN auto and_of(const X& x, const O& y) -> typename ab::if_of<O, decltype(x.Some)>::type { return x.ab_tag == 1 ? y : O{0, {}}; }
template <class R, class X> AB_FN auto and_of(const X& x, const R& y) -> typename ab::if_of<R, decltype(x.Ok)>::type { return x.ab_tag == 0 ? y : R{1, {}, {x.Err.m0}}; }
template <class O> AB_FN auto or_of(const O& x, const O& y) -> typename ab::if_of<O, decltype(x.Some)>::type { return x.ab_tag == 1 ? x : y; }
template <class R, class X> AB_FN auto or_of(const X& x, const R& y) -> typename ab::if_of<R, decltype(x.Ok)>::type { return x.ab_tag == 0 ? R{0, {x.Ok.m0}, {}} : y; }
template <class O> AB_FN O xor_of(const O& x, const O& y) { return x.ab_tag == y.ab_tag ? O{0, {}} : x.ab_tag == 1 ? x : y; }
//@ is_some_and is_none_or is_ok_and is_err_and
// Closures are called only where Rust calls them.
template <class O, class F> AB_FN bool is_some_and(const O& x, const F& f) { return x.ab_tag == 1 && f(x.Some.m0); }
template <class O, class F> AB_FN bool is_none_or(const O& x, const F& f) { return x.ab_tag == 0 || f(x.Some.m0); }
template <class R, class F> AB_FN bool is_ok_and(const R& x, const F& f) { return x.ab_tag == 0 && f(x.Ok.m0); }
template <class R, class F> AB_FN bool is_err_and(const R& x, const F& f) { return x.ab_tag == 1 && f(x.Err.m0); }
//@ then_of then_with_of
template <class O> AB_FN O then_of(const O& x, const O& other) { return x.ab_tag == 0 ? other : x; }
template <class O, class F> AB_FN O then_of(bool some, const F& f) {
    if (some) return O{1, {f()}};
    return O{0, {}};
}
template <class O, class F> AB_FN O then_with_of(const O& x, const F& f) {
    if (x.ab_tag == 0) return f();
    return x;
}
//@ map_of map_err_of
template <class O, class X, class F> AB_FN auto map_of(const X& x, const F& f) -> typename ab::if_of<O, decltype(x.Some)>::type {
    if (x.ab_tag == 1) return O{1, {f(x.Some.m0)}};
    return O{0, {}};
}
template <class R, class X, class F> AB_FN auto map_of(const X& x, const F& f) -> typename ab::if_of<R, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) return R{0, {f(x.Ok.m0)}, {}};
    return R{1, {}, {x.Err.m0}};
}
template <class R, class X, class F> AB_FN R map_err_of(const X& x, const F& f) {
    if (x.ab_tag == 1) return R{1, {}, {f(x.Err.m0)}};
    return R{0, {x.Ok.m0}, {}};
}
//@ map_or_of map_or_else_of unwrap_or_else_of
template <class T, class X, class F> AB_FN auto map_or_of(const X& x, const T& otherwise, const F& f) -> typename ab::if_of<T, decltype(x.Some)>::type {
    if (x.ab_tag == 1) return f(x.Some.m0);
    return otherwise;
}
template <class T, class X, class F> AB_FN auto map_or_of(const X& x, const T& otherwise, const F& f) -> typename ab::if_of<T, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) return f(x.Ok.m0);
    return otherwise;
}
template <class T, class X, class G, class F> AB_FN auto map_or_else_of(const X& x, const G& g, const F& f) -> typename ab::if_of<T, decltype(x.Some)>::type {
    if (x.ab_tag == 1) return f(x.Some.m0);
    return g();
}
template <class T, class X, class G, class F> AB_FN auto map_or_else_of(const X& x, const G& g, const F& f) -> typename ab::if_of<T, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) return f(x.Ok.m0);
    return g(x.Err.m0);
}
template <class T, class X, class F> AB_FN auto unwrap_or_else_of(const X& x, const F& f) -> typename ab::if_of<T, decltype(x.Some)>::type {
    if (x.ab_tag == 1) return x.Some.m0;
    return f();
}
template <class T, class X, class F> AB_FN auto unwrap_or_else_of(const X& x, const F& f) -> typename ab::if_of<T, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) return x.Ok.m0;
    return f(x.Err.m0);
}
//@ filter_of ok_or_else_of inspect_of inspect_err_of
template <class O, class F> AB_FN O filter_of(const O& x, const F& f) {
    if (x.ab_tag == 1 && f(x.Some.m0)) return x;
    return O{0, {}};
}
template <class R, class O, class F> AB_FN R ok_or_else_of(const O& x, const F& f) {
    if (x.ab_tag == 1) return R{0, {x.Some.m0}, {}};
    return R{1, {}, {f()}};
}
template <class O, class F> AB_FN auto inspect_of(const O& x, const F& f) -> typename ab::if_of<O, decltype(x.Some)>::type {
    if (x.ab_tag == 1) f(x.Some.m0);
    return x;
}
template <class R, class F> AB_FN auto inspect_of(const R& x, const F& f) -> typename ab::if_of<R, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) f(x.Ok.m0);
    return x;
}
template <class R, class F> AB_FN R inspect_err_of(const R& x, const F& f) {
    if (x.ab_tag == 1) f(x.Err.m0);
    return x;
}
//@ and_then_of or_else_of
template <class O, class X, class F> AB_FN auto and_then_of(const X& x, const F& f) -> typename ab::if_of<O, decltype(x.Some)>::type {
    if (x.ab_tag == 1) return f(x.Some.m0);
    return O{0, {}};
}
template <class R, class X, class F> AB_FN auto and_then_of(const X& x, const F& f) -> typename ab::if_of<R, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) return f(x.Ok.m0);
    return R{1, {}, {x.Err.m0}};
}
template <class O, class F> AB_FN auto or_else_of(const O& x, const F& f) -> typename ab::if_of<O, decltype(x.Some)>::type {
    if (x.ab_tag == 1) return x;
    return f();
}
template <class R, class X, class F> AB_FN auto or_else_of(const X& x, const F& f) -> typename ab::if_of<R, decltype(x.Ok)>::type {
    if (x.ab_tag == 0) return R{0, {x.Ok.m0}, {}};
    return f(x.Err.m0);
}
//@ take_of replace_of
// The receiver may be a value of its own, whose changes nobody sees.
template <class O, class X> AB_FN O take_of(X&& x) {
    const O old = x;
    x = O{0, {}};
    return old;
}
template <class O, class X, class T> AB_FN O replace_of(X&& x, const T& value) {
    const O old = x;
    x = O{1, {value}};
    return old;
}
//@ nothing just
template <class O> AB_FN O nothing(ab::tuple<>) { return O{0, {}}; }
template <class O, class T> AB_FN O just(const ab::tuple<T>& r) { return O{1, {r.m0}}; }
//@ is_just given
template <class B, class O> AB_FN B is_just(const O& x) { return x.ab_tag == 1; }
template <class T, class O> AB_FN T given(const O& x) { return x.Some.m0; }
//@ found best
template <class O, class T> AB_FN O found(const ab::tuple<bool, T>& r) { return r.m0 ? O{1, {r.m1}} : O{0, {}}; }
template <class O, class T> AB_FN O best(const ab::tuple<bool, T>& r) { return ab::found<O>(r); }
//@ exceeds
template <class B, class O> AB_FN B exceeds(const O& x) { return x.ab_tag > 0; }
//@ checked
template <class O, class T> AB_FN O checked(const ab::tuple<T, bool>& r) { return r.m1 ? O{0, {}} : O{1, {r.m0}}; }
//@ lvalue
// A value of its own as the receiver of `&mut self`: it lives until the statement ends.
template <class T> AB_FN T& lvalue(T&& value) { return value; }
//@ packed unpack
// A parameter as words, and its conversion back.
template <u32 N> struct alignas(16) packed { u64 words[N]; };
template <class T, u32 N> AB_FN T unpack(const packed<N>& words) {
    T value;
    for (u32 i = 0; i < sizeof(T); i++) ((unsigned char*)&value)[i] = ((const unsigned char*)&words)[i];
    return value;
}
//@ past
// The end of `..=last`. Fails with all ones if the last index has no successor.
AB_FN usize past(ab::cx c, u32 site, usize last) {
    if (__builtin_expect(last == ~(usize)0, 0)) { ab::die(c, site, ~(u64)0, 0); last = 0; }
    return last + 1;
}
//@ filled
// An array with one value in every element.
template <class A> AB_FN A filled(const typename A::elem& value) {
    A r;
    for (auto& e : r.e) e = value;
    return r;
}
//@ last
// Element K of a tuple, a tuple struct or an array, counted from the end: 0 is the last element.
template <u32 K, class T, usize N> AB_FN T& last(ab::array<T, N>& a) { return a.e[N - 1 - K]; }
template <u32 K, class T, usize N> AB_FN const T& last(const ab::array<T, N>& a) { return a.e[N - 1 - K]; }
template <u32 K, class T> AB_FN auto& last(T& t) { return ab::get<T::arity - 1 - K>(t); }
//@ is
// Compares a value with a literal of the same type. A float literal is passed as f32 and as f64.
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
// The values of a range, forwards or backwards, all or every k-th. If there is `any`, the value of
// trip t is `at(t)`, for t from 0 to `last`. The loop counts trips instead of values, because a
// loop up to MAX would never end. All arithmetic is modular, because the distance from MIN to MAX
// does not fit a signed type.
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
//@ fill
// The threads of a block write one value to all elements of an array that they share.
template <class A, class V> AB_FN void fill(A& all, V value, u32 thread, u32 threads) {
    V* elements = reinterpret_cast<V*>(&all);
    constexpr u32 len = sizeof(A) / sizeof(V);
    u32 k = thread;
    // Rounds of all threads ask for no end.
#pragma unroll 16
    for (u32 round = 0u; round < len / threads; round++, k += threads) elements[k] = value;
    if (len % threads != 0u && k < len) elements[k] = value;
}
//@ trips
// How many numbers there are from one to another.
template <class T> AB_FN u64 trips(T from, T to) { return from < to ? (u64)to - (u64)from : 0; }
