//@ .
// Values for the host to format: the lines of printing macros, and the messages of failed checks.
//@ words
// The bytes of a value, as words. The host reads none of the bytes between its scalars.
template <class T> struct words {
    static constexpr u32 count = (u32)((sizeof(T) + 7) / 8);
    u64 w[count];
    AB_FN words(const T& value) : w{} {
        for (u32 i = 0; i < sizeof(T); i++) w[i / 8] |= (u64)((const u8*)&value)[i] << 8 * (i % 8);
    }
};
//@ print
// A line goes into the ring of the device, which all of its kernels share. `ring[0]` is the number
// of words that the host has taken, `ring[1]` tells it that lines were lost, and the words follow:
// for each line its head, its kernel's fault, and its values. A thread first reserves the words, so
// that no other thread writes there, and stores the head last: the host takes a line whose head is
// not 0, and puts zeros in its place. A line for which there is no room is counted and lost, so no
// thread waits for the host.
//
// `taken` may be older than `at`, or newer: then the exchange fails. So the difference is signed.
__device__ __noinline__ void print_words(ab::fault* f, u64 head, const u64* values, u32 count) {
    const u64 size = (u64)count + 2;
    volatile u64* const ring = f->ring + 2;
    const u64 room = f->room;
    u64 at = *(volatile u64*)f->head;
    for (;;) {
        const u64 taken = f->ring[0];
        if ((i64)(at + size - taken) > (i64)room) {
            atomicAdd(f->lost, 1ull);
            __threadfence_system();
            f->ring[1] = 1;
            return;
        }
        const u64 before = atomicCAS(f->head, at, at + size);
        if (before == at) break;
        at = before;
    }
    ring[(at + 1) % room] = (u64)f;
    for (u32 i = 0; i < count; i++) ring[(at + 2 + i) % room] = values[i];
    __threadfence_system();
    ring[at % room] = head;
}
template <class T> AB_FN void print(ab::cx c, u32 site, u32 output, const T& value) {
#if defined(AB_GO_ON)
    if (c.failed()) return;
#endif
#if defined(AB_BLOCKS)
    if (c.mute) return;
#endif
    const ab::words<T> values(value);
    print_words(c.f, (u64)output << 56 | (u64)values.count << 32 | site, values.w, values.count);
}
//@ fail
// A failed check whose message has values. They follow the record; `a` is their number. If they do
// not fit there, it is 0.
constexpr u32 most_values = 508;
__device__ __noinline__ void report_values(ab::fault* f, u32 site, const u64* values, u32 count) {
    if (atomicCAS(f->word, 0ull, (u64)site) != 0ull) return;
    volatile ab::record* const r = f->host;
    volatile u64* const words = (volatile u64*)(r + 1);
    for (u32 i = 0; i < count; i++) words[i] = values[i];
    r->a = count;
    r->b = 0;
    r->kernel = (u64)f;
    __threadfence_system();
    r->site = site;
}
template <class T> AB_FN void fail(ab::cx c, u32 site, const T& value) {
    if constexpr (ab::words<T>::count > most_values) {
        ab::die(c, site, 0, 0);
    } else {
#if defined(AB_GO_ON)
        if (c.failed()) return;
#endif
        const ab::words<T> values(value);
        report_values(c.f, site, values.w, values.count);
        ab::end_thread(c);
    }
}
