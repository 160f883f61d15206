// The functions of streams.
#include "stream.h"

#include <algorithm>
#include <map>

#include "capture.h"
#include "objects.h"
#include "pool.h"

namespace standin {
namespace {

constexpr unsigned NON_BLOCKING = 1;
int least() { return in_hip() ? 1 : 0; }
int greatest() { return in_hip() ? -1 : -5; }

Handles<Stream>& streams() {
    static auto& all = *new Handles<Stream>("stream", 0x53000000000);
    return all;
}

// The default streams of one thread.
struct OwnStreams {
    std::map<Context*, std::shared_ptr<Stream>> all;
    ~OwnStreams() {
        const Lock lock(mutex());
        for (const auto& [context, stream] : all) close_stream(*stream);
    }
};

}  // namespace

std::shared_ptr<Stream> find_stream(Call& call, CUstream handle) {
    if (handle == 0 || handle == CU_STREAM_LEGACY) return call.context->legacy;
    if (handle == CU_STREAM_PER_THREAD) {
        thread_local OwnStreams own;
        auto& stream = own.all[call.context.get()];
        if (!stream) stream = make_stream(call.context, true, 0);
        return stream;
    }
    auto stream = streams().find(handle);
    if (stream && stream->context != call.context) {
        if (call.is_strict) misuse("stream %#lx belongs to another context than the current one", handle);
        return nullptr;
    }
    return stream;
}

void report_leaked_streams(const Context& context) { streams().report_leaks(context); }

API CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    return call("cuStreamCreateWithPriority", Needs::Context, [&](Call& call) {
        if (flags > NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
        *out = streams().add(make_stream(call.context, flags != NON_BLOCKING, std::clamp(priority, greatest(), least())));
        return CUDA_SUCCESS;
    });
}

API CUresult cuStreamCreate(CUstream* out, unsigned flags) {
    return call("cuStreamCreate", Needs::Context, [&](Call& call) {
        if (flags > NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
        *out = streams().add(make_stream(call.context, flags != NON_BLOCKING, 0));
        return CUDA_SUCCESS;
    });
}

// Returns at once; what is queued goes on. HIP's function waits for it.
API CUresult cuStreamDestroy_v2(CUstream handle) {
    return call("cuStreamDestroy", Needs::Release, [&](Call& call) {
        const auto stream = streams().remove(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        abandon_capture(*stream);
        if (in_hip() && stream->last && !stream->last->done && stream->context->lost == CUDA_SUCCESS) {
            misuse("the stream has work in progress, which this call waits for");
            wait_for(call.lock, stream->last);
        }
        close_stream(*stream);
        return CUDA_SUCCESS;
    });
}

API CUresult cuStreamGetPriority(CUstream handle, int* priority) {
    return call("cuStreamGetPriority", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        *priority = stream->priority;
        return CUDA_SUCCESS;
    });
}

API CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
    return call("cuStreamGetFlags", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        *flags = stream->blocking ? 0 : NON_BLOCKING;
        return CUDA_SUCCESS;
    });
}

API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return call("cuCtxGetStreamPriorityRange", Needs::Context, [&](Call&) {
        *least = standin::least();
        *greatest = standin::greatest();
        return CUDA_SUCCESS;
    });
}

API CUresult cuStreamSynchronize(CUstream handle) {
    return call("cuStreamSynchronize", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (const CUresult refused = refuse_captured(*stream)) return refused;
        wait_for(call.lock, stream->last);
        release_kept(*call.context);
        return call.context->lost;
    });
}

API CUresult cuStreamQuery(CUstream handle) {
    return call("cuStreamQuery", Needs::Objects, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (const CUresult refused = refuse_captured(*stream)) return refused;
        if (!ask(call.lock, stream->last)) return CUDA_ERROR_NOT_READY;
        return call.context->lost;
    });
}

API CUresult cuCtxSynchronize() {
    return call("cuCtxSynchronize", Needs::Context, [&](Call& call) {
        if (const CUresult refused = refuse_captured(*call.context)) return refused;
        wait_for_streams(call.lock, *call.context);
        release_kept(*call.context);
        return call.context->lost;
    });
}

}  // namespace standin
