// Tiles of 4096 elements: each of 256 threads has 16, one after the other.
#define TILE 4096

// The sum of the values of the threads up to this one, of at most 1024; `total` becomes that of
// all.
__device__ unsigned inclusive(unsigned own, unsigned* total) {
    __shared__ unsigned warps[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned before = __shfl_up_sync(0xffffffff, own, distance);
        if (lane >= distance) own += before;
    }
    if (lane == 31) warps[warp] = own;
    __syncthreads();
    if (warp == 0) {
        unsigned sum = lane < blockDim.x / 32 ? warps[lane] : 0;
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffff, sum, distance);
            if (lane >= distance) sum += before;
        }
        warps[lane] = sum;
    }
    __syncthreads();
    *total = warps[31];
    const unsigned sum = warp > 0 ? own + warps[warp - 1] : own;
    __syncthreads();
    return sum;
}

// The sum of each tile. `n` is a multiple of 4096.
extern "C" __global__ void __launch_bounds__(256) sum_of_tiles(unsigned* __restrict__ sums, const unsigned* __restrict__ x) {
    const uint4* const fours = reinterpret_cast<const uint4*>(x + blockIdx.x * TILE);
    unsigned own = 0, total;
    for (int i = threadIdx.x; i < TILE / 4; i += 256) {
        const uint4 four = fours[i];
        own += four.x + four.y + four.z + four.w;
    }
    inclusive(own, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// Each of `n` sums becomes the sum of those before it. One block of 1024.
extern "C" __global__ void __launch_bounds__(1024) scan_sums(unsigned* __restrict__ sums, int n) {
    unsigned carry = 0, total;
    for (int first = 0; first < n; first += 1024) {
        const int i = first + threadIdx.x;
        const unsigned own = i < n ? sums[i] : 0;
        const unsigned up_to = inclusive(own, &total);
        if (i < n) sums[i] = carry + up_to - own;
        carry += total;
    }
}

// The sums up to each element, from the sums before the tiles.
extern "C" __global__ void __launch_bounds__(256) scan_tiles(unsigned* __restrict__ out, const unsigned* __restrict__ x,
                                                             const unsigned* __restrict__ sums) {
    const uint4* const from = reinterpret_cast<const uint4*>(x + blockIdx.x * TILE) + threadIdx.x * 4;
    uint4* const to = reinterpret_cast<uint4*>(out + blockIdx.x * TILE) + threadIdx.x * 4;
    uint4 fours[4];
    unsigned own = 0, total;
    for (int i = 0; i < 4; i++) {
        fours[i] = from[i];
        fours[i].y += fours[i].x;
        fours[i].z += fours[i].y;
        fours[i].w += fours[i].z;
        own += fours[i].w;
    }
    unsigned before = sums[blockIdx.x] + inclusive(own, &total) - own;
    for (int i = 0; i < 4; i++) {
        to[i] = make_uint4(before + fours[i].x, before + fours[i].y, before + fours[i].z, before + fours[i].w);
        before += fours[i].w;
    }
}
