// The differences between C++ and Rust, each in one place, with the reason. There are no includes: NVRTC alone has no headers, so no uint32_t.
//
// These files are one text, divided into parts. A line `//@ a b` begins the part that defines ab::a and ab::b; `//@ .` begins a part that is
// only for readers. A program gets the first and the last part and, in this order, the parts that it names as `ab::name`. Parts name each
// other in the same way, so one scan finds what a part needs.
//@ base
#define AB_FN __device__ __forceinline__
// A field without a size is a constant of its struct, because a member takes room. Writing it does nothing.
#define AB_NOTHING_TO_WRITE(T) template <class U> AB_FN const T& operator=(const U&) const { return *this; }
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 177, 550  // unused variables: rustc has reported them
#endif
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64; typedef long long isize; typedef __int128 i128;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64; typedef unsigned long long usize; typedef unsigned __int128 u128;
typedef float f32; typedef double f64;
static_assert(sizeof(void*) == 8 && sizeof(bool) == 1, "buffers are laid out as in 64-bit Rust");
namespace ab {
//@ record fault cx report die
// A failed check. The first thread that fails, in any kernel of the device, writes the record. It stores `site` last, so a record with a
// site is complete. `kernel` is the address of its kernel's fault. The thread then ends. Formally, `die` returns, and its callers continue
// with a harmless value: a path that never returns would be a second exit of the surrounding loop, and the compiler does not unroll loops
// with two exits. Only `report` is a call: if it were inlined, it would cost registers and a copy for each site.
//
// With AB_GO_ON a thread cannot end. It continues with harmless values, uses `nowhere` instead of elements, and leaves its loops. So it has no
// more effect than a thread that has ended.
struct record { u64 site; u64 a; u64 b; u64 kernel; };
// A kernel that prints uses the last four words.
struct fault { u64* word; volatile record* host; u64 waste; u64* head; volatile u64* ring; u64 room; u64* lost; };
// A place for what has no effect any more.
template <class T> __device__ T shared_nowhere{};
#if defined(AB_GO_ON)
#define AB_NOWHERE(c, p) if (*(c).failed) return nowhere(c, p)
struct cx {
    fault* f;
    bool* failed;   // one for each thread: `own` of the context that its kernel created
    u64* scratch;
    mutable bool own;
    alignas(16) mutable u64 words[2];
    AB_FN cx(fault* fault) : f(fault), failed(&own), scratch(words), own(false), words{0, 0} {}
    AB_FN cx(const cx& other) : f(other.f), failed(other.failed), scratch(other.scratch), own(false), words{0, 0} {}
};
// A place that only this thread uses. For a type that does not fit, failed threads share a place: what they read has no effect.
template <class T> AB_FN T& nowhere(const cx& c, T*) {
    if constexpr (sizeof(T) <= 16) return *(T*)c.scratch;
    else return shared_nowhere<T>;
}
template <class T> AB_FN T& no_place(const cx& c) { return nowhere(c, (T*)0); }
#else
#define AB_NOWHERE(c, p)
struct cx { fault* f; };
// Where an index operator has failed, formally.
template <class T> AB_FN T& no_place(const cx&) { return shared_nowhere<T>; }
#endif
#if !defined(AB_EXIT)
#define AB_EXIT asm volatile("exit;" ::: "memory")
#endif
__device__ __noinline__ void report(cx c, u32 site, u64 a, u64 b) {
    if (atomicCAS(c.f->word, 0ull, (u64)site) != 0ull) return;
    volatile record* const r = c.f->host;
    r->a = a;
    r->b = b;
    r->kernel = (u64)c.f;
    __threadfence_system();
    r->site = site;
}
AB_FN void die(cx c, u32 site, u64 a, u64 b) {
#if defined(AB_GO_ON)
    if (*c.failed) return;
    report(c, site, a, b);
    *c.failed = true;
#else
    report(c, site, a, b);
    AB_EXIT;
#endif
}
//@ same
// The type itself, for a parameter whose type must not be deduced from its argument.
template <class T> struct same_as { typedef T type; };
template <class T> using same = typename same_as<T>::type;
//@ kind uns sig wide
// The kind of a type ('b', 'i', 'u', 'f', or '-' for tuples and arrays), its unsigned and signed counterparts, and the type for computations;
// of a float also the number of its stored bits behind the point.
// Small ints compute in u32, because C++ promotes them to int, where u16 * u16 can overflow. Signed ints compute in their unsigned
// counterpart, because signed overflow is undefined.
template <class T> struct num { static constexpr char kind = '-'; };
template <> struct num<bool> { static constexpr char kind = 'b'; typedef bool uns; typedef bool sig; typedef u32 wide; };
template <> struct num<i8> { static constexpr char kind = 'i'; typedef u8 uns; typedef i8 sig; typedef u32 wide; };
template <> struct num<i16> { static constexpr char kind = 'i'; typedef u16 uns; typedef i16 sig; typedef u32 wide; };
template <> struct num<i32> { static constexpr char kind = 'i'; typedef u32 uns; typedef i32 sig; typedef u32 wide; };
template <> struct num<i64> { static constexpr char kind = 'i'; typedef u64 uns; typedef i64 sig; typedef u64 wide; };
template <> struct num<i128> { static constexpr char kind = 'i'; typedef u128 uns; typedef i128 sig; typedef u128 wide; };
template <> struct num<u8> { static constexpr char kind = 'u'; typedef u8 uns; typedef i8 sig; typedef u32 wide; };
template <> struct num<u16> { static constexpr char kind = 'u'; typedef u16 uns; typedef i16 sig; typedef u32 wide; };
template <> struct num<u32> { static constexpr char kind = 'u'; typedef u32 uns; typedef i32 sig; typedef u32 wide; };
template <> struct num<u64> { static constexpr char kind = 'u'; typedef u64 uns; typedef i64 sig; typedef u64 wide; };
template <> struct num<u128> { static constexpr char kind = 'u'; typedef u128 uns; typedef i128 sig; typedef u128 wide; };
template <> struct num<f32> { static constexpr char kind = 'f'; static constexpr u32 fraction = 23; typedef u32 uns; typedef i32 sig; typedef f32 wide; };
template <> struct num<f64> { static constexpr char kind = 'f'; static constexpr u32 fraction = 52; typedef u64 uns; typedef i64 sig; typedef f64 wide; };
template <class T> constexpr char kind = num<T>::kind;
template <class T> using uns = typename num<T>::uns;
template <class T> using sig = typename num<T>::sig;
template <class T> using wide = typename num<T>::wide;
//@ bits min_of max_of
// Width, smallest and greatest value of an int type.
template <class T> constexpr u32 bits = 8 * (u32)sizeof(T);
template <class T> constexpr T max_of = ab::kind<T> == 'u' ? (T)~(ab::uns<T>)0 : (T)((ab::uns<T>)~(ab::uns<T>)0 >> 1);
template <class T> constexpr T min_of = ab::kind<T> == 'u' ? (T)0 : (T)~max_of<T>;
//@ negative
template <class T> AB_FN bool negative(T x) {
    if constexpr (ab::kind<T> == 'u') return false;
    else return x < 0;
}
//@ may_not_end
// The first statement in the body of a loop that may run forever. C++ assumes that a loop without side effects ends: NVRTC for sm_100 and
// g++ -O2 delete `while (j >= n) {}` and, because j < n then holds after it, also the check of x[j]. An asm is a side effect. This one
// generates no instruction, and the compiler still unrolls loops and hoists loads across it.
AB_FN void may_not_end() { asm volatile(""); }
