// `steps` steps of a generator of numbers in each element.
extern "C" __global__ void __launch_bounds__(256) advance(unsigned* __restrict__ x, int n, unsigned steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned s = x[i];
        for (unsigned k = 0; k < steps; k++) s = s * 1664525u + 1013904223u;
        x[i] = s;
    }
}
