#include "call.h"

#include "context.h"
#include "faults.h"
#include "ledger.h"
#include "stream.h"

namespace standin {

std::mutex& mutex() {
    static std::mutex& one = *new std::mutex;  // outlives the threads of streams at the end of the process
    return one;
}

Call::Call(const char* name, Needs needs) : doing(name), lock(mutex()) {
    count_call(name);
    give_time(lock);
    CUresult& result = needs == Needs::Release ? afterwards : refused;
    context = current_context();
    result = planned_failure(name);
    if (is_sticky(result) && context) context->lost = result;
    if (result != CUDA_SUCCESS) return;
    if (needs == Needs::Nothing) return;
    if (!initialized()) {
        misuse("cuInit was not called");
        refused = CUDA_ERROR_NOT_INITIALIZED;
    } else if (needs != Needs::Driver) {
        if (!context && needs == Needs::Context) {
            misuse("no context is current on this thread");
            refused = CUDA_ERROR_INVALID_CONTEXT;
        } else if (context && context->lost != CUDA_SUCCESS) {
            result = context->lost;
        }
    }
}

}  // namespace standin
