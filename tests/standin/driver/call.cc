#include "call.h"

#include "context.h"
#include "faults.h"
#include "guard.h"
#include "ledger.h"
#include "stream.h"

namespace standin {

std::mutex& mutex() {
    static std::mutex& one = *new std::mutex;  // outlives the threads of streams at the end of the process
    return one;
}

Call::Call(const char* name, Needs needs) : doing(name), lock(mutex()) {
    prepare_thread();
    count_call(name);
    give_time(lock);
    context = current_context();
    is_strict = needs != Needs::Objects;
    refused = static_cast<CUresult>(planned_failure(name));
    if (refused != CUDA_SUCCESS) {
        if (context && context->retained > 0 && is_sticky(refused)) lose(lock, *context, refused);
        if (needs == Needs::Release) excuse_leaks();
        return;
    }
    if (needs == Needs::Nothing) return;
    if (!initialized()) {
        misuse("cuInit was not called");
        refused = CUDA_ERROR_NOT_INITIALIZED;
    } else if (needs == Needs::Context && !context) {
        misuse("no context is current on this thread");
        refused = CUDA_ERROR_INVALID_CONTEXT;
    } else if (needs == Needs::Objects && !context) {
        refused = CUDA_ERROR_INVALID_CONTEXT;
    } else if (needs != Needs::Driver && context && context->retained == 0) {
        misuse("the current context was released");
        refused = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    } else if (needs != Needs::Driver && context && context->lost != CUDA_SUCCESS) {
        lose(lock, *context, context->lost);
        (needs == Needs::Release ? afterwards : refused) = context->lost;
    }
}

}  // namespace standin
