#include "stream.h"

#include <pthread.h>

#include <chrono>
#include <thread>

#include "event.h"
#include "module.h"
#include "memory.h"
#include "objects.h"

namespace standin {
namespace {

constexpr unsigned NON_BLOCKING = 1;

Handles<Stream>& streams() {
    static auto& all = *new Handles<Stream>("stream", 0x53000000000);
    return all;
}

// Every stream that may have work, with a handle or without.
std::vector<std::weak_ptr<Stream>>& everything() {
    static auto& all = *new std::vector<std::weak_ptr<Stream>>;
    return all;
}

// Woken whenever an operation is done, for threads of the program that wait.
std::condition_variable& progress() {
    static auto& one = *new std::condition_variable;
    return one;
}

double now() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_ready(const Operation& op) {
    for (const Op& earlier : op.after) {
        if (!earlier->done) return false;
    }
    return true;
}

// Runs the first operation of a stream.
void step(Lock& lock, Stream& stream) {
    const Op op = stream.queue.front();
    if (op->run && op->context->lost == CUDA_SUCCESS) {
        lock.unlock();
        {
            const Doing doing(op->what.c_str());
            op->run();
        }
        lock.lock();
    }
    op->done = true;
    op->time = now();
    op->run = nullptr;  // with what it holds
    op->after.clear();
    stream.queue.pop_front();
    for (const auto& waiting : op->waiting) {
        if (const auto other = waiting.lock()) other->wake.notify_all();
    }
    progress().notify_all();
}

void work(std::shared_ptr<Stream> stream) {
    pthread_setname_np(pthread_self(), ("stream " + std::to_string(stream->number)).c_str());
    Lock lock(mutex());
    for (;;) {
        if (stream->queue.empty()) {
            if (stream->closing) return;
        } else if (is_ready(*stream->queue.front())) {
            step(lock, *stream);
            continue;
        }
        stream->wake.wait(lock);
    }
}

// The legacy default stream waits for all blocking streams of its context, and they for it.
void order_by_default_stream(Stream& stream, std::vector<Op>& after) {
    if (!stream.blocking) return;
    const auto& legacy = stream.context->legacy;
    if (&stream != legacy.get()) {
        if (legacy->last && !legacy->last->done) after.push_back(legacy->last);
        return;
    }
    for (const auto& weak : everything()) {
        const auto other = weak.lock();
        const bool concerned = other && other != legacy && other->blocking && other->context == stream.context;
        if (concerned && other->last && !other->last->done) after.push_back(other->last);
    }
}

}  // namespace

std::shared_ptr<Stream> make_stream(const std::shared_ptr<Context>& context, bool blocking, int priority) {
    static unsigned number = 0;
    auto stream = std::make_shared<Stream>();
    stream->context = context;
    stream->blocking = blocking;
    stream->priority = priority;
    stream->number = number++;
    auto& all = everything();
    for (size_t i = 0; i < all.size();) {
        if (all[i].expired()) {
            all[i] = all.back();
            all.pop_back();
        } else {
            i++;
        }
    }
    all.push_back(stream);
    return stream;
}

std::shared_ptr<Stream> find_stream(Call& call, CUstream handle) {
    if (handle == 0 || handle == CU_STREAM_LEGACY) return call.context->legacy;
    if (handle == CU_STREAM_PER_THREAD) {
        thread_local std::map<Context*, std::shared_ptr<Stream>> own;
        auto& stream = own[call.context.get()];
        if (!stream) stream = make_stream(call.context, true, 0);
        return stream;
    }
    auto stream = streams().find(handle);
    if (stream && stream->context != call.context) {
        misuse("stream %#lx belongs to another context than the current one", handle);
        return nullptr;
    }
    return stream;
}

Op submit(Stream& stream, std::string what, std::function<void()> run, std::vector<Op> after) {
    order_by_default_stream(stream, after);
    auto op = std::make_shared<Operation>();
    op->what = std::move(what);
    op->run = std::move(run);
    op->context = stream.context;
    const std::shared_ptr<Stream> self = stream.shared_from_this();
    for (const Op& earlier : after) {
        if (earlier && !earlier->done) {
            earlier->waiting.push_back(self);
            op->after.push_back(earlier);
        }
    }
    stream.queue.push_back(op);
    stream.last = op;
    if (!stream.has_thread) {
        stream.has_thread = true;
        std::thread(work, self).detach();
    }
    stream.wake.notify_all();
    return op;
}

void wait_for(Lock& lock, const Op& op) {
    if (op) progress().wait(lock, [&] { return op->done; });
}

void wait_for_streams(Lock& lock, Context& context) {
    std::vector<Op> last;
    for (const auto& weak : everything()) {
        const auto stream = weak.lock();
        if (stream && stream->context.get() == &context && stream->last) last.push_back(stream->last);
    }
    for (const Op& op : last) wait_for(lock, op);
}

CUresult refuse_while_capturing(Context&) { return CUDA_SUCCESS; }

void report_leaks(Context& context) {
    unsigned alive = 0;
    for (const auto& [handle, stream] : streams().all()) alive += stream->context.get() == &context;
    if (alive) misuse("%u streams were not destroyed before their context", alive);
    report_leaked_events(context);
    report_leaked_modules(context);
    report_leaked_memory(context);
}

API CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    return call("cuStreamCreateWithPriority", Needs::Context, [&](Call& call) {
        if (flags > NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
        auto stream = make_stream(call.context, flags != NON_BLOCKING, std::min(0, std::max(-5, priority)));
        stream->handle = *out = streams().add(stream);
        return CUDA_SUCCESS;
    });
}

API CUresult cuStreamCreate(CUstream* out, unsigned flags) { return cuStreamCreateWithPriority(out, flags, 0); }

API CUresult cuStreamDestroy_v2(CUstream handle) {
    return call("cuStreamDestroy", Needs::Release, [&](Call&) {
        const auto stream = streams().remove(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        stream->closing = true;
        stream->wake.notify_all();
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

API CUresult cuStreamSynchronize(CUstream handle) {
    return call("cuStreamSynchronize", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        wait_for(call.lock, stream->last);
        return call.context->lost;
    });
}

API CUresult cuStreamQuery(CUstream handle) {
    return call("cuStreamQuery", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        return stream->last && !stream->last->done ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
    });
}

}  // namespace standin
