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

namespace {

thread_local HipCall* hip_call = nullptr;

}  // namespace

HipCall::HipCall(const char* name) : name(name) { hip_call = this; }
HipCall::~HipCall() { hip_call = nullptr; }
HipCall* HipCall::now() { return hip_call; }

Call::Call(const char* name, Needs needs) : doing(in_hip() ? hip_call->name : name), lock(mutex()) {
    prepare_thread();
    count_call(Doing::now());
    give_time(lock);
    context = in_hip() ? hip_context() : current_context();
    is_strict = needs != Needs::Objects;
    refused = static_cast<CUresult>(planned_failure(Doing::now()));
    if (refused != CUDA_SUCCESS) {
        if (context && context->retained > 0 && is_sticky(refused, in_hip())) lose(lock, *context, refused);
        if (needs == Needs::Release) excuse_leaks();
        return;
    }
    if (needs == Needs::Nothing) return;
    if (in_hip() && !context) {
        refused = CUDA_ERROR_NO_DEVICE;
    } else if (!initialized()) {
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
