// A matrix product, one element a thread.
extern "C" __global__ void __launch_bounds__(256) matmul(float* __restrict__ c, const float* __restrict__ a,
                                                         const float* __restrict__ b, int inner, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        float sum = 0.0f;
        for (int k = 0; k < inner; k++) sum += a[y * inner + k] * b[k * w + x];
        c[y * w + x] = sum;
    }
}

// Bodies that attract each other: all velocities from all positions.
extern "C" __global__ void __launch_bounds__(256) attract(const float* __restrict__ pos, float* __restrict__ vel,
                                                          const float* __restrict__ mass, float softening, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float px = pos[3 * i], py = pos[3 * i + 1], pz = pos[3 * i + 2];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < n; j++) {
        const float dx = pos[3 * j] - px, dy = pos[3 * j + 1] - py, dz = pos[3 * j + 2] - pz;
        const float square = dx * dx + dy * dy + dz * dz + softening * softening;
        const float strength = mass[j] / (square * sqrtf(square));
        ax += dx * strength;
        ay += dy * strength;
        az += dz * strength;
    }
    vel[3 * i] += dt * ax;
    vel[3 * i + 1] += dt * ay;
    vel[3 * i + 2] += dt * az;
}

// All positions from all velocities, of which there are three times as many as bodies.
extern "C" __global__ void __launch_bounds__(256) drift(float* __restrict__ pos, const float* __restrict__ vel, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pos[i] += dt * vel[i];
}
