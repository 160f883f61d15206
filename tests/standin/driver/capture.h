// Streams whose work goes into a graph instead of a queue.
#pragma once
#include <thread>

#include "graph.h"
#include "stream.h"

namespace standin {

enum class CaptureMode { Global = 0, ThreadLocal = 1, Relaxed = 2 };

// A capture under way. Streams join it by waiting for an event that was recorded in it.
struct Capture {
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    std::shared_ptr<Stream> origin;
    std::thread::id thread;
    CaptureMode mode = CaptureMode::Global;
    bool invalid = false;
    std::vector<std::shared_ptr<Stream>> streams;
    uint64_t id = 0;
};

// What an event recorded in a capture stands for.
struct CapturedPlace {
    std::weak_ptr<Capture> capture;
    std::vector<size_t> nodes;
};

// A stream's work while it captures.
CUresult capture_work(Stream& stream, Work work);

// A wait of `stream` for a place in a capture.
CUresult capture_wait(Stream& stream, const CapturedPlace& place);

// Whether its capture has not ended yet.
bool is_under_way(const CapturedPlace& place);

// A wait of a capturing stream for something that is not captured.
CUresult refuse_uncaptured(Stream& stream);

// The result for allocating and freeing in the order of a stream that captures.
CUresult refuse_in_capture(Stream& stream);

// The capture that a stream is the origin of ends with the stream.
void abandon_capture(Stream& stream);

// Results for what must not be done during captures; the capture it concerns becomes invalid.
CUresult refuse_captured(Stream& stream);   // asks or waits for a stream
CUresult refuse_captured(Context& context);  // waits for all of them
CUresult refuse_captured(const CapturedPlace& place);  // asks or waits for an event; only HIP's capture becomes invalid
CUresult refuse_beside_captures(const Stream& stream);  // asks or waits for a stream that does not capture; only on HIP
CUresult refuse_implicit(Stream& stream);    // uses the legacy stream, which would wait for captured work
CUresult refuse_restricted();                // is allowed beside captures in the relaxed mode alone
CUresult refuse_unsafe();                    // the same of what may wait for the device, which is counted as a cost

}  // namespace standin
