#include "capture.h"

#include <algorithm>
#include <set>

#include "ledger.h"

namespace standin {
namespace {

std::vector<std::shared_ptr<Capture>>& captures() {
    static auto& all = *new std::vector<std::shared_ptr<Capture>>;
    return all;
}

// Which captures the calling thread has to mind.
thread_local CaptureMode thread_mode = CaptureMode::Global;

CUresult invalidate(Capture& capture, CUresult why) {
    capture.invalid = true;
    return why;
}

// All nodes that come before these, and they themselves.
std::set<size_t> behind(const Graph& graph, const std::vector<size_t>& nodes) {
    std::set<size_t> found;
    std::vector<size_t> open = nodes;
    while (!open.empty()) {
        const size_t node = open.back();
        open.pop_back();
        if (!found.insert(node).second) continue;
        const auto& after = graph.nodes[node].after;
        open.insert(open.end(), after.begin(), after.end());
    }
    return found;
}

bool all_joined(const Capture& capture) {
    const std::set<size_t> joined = behind(*capture.graph, capture.origin->cursor);
    for (const auto& stream : capture.streams) {
        for (const size_t node : stream->cursor) {
            if (joined.count(node) == 0) return false;
        }
    }
    return true;
}

void end(const std::shared_ptr<Capture>& capture) {
    for (const auto& stream : capture->streams) {
        stream->capture = nullptr;
        stream->cursor.clear();
    }
    auto& all = captures();
    all.erase(std::remove(all.begin(), all.end(), capture), all.end());
}

}  // namespace

CUresult capture_work(Stream& stream, Work work) {
    Capture& capture = *stream.capture;
    if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    stream.cursor = {capture.graph->add(std::move(work), stream.cursor)};
    return CUDA_SUCCESS;
}

bool is_under_way(const CapturedPlace& place) {
    const auto capture = place.capture.lock();
    return capture && std::find(captures().begin(), captures().end(), capture) != captures().end();
}

CUresult capture_wait(Stream& stream, const CapturedPlace& place) {
    const auto capture = place.capture.lock();
    if (!is_under_way(place)) {
        misuse("the event was last recorded in a capture that has ended");
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (&stream == stream.context->legacy.get()) return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (stream.capture && stream.capture != capture) {
        stream.capture->invalid = true;
        return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    if (!stream.capture) {
        stream.capture = capture;
        capture->streams.push_back(stream.shared_from_this());
    }
    for (const size_t node : place.nodes) {
        if (std::find(stream.cursor.begin(), stream.cursor.end(), node) == stream.cursor.end()) stream.cursor.push_back(node);
    }
    return CUDA_SUCCESS;
}

CUresult refuse_in_capture(Stream& stream) {
    if (!stream.capture) return refuse_implicit(stream);
    misuse("allocating and freeing in a capture is not modelled");
    return invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult refuse_uncaptured(Stream& stream) { return invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION); }

CUresult refuse_captured(Stream& stream) {
    if (stream.capture) return invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (stream.left_over != 0) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (const CUresult refused = refuse_beside_captures(stream)) return refused;
    return refuse_implicit(stream);
}

CUresult refuse_captured(Context& context) {
    for (const auto& capture : captures()) {
        if (capture->origin->context.get() == &context) return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return CUDA_SUCCESS;
}

CUresult refuse_captured(const CapturedPlace& place) {
    if (in_hip() && is_under_way(place)) {
        misuse("the event was last recorded in a capture under way, which this call breaks");
        invalidate(*place.capture.lock(), CUDA_ERROR_CAPTURED_EVENT);
    }
    return CUDA_ERROR_CAPTURED_EVENT;
}

void abandon_capture(Stream& stream) {
    const auto capture = stream.capture;
    if (!capture) return;
    // Of a lost device nothing else can be done.
    if (stream.context->lost == CUDA_SUCCESS) misuse("the stream is capturing");
    if (capture->origin.get() == &stream) end(capture);
}

CUresult refuse_implicit(Stream& stream) {
    if (&stream != stream.context->legacy.get()) return CUDA_SUCCESS;
    for (const auto& capture : captures()) {
        for (const auto& other : capture->streams) {
            if (other->blocking && other->context == stream.context) return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        }
    }
    return CUDA_SUCCESS;
}

CUresult refuse_restricted() {
    for (const auto& capture : captures()) {
        const bool own = capture->thread == std::this_thread::get_id() && capture->mode != CaptureMode::Relaxed;
        const bool of_all = capture->mode == CaptureMode::Global && thread_mode == CaptureMode::Global;
        if (thread_mode != CaptureMode::Relaxed && (own || of_all)) {
            return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    return CUDA_SUCCESS;
}

CUresult refuse_unsafe() {
    count_cost("synchronization");
    return refuse_restricted();
}

CUresult refuse_beside_captures(const Stream& stream) {
    if (!in_hip() || &stream == stream.context->legacy.get()) return CUDA_SUCCESS;
    CUresult refused = CUDA_SUCCESS;
    for (const auto& capture : captures()) {
        const bool own = capture->thread == std::this_thread::get_id() && capture->mode != CaptureMode::Relaxed;
        if (thread_mode != CaptureMode::Relaxed && (own || capture->mode == CaptureMode::Global)) {
            refused = invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    return refused;
}

API CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
    return call("cuStreamBeginCapture", Needs::Context, [&](Call& call) {
        static uint64_t number = 0;
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (mode < 0 || mode > 2) return CUDA_ERROR_INVALID_VALUE;
        if (stream == call.context->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
        auto capture = std::make_shared<Capture>();
        capture->origin = stream;
        capture->thread = std::this_thread::get_id();
        capture->mode = static_cast<CaptureMode>(mode);
        capture->streams = {stream};
        capture->id = ++number;
        stream->capture = capture;
        captures().push_back(capture);
        return CUDA_SUCCESS;
    });
}

API CUresult cuThreadExchangeStreamCaptureMode(int* mode) {
    return call("cuThreadExchangeStreamCaptureMode", Needs::Driver, [&](Call&) {
        if (*mode < 0 || *mode > 2) return CUDA_ERROR_INVALID_VALUE;
        const CaptureMode before = thread_mode;
        thread_mode = static_cast<CaptureMode>(*mode);
        *mode = static_cast<int>(before);
        return CUDA_SUCCESS;
    });
}

API CUresult cuStreamEndCapture(CUstream handle, CUgraph* out) {
    return call("cuStreamEndCapture", Needs::Context, [&](Call& call) {
        *out = 0;
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        const auto capture = stream->capture;
        if (!capture) {
            misuse(stream->left_over ? "the capture has ended with an error, and HIP erases what is not in its list" : "the stream does not capture");
            return CUDA_ERROR_ILLEGAL_STATE;
        }
        if (capture->origin != stream) return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        const bool own = capture->thread == std::this_thread::get_id();
        if (capture->mode != CaptureMode::Relaxed && !own) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
        const bool joined = all_joined(*capture);
        end(capture);
        if (in_hip()) stream->left_over = capture->invalid ? 2 : joined ? 0 : 1;
        if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        if (!joined) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
        capture->graph->context = stream->context;
        *out = add_graph(capture->graph);
        return CUDA_SUCCESS;
    });
}

// CU_STREAM_CAPTURE_STATUS_NONE, _ACTIVE, _INVALIDATED
API CUresult cuStreamIsCapturing(CUstream handle, int* status) {
    return call("cuStreamIsCapturing", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        *status = !stream->capture ? stream->left_over : stream->capture->invalid ? 2 : 1;
        return CUDA_SUCCESS;
    });
}

}  // namespace standin
