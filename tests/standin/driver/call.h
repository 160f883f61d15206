// What every function of the driver does first: one lock for the whole driver, the count, the
// planned faults, and the state of the context that is current on the calling thread.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include "cuda.h"
#include "report.h"

namespace standin {

struct Context;

using Lock = std::unique_lock<std::mutex>;

// The lock of everything in the driver. Operations of streams run without it.
std::mutex& mutex();

// A function of HIP, as long as it runs. The function here that it calls is counted, fails as
// planned, and is named in reports by that name. It works on HIP's devices.
class HipCall {
public:
    explicit HipCall(const char* name);
    ~HipCall();
    HipCall(const HipCall&) = delete;
    HipCall& operator=(const HipCall&) = delete;

    // That of the calling thread, or null.
    static HipCall* now();

    const char* const name;
};

inline bool in_hip() { return HipCall::now() != nullptr; }

// What a function can do without.
enum class Needs {
    Nothing,  // works in any state
    Driver,   // cuInit was called
    Context,  // and a context is current, in which no error has stuck
    Objects,  // the same; but to use it on objects of another context is an error, and no mistake: the caller finds out so
    Release,  // the same; but where an error has stuck the objects go all the same, for there is no other way to give them back
};

class Call {
public:
    Call(const char* name, Needs needs);

    // The result of a call that must not do its work.
    CUresult refused = CUDA_SUCCESS;
    // The result to give after the work of a Release is done: the error that has stuck.
    CUresult afterwards = CUDA_SUCCESS;
    // Current on this thread; null where it is not needed and there is none.
    std::shared_ptr<Context> context;
    // Whether another context than that of the objects is a mistake.
    bool is_strict = true;

private:
    Doing doing;

public:
    Lock lock;
};

// Runs the body of one function of the driver.
template <class Body> CUresult call(const char* name, Needs needs, Body body) {
    Call call(name, needs);
    if (call.refused != CUDA_SUCCESS) return call.refused;
    const CUresult result = body(call);
    return call.afterwards != CUDA_SUCCESS ? call.afterwards : result;
}

}  // namespace standin
