// What C++ does not do as Rust does, once, with the reason. Nothing is included: a bare NVRTC has no headers, so no uint32_t.
//
// These files are one text, cut into parts. A line `//@ a b` opens the part that defines ab::a and ab::b (`//@ .` one that
// is for readers only). A program gets the first and the last part and, in this order, those it names as `ab::name`. Parts
// name each other the same way, so that one scan finds what a part pulls in.
//@ base
#define AB_FN __device__ __forceinline__
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 177, 550  // variables that nobody reads: rustc has said so
#endif
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64; typedef long long isize; typedef __int128 i128;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64; typedef unsigned long long usize; typedef unsigned __int128 u128;
typedef float f32; typedef double f64;
static_assert(sizeof(void*) == 8 && sizeof(bool) == 1, "buffers are laid out as in 64-bit Rust");
namespace ab {
//@ record fault cx report die
// A failing check: the first thread to fail, of all kernels of the device, reports, `site` last, since a record with a site is
// complete; `kernel` is the address of its kernel's fault. The thread then ends. `die` formally returns, and its callers go on with
// a harmless value: a path that never returns is a second exit of the loop around it, and such loops are not unrolled. Only the
// report is a call: inlined, it costs registers and a copy a site.
//
// With AB_GO_ON a thread cannot end: it goes on with harmless values, in place of elements it uses `nowhere`, and it leaves its
// loops. So it has no more effect than a thread that has ended.
struct record { u64 site; u64 a; u64 b; u64 kernel; };
struct fault { u64* word; volatile record* host; u64 waste; };
#if defined(AB_GO_ON)
#define AB_NOWHERE(c, p) if (*(c).failed) return nowhere(c, p)
struct cx {
    fault* f;
    bool* failed;   // of the thread: `own` of the context that its kernel has made
    u64* scratch;
    mutable bool own;
    alignas(16) mutable u64 words[2];
    AB_FN cx(fault* fault) : f(fault), failed(&own), scratch(words), own(false), words{0, 0} {}
    AB_FN cx(const cx& other) : f(other.f), failed(other.failed), scratch(other.scratch), own(false), words{0, 0} {}
};
// A place of the thread's own; for what does not fit, the first element of its own array.
template <class T> AB_FN T& nowhere(const cx& c, T* p) {
    if constexpr (sizeof(T) <= 16) return *(T*)c.scratch;
    else return *p;
}
#else
#define AB_NOWHERE(c, p)
struct cx { fault* f; };
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
// The type itself, where it must not be deduced from an argument.
template <class T> struct same_as { typedef T type; };
template <class T> using same = typename same_as<T>::type;
//@ kind uns sig wide
// The kind of a type ('b', 'i', 'u', 'f', '-' of tuples and arrays), its unsigned and signed twins, and the type to compute in: small ints compute
// in u32, since C++ promotes them to int, where u16 * u16 can overflow, and signed ones in their twin, since signed overflow is
// undefined.
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
template <> struct num<f32> { static constexpr char kind = 'f'; typedef u32 uns; typedef i32 sig; typedef f32 wide; };
template <> struct num<f64> { static constexpr char kind = 'f'; typedef u64 uns; typedef i64 sig; typedef f64 wide; };
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
// First in the body of a loop that may run forever. C++ takes a loop without side effects to end: NVRTC for sm_100 and g++ -O2
// delete `while (j >= n) {}` and, since j < n then holds behind it, the check of x[j] too. An asm is a side effect; this one is
// no instruction, and loops are unrolled and loads hoisted across it.
AB_FN void may_not_end() { asm volatile(""); }
