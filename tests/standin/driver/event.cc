// Events: names for a place in a stream. What an event has recorded is the operation queued for it;
// a wait takes that operation at the time of the call, so that recording anew does not disturb it.
#include "event.h"

#include "capture.h"
#include "objects.h"
#include "pool.h"
#include "stream.h"

namespace standin {
namespace {

constexpr unsigned BLOCKING_SYNC = 1, DISABLE_TIMING = 2, INTERPROCESS = 4;

struct Event {
    std::shared_ptr<Context> context;
    bool timing = true;
    std::shared_ptr<Stream> on;               // where it was recorded last
    Op recorded;
    std::unique_ptr<CapturedPlace> captured;  // instead, where it was recorded in a capture
};

Handles<Event>& events() {
    static auto& all = *new Handles<Event>("event", 0x45000000000);
    return all;
}

// HIP reads the state of the stream, which may be gone.
void check_stream(const Event& event) {
    if (in_hip() && event.on && event.on->closing) misuse("the stream on which the event was recorded has been destroyed");
}

bool is_complete(const Event& event) { return !event.recorded || event.recorded->done; }

}  // namespace

void report_leaked_events(const Context& context) { events().report_leaks(context); }

API CUresult cuEventCreate(CUevent* out, unsigned flags) {
    return call("cuEventCreate", Needs::Context, [&](Call& call) {
        const bool timing = (flags & DISABLE_TIMING) == 0;
        if (flags > (BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) || ((flags & INTERPROCESS) && timing)) return CUDA_ERROR_INVALID_VALUE;
        auto event = std::make_shared<Event>();
        event->context = call.context;
        event->timing = timing;
        *out = events().add(event);
        return CUDA_SUCCESS;
    });
}

API CUresult cuEventDestroy_v2(CUevent handle) {
    return call("cuEventDestroy", Needs::Release, [&](Call&) {
        return events().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    });
}

API CUresult cuEventRecord(CUevent handle, CUstream on) {
    return call("cuEventRecord", Needs::Objects, [&](Call& call) {
        const auto event = events().find(handle);
        const auto stream = find_stream(call, on);
        if (!event || !stream) return CUDA_ERROR_INVALID_HANDLE;
        if (event->context != stream->context) {
            misuse("the event and the stream belong to different contexts");
            return CUDA_ERROR_INVALID_HANDLE;
        }
        // Threads that capture take turns, but not with those that do not.
        if (event->captured && is_under_way(*event->captured) && event->captured->capture.lock() != stream->capture) {
            misuse("the event was last recorded in a capture under way, and is taken away from it");
        }
        event->on = stream;
        if (stream->capture) {
            if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
            if (in_hip() && event->captured && event->captured->capture.lock() == stream->capture) {
                misuse("the event is recorded for the second time in one capture: HIP may keep what it recorded first");
            }
            event->captured.reset(new CapturedPlace{stream->capture, stream->cursor});
            return CUDA_SUCCESS;
        }
        event->captured = nullptr;
        return submit(*stream, {WorkKind::Nothing, "event record", nullptr, {}, {}}, {}, &event->recorded);
    });
}

API CUresult cuStreamWaitEvent(CUstream waiter, CUevent handle, unsigned flags) {
    return call("cuStreamWaitEvent", Needs::Objects, [&](Call& call) {
        if (in_hip() && flags != 0) misuse("HIP has no flags %#x of a wait", flags);
        if (flags > (in_hip() ? 0 : 1)) return CUDA_ERROR_INVALID_VALUE;
        const auto event = events().find(handle);
        const auto stream = find_stream(call, waiter);
        if (!event || !stream) return CUDA_ERROR_INVALID_HANDLE;
        check_stream(*event);
        if (event->captured) return capture_wait(*stream, *event->captured);
        if (stream->capture) return refuse_uncaptured(*stream);
        return submit(*stream, {WorkKind::Nothing, "event wait", nullptr, {}, {}}, {event->recorded});
    });
}

API CUresult cuEventSynchronize(CUevent handle) {
    return call("cuEventSynchronize", Needs::Context, [&](Call& call) {
        const auto event = events().find(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        check_stream(*event);
        if (event->captured) return refuse_captured(*event->captured);
        if (event->on) {
            if (const CUresult refused = refuse_beside_captures(*event->on)) return refused;
        }
        wait_for(call.lock, event->recorded);
        release_kept(*event->context);
        return event->context->lost;
    });
}

API CUresult cuEventQuery(CUevent handle) {
    return call("cuEventQuery", Needs::Context, [&](Call& call) {
        const auto event = events().find(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        check_stream(*event);
        if (event->captured) return refuse_captured(*event->captured);
        if (const CUresult refused = refuse_restricted()) return refused;
        return ask(call.lock, event->recorded) ? event->context->lost : CUDA_ERROR_NOT_READY;
    });
}

API CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
    return call("cuEventElapsedTime", Needs::Context, [&](Call&) {
        const auto start = events().find(from), end = events().find(to);
        if (!start || !end) return CUDA_ERROR_INVALID_HANDLE;
        if (start->context != end->context || !start->timing || !end->timing || !start->recorded || !end->recorded) {
            misuse("times between two recorded events of one context that were created with timing, and of no others");
            return CUDA_ERROR_INVALID_HANDLE;
        }
        if (!is_complete(*start) || !is_complete(*end)) return CUDA_ERROR_NOT_READY;
        *milliseconds = static_cast<float>(end->recorded->time - start->recorded->time);
        return CUDA_SUCCESS;
    });
}

API CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to) { return cuEventElapsedTime(milliseconds, from, to); }

}  // namespace standin
