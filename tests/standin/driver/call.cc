#include "call.h"

#include "context.h"
#include "ledger.h"

namespace standin {

std::mutex& mutex() {
    static std::mutex& one = *new std::mutex;  // outlives the threads of streams at the end of the process
    return one;
}

Call::Call(const char* name, Needs needs) : doing(name), lock(mutex()) {
    count_call(name);
    CUresult& result = needs == Needs::Release ? afterwards : refused;
    context = current_context();
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
