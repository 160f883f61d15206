// A pass of a radix sort by 4 bits: count, scan, move. A tile has 2048 keys; each of its 8 warps
// has 256 that follow each other.
#define KEYS 2048

// How many keys of each tile have each digit: `counts[digit * tiles + tile]`. `n` is a multiple of
// 2048.
extern "C" __global__ void __launch_bounds__(256) count_digits(unsigned* __restrict__ counts, const unsigned* __restrict__ keys,
                                                               int shift) {
    __shared__ unsigned seen[8][16];
    if (threadIdx.x < 128) seen[threadIdx.x / 16][threadIdx.x % 16] = 0;
    __syncthreads();
    const uint4* const fours = reinterpret_cast<const uint4*>(keys + blockIdx.x * KEYS);
    unsigned* const own = seen[threadIdx.x / 32];
    for (int i = threadIdx.x; i < KEYS / 4; i += 256) {
        const uint4 four = fours[i];
        atomicAdd(&own[four.x >> shift & 15], 1u);
        atomicAdd(&own[four.y >> shift & 15], 1u);
        atomicAdd(&own[four.z >> shift & 15], 1u);
        atomicAdd(&own[four.w >> shift & 15], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int warp = 0; warp < 8; warp++) sum += seen[warp][threadIdx.x];
        counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
}

// Moves the keys to where they belong; `up_to` has the sums up to each of the counts. The keys of a
// tile are sorted in shared memory first, so that those with the same digit are written next to
// each other.
extern "C" __global__ void __launch_bounds__(256) move_keys(unsigned* __restrict__ to, const unsigned* __restrict__ keys,
                                                            const unsigned* __restrict__ up_to, const unsigned* __restrict__ counts,
                                                            int shift) {
    __shared__ unsigned sorted[KEYS];
    __shared__ unsigned seen[8][16];
    __shared__ unsigned starts[16];
    __shared__ unsigned places[16];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned own[8], rank[8];
    if (threadIdx.x < 128) seen[threadIdx.x / 16][threadIdx.x % 16] = 0;
    for (int i = 0; i < 8; i++) own[i] = keys[blockIdx.x * KEYS + warp * 256 + i * 32 + lane];
    __syncthreads();
    // Before a key come those of its warp that have its digit: in earlier rounds, and in this one
    // in earlier lanes.
    for (int i = 0; i < 8; i++) {
        const unsigned digit = own[i] >> shift & 15;
        unsigned same = 0xffffffff;
        for (int bit = 0; bit < 4; bit++) {
            const unsigned set = __ballot_sync(0xffffffff, digit >> bit & 1);
            same &= digit >> bit & 1 ? set : ~set;
        }
        rank[i] = seen[warp][digit] + __popc(same & ((1u << lane) - 1));
        __syncwarp();
        if (same >> lane == 1) seen[warp][digit] = rank[i] + 1;
        __syncwarp();
    }
    __syncthreads();
    // Where the keys of each warp and digit begin in the sorted tile.
    if (threadIdx.x < 32) {
        unsigned sum = 0;
        for (int w = 0; w < 8 && lane < 16; w++) {
            const unsigned count = seen[w][lane];
            seen[w][lane] = sum;
            sum += count;
        }
        unsigned last = sum;
        for (unsigned distance = 1; distance < 16; distance *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffff, last, distance);
            if (lane >= distance) last += before;
        }
        if (lane < 16) {
            const unsigned i = lane * gridDim.x + blockIdx.x;
            starts[lane] = last - sum;
            places[lane] = up_to[i] - counts[i] - starts[lane];
        }
    }
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        const unsigned digit = own[i] >> shift & 15;
        sorted[starts[digit] + seen[warp][digit] + rank[i]] = own[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < KEYS; i += 256) {
        const unsigned key = sorted[i];
        to[places[key >> shift & 15] + i] = key;
    }
}
