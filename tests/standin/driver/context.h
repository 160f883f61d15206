// Devices, their primary contexts, and which one is current on a thread.
#pragma once
#include <memory>

#include "call.h"
#include "clock.h"

namespace standin {

struct Stream;

// The primary context of one device. It stays the same object when it is released and retained
// again. HIP has no contexts, but here its devices have: each is retained at its first use, and
// stays so.
struct Context {
    bool hip;
    int device;
    CUcontext handle;
    unsigned retained = 0;
    CUresult lost = CUDA_SUCCESS;  // the error that has stuck
    unsigned running = 0;          // operations under way
    std::shared_ptr<Stream> legacy;
    Clock gone;  // what was queued on streams that are no more
};

// The context of a handle; null where there is none.
std::shared_ptr<Context> context_of(CUcontext handle);

// That of a device of CUDA, or of HIP in its calls; null where there is none.
std::shared_ptr<Context> context_of_device(CUdevice device);

// Current on the calling thread, or null.
std::shared_ptr<Context> current_context();

// The device of HIP that is current on the calling thread. A thread begins with device 0.
CUdevice& hip_device();

// That of a device of HIP, within a call of HIP; null where there is none.
std::shared_ptr<Context> hip_context(CUdevice device = hip_device());

// Ends what is left of HIP's devices, as the end of the process would: reports objects that are
// alive, and no error sticks any longer.
void reset_hip(Lock& lock);

// Reports what is alive in contexts that are not released, and those.
void report_all_leaks();

bool initialized();

// What the machine has: STANDIN_DEVICES (1), STANDIN_CAPABILITY (9.0), STANDIN_POOLS (1:
// stream-ordered allocation). CUDA and HIP have as many devices each, but with STANDIN_HIP there
// are none of CUDA.
int device_count();
unsigned device_architecture();
bool has_pools();

// Of HIP's devices: STANDIN_ARCHITECTURE (gfx90a:sramecc+:xnack-), and STANDIN_WAVE, the threads of
// a wave (64 for gfx9, else 32).
const char* hip_architecture();
unsigned hip_wave();

}  // namespace standin
