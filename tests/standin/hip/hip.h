// HIP's functions over the engine: each calls the function of CUDA with the same meaning, or works
// on the engine itself.
//
// Where HIP differs (streams that are destroyed, events of captures, the shape of a launch), the
// engine asks `in_hip`. There are no contexts: a thread has a current device. Handles, addresses
// and numbers of errors are those of CUDA.
#pragma once
#include "../driver/call.h"
#include "../driver/context.h"
#include "../driver/functions.h"

// Which function of CUDA means the same: its name, or a call.
#define MEANS(NAME, OF_CUDA) [[maybe_unused]] static const bool NAME##_means = means(#NAME, #OF_CUDA);

// A function of HIP that is one of CUDA.
#define SAME(NAME, PARAMETERS, OF_CUDA) \
    MEANS(NAME, OF_CUDA) \
    API int NAME PARAMETERS { \
        const HipCall hip(#NAME); \
        return OF_CUDA; \
    }

namespace standin {

bool means(const char* hip, const char* cuda);

// That of one of HIP's devices, as CUDA's functions take it; null where there is none.
inline CUcontext context_handle(CUdevice device) {
    const Lock lock(mutex());
    const auto context = hip_context(device);
    return context ? context->handle : 0;
}

// Runs the body of a function that CUDA does not have.
template <class Body> CUresult hip_call(const char* name, Needs needs, Body body) {
    const HipCall hip(name);
    return call(name, needs, body);
}

}  // namespace standin
