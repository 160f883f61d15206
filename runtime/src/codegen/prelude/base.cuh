// The differences between C++ and Rust, each in one place, with the reason. There are no includes:
// NVRTC alone has no headers, so no uint32_t.
//
// These files are one text, divided into parts. A line `//@ a b` begins the part that defines ab::a
// and ab::b; `//@ .` begins a part that is only for readers. A program gets the first and the last
// part and, in this order, the parts that it names as `ab::name`. Parts name each other in the same
// way, so one scan finds what a part needs.
//@ base
#define AB_FN __device__ __forceinline__
// A field without a size is a constant of its struct, because a member takes room. Writing it does
// nothing.
#define AB_NOTHING_TO_WRITE(T) template <class U> AB_FN const T& operator=(const U&) const { return *this; }
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 177, 550  // unused variables: rustc has reported them
#pragma nv_diag_suppress 1770      // `const cx`, where that is a reference
#endif
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64; typedef long long isize; typedef __int128 i128;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64; typedef unsigned long long usize; typedef unsigned __int128 u128;
typedef float f32; typedef double f64;
static_assert(sizeof(void*) == 8 && sizeof(bool) == 1, "buffers are laid out as in 64-bit Rust");
namespace ab {
//@ record fault cx thread report die end_thread
// A failed check. The first thread that fails, in any kernel of the device, writes the record. It
// stores `site` last, so a record with a site is complete. `kernel` is the address of its kernel's
// fault. The thread then ends. Formally, `die` returns, and its callers continue with a harmless
// value: a path that never returns would be a second exit of the surrounding loop, and the compiler
// does not unroll loops with two exits. Only `report` is a call: if it were inlined, it would cost
// registers and a copy for each site.
//
// With AB_GO_ON a thread cannot end. It continues with harmless values, uses `nowhere` instead of
// elements, and leaves its loops. So it has no more effect than a thread that has ended.
struct record { u64 site; u64 a; u64 b; u64 kernel; };
// A kernel that prints uses the last four words.
struct fault { u64* word; volatile record* host; u64* head; volatile u64* ring; u64 room; u64* lost; };
// A place for what has no effect any more. Failed threads share it: what they read has no effect.
// It is in the memory of buffers, also where it is only read, so that the compiler knows the kind
// of memory of an access that may go here.
template <class T> __device__ T unused{};
template <class T> AB_FN T& nowhere(T*) { return unused<T>; }
template <class T> AB_FN const T& nowhere(const T*) { return unused<T>; }
// What a kernel knows of its thread is a `thread`, and its functions get that as a `cx`.
//
// A kernel of blocks has two contexts. One is for phases; code outside of phases has the other,
// since all threads run it: one of them prints, and none of them fails alone. AB_IS_OVER tells that
// a thread of the block has failed, so that what others wait for may never come.
#if defined(AB_GO_ON)
// It is in registers where the compiler inlines what takes a `cx`: no call of the prelude takes its
// address, and it points to no part of itself.
struct thread {
    fault* f;
    const thread* own;          // in the context of all threads: that of phases
    mutable const thread* lent; // the context that fails in the place of this one
    bool mute;
    mutable bool ended;
    mutable bool over;          // in all threads of a block the same
    alignas(16) mutable u8 words[64];
    AB_FN thread(fault* fault, volatile u32* = 0) : f(fault), own(0), lent(0), mute(false), ended(false), over(false), words{} {}
    AB_FN thread(const thread& own, bool mute) : f(own.f), own(&own), lent(0), mute(mute), ended(false), over(false), words{} {}
    thread(const thread&) = delete;
    AB_FN bool& failed() const { return lent != 0 ? lent->ended : ended; }
};
typedef const thread& cx;
#define AB_IS_OVER(c) ((c).own != 0 ? (c).own->over : (c).over)
#define AB_NOWHERE(c, p) if (c.failed()) return nowhere(p)
// The same for an element of an array, which is mostly a variable of the thread, in another kind of
// memory.
template <class T> AB_FN T& nowhere_near(cx c, T* p) {
    if constexpr (sizeof(T) <= sizeof(c.words)) return *(T*)c.words;
    else return nowhere(p);
}
#define AB_NOWHERE_NEAR(c, p) if (c.failed()) return nowhere_near(c, p)
#else
#define AB_NOWHERE(c, p)
#define AB_NOWHERE_NEAR(c, p)
struct cx {
    fault* f;
#if defined(AB_BLOCKS)
    volatile u32* over;  // null where nothing asks
    bool mute;
    AB_FN cx(fault* fault, volatile u32* over = 0) : f(fault), over(over), mute(false) {}
    AB_FN cx(const cx& other, bool mute) : f(other.f), over(other.over), mute(mute) {}
#endif
};
#define AB_IS_OVER(c) ((c).over != 0 && *(c).over != 0u)
typedef cx thread;
#endif
// Where an index operator has failed, formally.
template <class T> AB_FN T& no_place(const cx&) { return nowhere((T*)0); }
#if !defined(AB_EXIT)
#define AB_EXIT asm volatile("exit;" ::: "memory")
#endif
__device__ __noinline__ void report(fault* f, u32 site, u64 a, u64 b) {
    if (atomicCAS(f->word, 0ull, (u64)site) != 0ull) return;
    volatile record* const r = f->host;
    r->a = a;
    r->b = b;
    r->kernel = (u64)f;
    __threadfence_system();
    r->site = site;
}
AB_FN void end_thread(const cx& c) {
#if defined(AB_GO_ON)
    c.failed() = true;
#else
#if defined(AB_BLOCKS)
    if (c.over != 0) *c.over = 1u;
#endif
    AB_EXIT;
#endif
}
AB_FN void die(cx c, u32 site, u64 a, u64 b) {
#if defined(AB_GO_ON)
    if (c.failed()) return;
#endif
    report(c.f, site, a, b);
    end_thread(c);
}
//@ same
// The type itself, for a parameter whose type must not be deduced from its argument.
template <class T> struct same_as { typedef T type; };
template <class T> using same = typename same_as<T>::type;
//@ kind uns sig wide
// The kind of a type ('b', 'i', 'u', 'f', or '-' for tuples and arrays), its unsigned and signed
// counterparts, and the type for computations; of a float also the number of its stored bits behind
// the point. Small ints compute in u32, because C++ promotes them to int, where u16 * u16 can
// overflow. Signed ints compute in their unsigned counterpart, because signed overflow is
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
//@ may_not_end may_be_long
// The first statement in the body of a loop that may run forever. C++ assumes that a loop without
// side effects ends: NVRTC for sm_100 and g++ -O2 delete `while (j >= n) {}` and, because j < n
// then holds after it, also the check of x[j]. An asm is a side effect. This one generates no
// instruction, and the compiler still unrolls loops and hoists loads across it.
//
// In a block of which a thread has failed, what the loop waits for may never come.
AB_FN void may_not_end() { asm volatile(""); }
template <class C> AB_FN void may_not_end(const C& c) {
    asm volatile("");
#if defined(AB_BLOCKS)
    if (AB_IS_OVER(c)) ab::end_thread(c);
#endif
}
// The same for a loop that ends, some time.
template <class C> AB_FN void may_be_long(const C& c) {
#if defined(AB_BLOCKS)
    if (AB_IS_OVER(c)) ab::end_thread(c);
#endif
}
//@ over
// Where threads of a block say that they have failed, if a loop asks. A program without blocks has
// no barrier, not even this one.
AB_FN volatile u32* over() {
#if (defined(AB_POLLS) || defined(AB_ENDS)) && !defined(AB_GO_ON)
    __shared__ volatile u32 room;
    if (threadIdx.x == 0u) room = 0u;
    __syncthreads();
    return &room;
#else
    return 0;
#endif
}
//@ lend give_back
// While one thread alone runs a statement, it fails in the context of all threads, too, as if that
// were its own.
AB_FN void lend(const ab::cx& own, const ab::cx& all) {
#if defined(AB_GO_ON)
    all.lent = &own;
#endif
}
AB_FN void give_back(const ab::cx& all) {
#if defined(AB_GO_ON)
    all.lent = 0;
#endif
}
//@ ends meet meet_warp enter
// Behind a barrier. With AB_ENDS, threads share values of which not all bits are one, such as
// `bool`. What a failed thread has not written must not be read, so the others fail with it.
AB_FN void ends() {}
AB_FN void ends(const ab::cx& own) {
#if defined(AB_ENDS) && defined(AB_GO_ON)
    if (own.over) own.ended = true;
#elif defined(AB_ENDS)
    if (*own.over != 0u) AB_EXIT;
#endif
}
// A barrier: behind it, all threads know whether one has failed. `exit` needs no word of it:
// whoever asks looks at what the failed thread wrote. Threads that go on must all leave a loop
// around a barrier, or none.
AB_FN void meet(const ab::cx& own) {
#if defined(AB_GO_ON)
    own.over = __syncthreads_or((int)own.ended) != 0;
#else
    __syncthreads();
#endif
    ab::ends(own);
}
// The same in a block that is a warp, or a part of one.
AB_FN void meet_warp(const ab::cx& own) {
#if defined(AB_GO_ON)
    ab::meet(own);
#else
    __syncwarp();
    ab::ends(own);
#endif
}
// The context of a phase. What has failed in all threads goes on in none.
AB_FN const ab::cx& enter(const ab::cx& own, const ab::cx& all) {
#if defined(AB_GO_ON)
    if (all.ended) own.ended = true;
#endif
    return own;
}
