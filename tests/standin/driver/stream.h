// Streams: queues of operations, each worked off by a thread of its own.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "context.h"

namespace standin {

struct Stream;
struct Operation;
using Op = std::shared_ptr<Operation>;

// Something that a stream does. It begins when it is the first of its queue and everything it comes after is done.
struct Operation {
    std::string what;
    std::function<void()> run;  // without the driver's lock; nothing where only the order matters
    std::vector<Op> after;
    std::shared_ptr<Context> context;
    bool done = false;
    double time = 0;                            // when it was done, in milliseconds
    std::vector<std::weak_ptr<Stream>> waiting;  // streams whose next operation comes after this
};

struct Stream : std::enable_shared_from_this<Stream> {
    CUstream handle = 0;
    std::shared_ptr<Context> context;
    bool blocking = false;  // ordered against the legacy default stream
    int priority = 0;
    unsigned number = 0;  // for messages
    std::deque<Op> queue;
    Op last;  // what was queued last, done or not
    std::condition_variable wake;
    bool has_thread = false;
    bool closing = false;  // destroyed: ends with its queue
};

// A stream without a handle.
std::shared_ptr<Stream> make_stream(const std::shared_ptr<Context>& context, bool blocking, int priority);

// The stream of a handle, for a call in this context; null after a report.
std::shared_ptr<Stream> find_stream(Call& call, CUstream handle);

// Queues an operation.
Op submit(Stream& stream, std::string what, std::function<void()> run, std::vector<Op> after = {});

// Blocks the host until an operation (if there is one) is done.
void wait_for(Lock& lock, const Op& op);

// Blocks the host until all work queued so far in a context is done.
void wait_for_streams(Lock& lock, Context& context);

// The result for calls that a capture forbids.
CUresult refuse_while_capturing(Context& context);

// Reports what is alive in a context that goes.
void report_leaks(Context& context);

}  // namespace standin
