// CUDA C++ and HIP C++ on a host compiler: what their compilers know without any header, put before
// every program.
#pragma once
#pragma GCC system_header  // no warnings about this file: the log is about the program

// The intrinsics are those that the tests of the prelude use. A compare-and-swap there need not be
// one.
#define atomicCAS host_atomicCAS
// Nor does a block meet there.
#define __syncthreads host_syncthreads
#define __syncthreads_or host_syncthreads_or
#define __syncthreads_and host_syncthreads_and
#define __syncthreads_count host_syncthreads_count
#define __syncwarp host_syncwarp
#define __ballot_sync host_ballot_sync
#define __match_any_sync host_match_any_sync
#include "host.h"
#undef atomicCAS
#undef __syncthreads
#undef __syncthreads_or
#undef __syncthreads_and
#undef __syncthreads_count
#undef __syncwarp
#undef __ballot_sync
#undef __match_any_sync
#undef __shared__
#include "entry.h"
#include <type_traits>
#include <utility>

#define __host__
#define __constant__
#define __shared__ static __thread
#define __launch_bounds__(...)

typedef standin::dim uint3;
typedef standin::dim dim3;
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
#define __align__(n) __attribute__((aligned(n)))

extern "C" __attribute__((visibility("default"))) standin::services standin_services;
inline __thread standin::place standin_here;
#define threadIdx standin_here.thread
#define blockIdx standin_here.block
#define blockDim standin_here.block_size
#define gridDim standin_here.grid_size
#define warpSize (standin_services.warp)

#include "atomics.h"
#include "meetings.h"

namespace standin {

template <class T, class = void> struct object {
    static constexpr parameter of{sizeof(T), false, false, false, false, false, 0};
};
// `ab::stride`, which the program defines: no other type of a parameter becomes a number.
template <class T> struct object<T, std::enable_if_t<std::is_class_v<T> && std::is_convertible_v<T, unsigned long long> && sizeof(T) == 8>> {
    static constexpr parameter of{8, false, false, false, false, true, 0};
};
template <> struct object<unsigned long long> {
    static constexpr parameter of{8, false, false, false, true, false, 0};
};
template <class T> struct object<T*> {
    static constexpr parameter of{8, true, false, false, false, false, sizeof(T)};
};
// Of what a buffer holds, only atomics are instances of a template: `ab::atomic<u32>`.
template <template <class> class Atomic, class T> struct object<Atomic<T>*> {
    static constexpr parameter of{8, true, false, true, false, false, sizeof(T)};
};
template <class T> struct object<const T*> {
    static constexpr parameter of{8, true, true, false, false, false, sizeof(T)};
};
template <class T> struct object<T* __restrict__> : object<T*> {};
template <> struct object<void*> {
    static constexpr parameter of{8, true, false, false, false, false, 1};
};
template <> struct object<const void*> {
    static constexpr parameter of{8, true, true, false, false, false, 1};
};

inline place* here() { return &standin_here; }

template <auto F, class Numbers> struct entry;
template <class... P, void (*F)(P...), size_t... I> struct entry<F, std::index_sequence<I...>> {
    static constexpr parameter parameters[] = {object<P>::of..., {}};

    static void thread([[maybe_unused]] void** arguments) {
        try {
            F(*static_cast<P*>(arguments[I])...);
        } catch (host_exit&) {
        }
    }

    static void block(void** arguments) {
        const dim size = standin_here.block_size;
        dim& at = standin_here.thread;
        if (standin_here.backwards) {
            for (at.z = size.z; at.z-- > 0;)
                for (at.y = size.y; at.y-- > 0;)
                    for (at.x = size.x; at.x-- > 0;) thread(arguments);
            return;
        }
        for (at.z = 0; at.z < size.z; at.z++)
            for (at.y = 0; at.y < size.y; at.y++)
                for (at.x = 0; at.x < size.x; at.x++) thread(arguments);
    }
};

template <class... P> constexpr std::index_sequence_for<P...> numbers(void (*)(P...)) { return {}; }

template <auto F> constexpr kernel describe(unsigned most_threads) {
    using E = entry<F, decltype(numbers(F))>;
    return {sizeof(E::parameters) / sizeof(parameter) - 1, E::parameters, most_threads, E::block, E::thread, here};
}

}  // namespace standin

// Written behind the program for each of its kernels.
#define STANDIN_KERNEL(NAME, MOST_THREADS) \
    extern "C" __attribute__((visibility("default"), used)) const standin::kernel standin_kernel_##NAME = \
        standin::describe<&NAME>(MOST_THREADS);
