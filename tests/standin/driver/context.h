// Devices, their primary contexts, and which one is current on a thread.
#pragma once
#include <memory>

#include "call.h"
#include "clock.h"

namespace standin {

struct Stream;

// The primary context of one device. It stays the same object when it is released and retained again.
struct Context {
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

// That of a device; null where there is none.
std::shared_ptr<Context> context_of_device(CUdevice device);

// Current on the calling thread, or null.
std::shared_ptr<Context> current_context();

// Reports what is alive in contexts that are not released, and those.
void report_all_leaks();

bool initialized();

// What the machine has: STANDIN_DEVICES (1), STANDIN_CAPABILITY (9.0), STANDIN_POOLS (1: stream-ordered allocation).
int device_count();
unsigned device_architecture();
bool has_pools();

}  // namespace standin
