// Streams, and how the work in them gets done.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <vector>

#include "context.h"
#include "operation.h"

namespace standin {

struct Capture;

struct Stream : std::enable_shared_from_this<Stream> {
    std::shared_ptr<Context> context;
    unsigned number = 0;    // for messages; never used again
    unsigned slot = 0;      // in clocks; used again when the stream has come to its end
    bool blocking = false;  // ordered against the legacy default stream
    int priority = 0;

    std::deque<Op> queue;
    Op last;  // what was queued last, done or not
    Clock clock;
    unsigned queued = 0;  // on this slot

    std::condition_variable wake;
    bool has_thread = false;
    bool closing = false;  // nothing more will come
    uint64_t luck = 0;     // under chaos: the stream that has most goes first

    std::shared_ptr<Capture> capture;  // null where nothing is captured
    std::vector<size_t> cursor;        // the nodes that the next captured one comes after
    int left_over = 0;                 // what HIP reports of a stream after its capture has failed to end
};

// A stream without a handle. Whoever holds it closes it.
std::shared_ptr<Stream> make_stream(const std::shared_ptr<Context>& context, bool blocking, int priority);
void close_stream(Stream& stream);

// The stream of a handle, for a call in this context; null after a report.
std::shared_ptr<Stream> find_stream(Call& call, CUstream handle);

// Queues work, or captures it. `queued` gets the operation, if there is one.
CUresult submit(Stream& stream, Work work, const std::vector<Op>& after = {}, Op* queued = nullptr);

// Blocks the host until an operation (if there is one) is done.
void wait_for(Lock& lock, const Op& op);

// Blocks the host until all work queued so far in a context is done.
void wait_for_streams(Lock& lock, Context& context);

// Whether an operation (if there is one) is done, for a program that asks. Under chaos asking
// brings it on.
bool ask(Lock& lock, const Op& op);

// Lets an error stick to a context. Nothing of it runs any more when this returns.
void lose(Lock& lock, Context& context, CUresult error);

// Under chaos: lets the device do what the seed says.
void give_time(Lock& lock);

// While it is held the device does nothing. For tests that want work to be under way.
void hold_device(bool held);

// Runs all that is queued, at the end of the process. False if that does not end soon.
bool finish_everything(Lock& lock);

void report_leaked_streams(const Context& context);

}  // namespace standin
