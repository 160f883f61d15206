// Functions of this library that no driver has: for tests that look behind it. They are found by
// name, as the others are.
#include <cstring>

#include "call.h"
#include "faults.h"
#include "ledger.h"
#include "stream.h"

namespace standin {

// How often a function was called since the start or the last reset; all together for an empty
// name.
API uint64_t standin_calls(const char* function) {
    const Lock lock(mutex());
    return calls_of(function ? function : "");
}

API void standin_reset_calls() {
    const Lock lock(mutex());
    reset_calls();
}

// What the calls since then have cost: `synchronization` or `mapping`, see ledger.h.
API uint64_t standin_costs(const char* what) {
    const Lock lock(mutex());
    return costs_of(what);
}

// Live objects of a kind: context, stream, event, module, function, graph, executable graph, memory
// pool, device block, host block.
API uint64_t standin_live(const char* kind) {
    const Lock lock(mutex());
    return Count::of(kind).live;
}

// Ends HIP's devices, which the program cannot close: reports objects that are alive; no error
// sticks any longer.
API void standin_reset_hip() {
    Lock lock(mutex());
    reset_hip(lock);
}

// A call of a function of NVRTC or HIPRTC: counts it, and gives the failure that is planned for it,
// or 0.
API int standin_call(const char* function) {
    const Lock lock(mutex());
    count_call(function);
    return planned_failure(function);
}

// How many reports there were.
API uint64_t standin_misuses() { return misuses(); }

// Replaces the plan of failures; null for none. 0 if it can be read.
API int standin_fail(const char* plan) {
    const Lock lock(mutex());
    return plan_failures(plan) ? 0 : 1;
}

// While it is held, the device does nothing.
API void standin_hold(int held) {
    const Lock lock(mutex());
    hold_device(held != 0);
}

// The ledger as JSON with a zero byte behind, cut to `size`; returns the length that it has in
// full.
API size_t standin_ledger(char* out, size_t size) {
    const Lock lock(mutex());
    const std::string text = ledger();
    if (size > 0) {
        const size_t length = text.size() < size ? text.size() : size - 1;
        memcpy(out, text.data(), length);
        out[length] = 0;
    }
    return text.size();
}

}  // namespace standin
