#include "context.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "event.h"
#include "graph.h"
#include "ledger.h"
#include "memory.h"
#include "module.h"
#include "peer.h"
#include "pool.h"
#include "stream.h"

namespace standin {
namespace {

bool called_init = false;
thread_local CUdevice device_of_thread = 0;
thread_local CUcontext current = 0;

unsigned long setting(const char* name, unsigned long otherwise) {
    const char* const value = getenv(name);
    return value && *value ? strtoul(value, nullptr, 10) : otherwise;
}

int device_count(bool hip) {
    static const int count = static_cast<int>(setting("STANDIN_DEVICES", 1));
    static const bool only_hip = setting("STANDIN_HIP", 0) != 0;
    return only_hip && !hip ? 0 : count;
}

using Contexts = std::vector<std::shared_ptr<Context>>;

Contexts& contexts(bool hip) {
    static auto& cuda = *new Contexts;
    static auto& amd = *new Contexts;
    Contexts& all = hip ? amd : cuda;
    for (int device = static_cast<int>(all.size()); device < device_count(hip); device++) {
        all.push_back(std::make_shared<Context>());
        all.back()->hip = hip;
        all.back()->device = device;
        all.back()->handle = (hip ? 0x48000000000 : 0x43000000000) + 16 * static_cast<CUcontext>(device + 1);
    }
    return all;
}

// Objects that a context does not survive.
void report_leaks(const Context& context) {
    if (leaks_excused()) return;
    report_leaked_streams(context);
    report_leaked_events(context);
    report_leaked_modules(context);
    report_leaked_graphs(context);
    report_leaked_memory(context);
    report_leaked_pools(context);
}

void open_context(const std::shared_ptr<Context>& context) {
    if (context->retained++ == 0) context->legacy = make_stream(context, true, 0);
}

void close_context(Lock& lock, Context& context) {
    wait_for_streams(lock, context);
    close_stream(*context.legacy);
    report_leaks(context);
    forget_peers(context);
    context.lost = CUDA_SUCCESS;
}

bool exists(CUdevice device) { return device >= 0 && device < standin::device_count(); }

// The attributes of CUdevice_attribute that programs ask for.
CUresult attribute(int number, int& value) {
    switch (number) {
        case 1: value = 1024; return CUDA_SUCCESS;                                             // MAX_THREADS_PER_BLOCK
        case 2: case 3: value = 1024; return CUDA_SUCCESS;                                     // MAX_BLOCK_DIM_X, Y
        case 4: value = 64; return CUDA_SUCCESS;                                               // MAX_BLOCK_DIM_Z
        case 5: value = 2147483647; return CUDA_SUCCESS;                                       // MAX_GRID_DIM_X
        case 6: case 7: value = 65535; return CUDA_SUCCESS;                                    // MAX_GRID_DIM_Y, Z
        case 8: value = 49152; return CUDA_SUCCESS;                                            // MAX_SHARED_MEMORY_PER_BLOCK
        case 10: value = 32; return CUDA_SUCCESS;                                              // WARP_SIZE
        case 13: value = 1000000; return CUDA_SUCCESS;                                         // CLOCK_RATE, in kHz
        case 16: value = 4; return CUDA_SUCCESS;                                               // MULTIPROCESSOR_COUNT
        case 38: value = 1048576; return CUDA_SUCCESS;                                         // L2_CACHE_SIZE
        case 41: value = 1; return CUDA_SUCCESS;                                               // UNIFIED_ADDRESSING
        case 75: value = static_cast<int>(device_architecture() / 10); return CUDA_SUCCESS;    // COMPUTE_CAPABILITY_MAJOR
        case 76: value = static_cast<int>(device_architecture() % 10); return CUDA_SUCCESS;    // COMPUTE_CAPABILITY_MINOR
        case 115: value = has_pools(); return CUDA_SUCCESS;                                    // MEMORY_POOLS_SUPPORTED
        default: misuse("attribute %d is not modelled", number); return CUDA_ERROR_INVALID_VALUE;
    }
}

}  // namespace

bool initialized() { return called_init; }

int device_count() { return device_count(in_hip()); }

unsigned device_architecture() {
    static const unsigned architecture = [] {
        const char* const value = getenv("STANDIN_CAPABILITY");  // "9.0"
        return value && strchr(value, '.') ? static_cast<unsigned>(atoi(value) * 10 + atoi(strchr(value, '.') + 1)) : 90u;
    }();
    return architecture;
}

const char* hip_architecture() {
    const char* const value = getenv("STANDIN_ARCHITECTURE");
    return value && *value ? value : "gfx90a:sramecc+:xnack-";
}

unsigned hip_wave() { return static_cast<unsigned>(setting("STANDIN_WAVE", strncmp(hip_architecture(), "gfx9", 4) == 0 ? 64 : 32)); }

bool has_pools() { return setting("STANDIN_POOLS", 1) != 0; }

void report_all_leaks() {
    for (const bool hip : {false, true}) {
        for (const auto& context : contexts(hip)) {
            if (context->retained == 0) continue;
            if (!hip && !leaks_excused()) misuse("the context of device %d was not released", context->device);
            report_leaks(*context);
        }
    }
}

std::shared_ptr<Context> context_of(CUcontext handle) {
    for (const bool hip : {false, true}) {
        for (const auto& context : contexts(hip)) {
            if (context->handle == handle) return context;
        }
    }
    return nullptr;
}

std::shared_ptr<Context> context_of_device(CUdevice device) {
    return exists(device) ? contexts(in_hip())[static_cast<size_t>(device)] : nullptr;
}

CUdevice& hip_device() { return device_of_thread; }

std::shared_ptr<Context> hip_context(CUdevice device) {
    called_init = true;
    const auto context = context_of_device(device);
    if (context && context->retained == 0) open_context(context);
    return context;
}

void reset_hip(Lock& lock) {
    for (const auto& context : contexts(true)) {
        if (context->retained == 0) continue;
        context->retained = 0;
        close_context(lock, *context);
    }
}

std::shared_ptr<Context> current_context() { return current == 0 ? nullptr : context_of(current); }

API CUresult cuInit(unsigned flags) {
    return call("cuInit", Needs::Nothing, [&](Call&) {
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        called_init = true;
        return device_count() == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
    });
}

API CUresult cuDriverGetVersion(int* version) {
    return call("cuDriverGetVersion", Needs::Nothing, [&](Call&) {
        *version = 13990;  // as new as the stand-in for NVRTC says to be
        return CUDA_SUCCESS;
    });
}

API CUresult cuDeviceGetCount(int* count) {
    return call("cuDeviceGetCount", Needs::Driver, [&](Call&) {
        *count = device_count();
        return CUDA_SUCCESS;
    });
}

API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    return call("cuDeviceGet", Needs::Driver, [&](Call&) {
        if (!exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
        *device = ordinal;
        return CUDA_SUCCESS;
    });
}

API CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    return call("cuDeviceGetName", Needs::Driver, [&](Call&) {
        if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
        if (length <= 0) return CUDA_ERROR_INVALID_VALUE;
        strncpy(name, "stand-in", static_cast<size_t>(length));
        name[length - 1] = 0;
        return CUDA_SUCCESS;
    });
}

API CUresult cuDeviceGetAttribute(int* value, int number, CUdevice device) {
    return call("cuDeviceGetAttribute", Needs::Driver, [&](Call&) {
        return exists(device) ? attribute(number, *value) : CUDA_ERROR_INVALID_DEVICE;
    });
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
    return call("cuDevicePrimaryCtxRetain", Needs::Driver, [&](Call&) {
        if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
        const auto context = context_of_device(device);
        if (context->lost != CUDA_SUCCESS) return context->lost;
        if (context->retained == 0) Count::of("context").add();
        open_context(context);
        *out = context->handle;
        return CUDA_SUCCESS;
    });
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    return call("cuDevicePrimaryCtxRelease", Needs::Release, [&](Call& call) {
        if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
        const auto context = context_of_device(device);
        if (context->retained == 0) {
            misuse("the context of device %d is not retained", device);
            return CUDA_ERROR_INVALID_CONTEXT;
        }
        if (--context->retained > 0) return CUDA_SUCCESS;
        close_context(call.lock, *context);
        Count::of("context").remove();
        return CUDA_SUCCESS;
    });
}

API CUresult cuCtxGetCurrent(CUcontext* out) {
    return call("cuCtxGetCurrent", Needs::Driver, [&](Call&) {
        *out = current;
        return CUDA_SUCCESS;
    });
}

API CUresult cuCtxSetCurrent(CUcontext handle) {
    return call("cuCtxSetCurrent", Needs::Driver, [&](Call&) {
        const auto context = context_of(handle);
        if (handle != 0 && (!context || context->retained == 0)) {
            misuse("context %#lx %s", handle, context ? "was released" : "is unknown");
            return CUDA_ERROR_INVALID_CONTEXT;
        }
        current = handle;
        return CUDA_SUCCESS;
    });
}

API CUresult cuCtxGetDevice(CUdevice* device) {
    return call("cuCtxGetDevice", Needs::Context, [&](Call& call) {
        *device = call.context->device;
        return CUDA_SUCCESS;
    });
}

namespace {

struct Meaning {
    CUresult result;
    const char *cuda, *hip, *text;

    const char* name() const { return in_hip() ? hip : cuda; }
};

// Null for what is no error of the interface that is called.
const Meaning* meaning(int result) {
    static const Meaning all[] = {
#define RESULT(NUMBER, NAME, HIP, TEXT) {CUDA_ERROR_##NAME, NUMBER == 0 ? "CUDA_SUCCESS" : "CUDA_ERROR_" #NAME, HIP, TEXT},
#define HIP_RESULT(NUMBER, NAME, HIP, TEXT) {CUDA_ERROR_##NAME, nullptr, HIP, TEXT},
#include "results.inc"
#undef RESULT
    };
    for (const Meaning& one : all) {
        if (one.result == result) return one.name() ? &one : nullptr;
    }
    return nullptr;
}

}  // namespace

API CUresult cuGetErrorName(int result, const char** text) {
    return call("cuGetErrorName", Needs::Nothing, [&](Call&) {
        const Meaning* const found = meaning(result);
        *text = found ? found->name() : nullptr;
        return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

API CUresult cuGetErrorString(int result, const char** text) {
    return call("cuGetErrorString", Needs::Nothing, [&](Call&) {
        const Meaning* const found = meaning(result);
        *text = found ? found->text : nullptr;
        return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

}  // namespace standin
