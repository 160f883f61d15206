// How queued work gets done: by a thread for each stream, or under chaos by the threads of the
// program.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "capture.h"
#include "chaos.h"
#include "faults.h"
#include "guard.h"
#include "memory.h"
#include "module.h"
#include "stream.h"

namespace standin {
namespace {

bool held = false;

// Every stream that has work or can get some, with a handle or without.
std::vector<std::shared_ptr<Stream>>& everything() {
    static auto& all = *new std::vector<std::shared_ptr<Stream>>;
    return all;
}

// Places of clocks that no stream has, each with how many operations were queued on it. Whoever
// gets one goes on counting, and so comes after those: they are done.
std::vector<std::pair<unsigned, unsigned>>& free_slots() {
    static auto& all = *new std::vector<std::pair<unsigned, unsigned>>;
    return all;
}

void take_slot(Stream& stream) {
    static unsigned made = 0;
    if (free_slots().empty()) free_slots().emplace_back(made++, 0);
    std::tie(stream.slot, stream.queued) = free_slots().back();
    free_slots().pop_back();
}

template <class F> void for_each_stream(F f) {
    for (const auto& stream : everything()) f(stream);
}

// Woken whenever an operation is done, for threads of the program that wait.
std::condition_variable& progress() {
    static auto& one = *new std::condition_variable;
    return one;
}

double now() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Whether the first operation of a stream can begin.
bool is_ready(const Stream& stream) {
    if (held || stream.queue.empty() || stream.queue.front()->started) return false;
    for (const Op& earlier : stream.queue.front()->after) {
        if (!earlier->done) return false;
    }
    return true;
}

// After an error has stuck, nothing runs any more.
bool may_run(const Operation& op) {
    if (op.context->lost == CUDA_SUCCESS && op.work.kind == WorkKind::Kernel) {
        const auto failure = static_cast<CUresult>(planned_failure("kernel"));
        if (failure != CUDA_SUCCESS) op.context->lost = failure;
    }
    return op.work.run && op.context->lost == CUDA_SUCCESS;
}

// Runs the first operation of a stream.
void step(Lock& lock, Stream& stream) {
    const Op op = stream.queue.front();
    op->started = true;
    if (may_run(*op)) {
        op->context->running++;
        lock.unlock();
        {
            const Doing doing(op->work.what.c_str());
            op->work.run();
        }
        lock.lock();
        op->context->running--;
        if (op->work.kind == WorkKind::Kernel) check_borders(*op->context, op->work.what.c_str());
    }
    op->done = true;
    op->time = now();
    const Work over = std::move(op->work);  // lets go of what it holds
    op->after.clear();
    stream.queue.pop_front();
    for (const auto& waiting : op->waiting) {
        if (const auto other = waiting.lock()) other->wake.notify_all();
    }
    progress().notify_all();
}

void work(const std::shared_ptr<Stream>& stream) {
    pthread_setname_np(pthread_self(), ("stream " + std::to_string(stream->number)).c_str());
    prepare_thread();
    Lock lock(mutex());
    while (!stream->closing || !stream->queue.empty()) {
        if (is_ready(*stream)) step(lock, *stream);
        else stream->wake.wait(lock);
    }
}

// Runs one operation of the stream that has most luck; false if there is none to run. Luck lasts
// for a while: a stream that is left behind for long shows what does not wait for it.
bool run_one(Lock& lock) {
    std::shared_ptr<Stream> lucky;
    for_each_stream([&](const auto& stream) {
        if (is_ready(*stream) && (!lucky || stream->luck > lucky->luck)) lucky = stream;
    });
    if (!lucky) return false;
    if (Chaos::get().below(6) == 0) lucky->luck = Chaos::get().below(1 << 30);
    step(lock, *lucky);
    return true;
}

// The legacy default stream waits for all blocking streams of its context, and they for it.
void order_by_default_stream(Stream& stream, std::vector<Op>& after) {
    if (!stream.blocking) return;
    const auto& legacy = stream.context->legacy;
    if (&stream != legacy.get()) {
        if (legacy->last) after.push_back(legacy->last);
        return;
    }
    for_each_stream([&](const auto& other) {
        if (other != legacy && other->blocking && other->context == stream.context && other->last) after.push_back(other->last);
    });
}

void queue(Stream& stream, const Op& op) {
    stream.queue.push_back(op);
    stream.last = op;
    if (Chaos::get().on()) return;
    if (!stream.has_thread) {
        stream.has_thread = true;
        std::thread(work, stream.shared_from_this()).detach();
    }
    stream.wake.notify_all();
}

}  // namespace

std::shared_ptr<Stream> make_stream(const std::shared_ptr<Context>& context, bool blocking, int priority) {
    static unsigned number = 0;
    auto stream = std::make_shared<Stream>();
    stream->context = context;
    stream->blocking = blocking;
    stream->priority = priority;
    stream->number = number++;
    if (Chaos::get().on()) stream->luck = Chaos::get().below(1 << 30);
    auto& all = everything();
    const auto is_alive = [](const auto& stream) { return !stream->closing || !stream->queue.empty(); };
    const auto over = std::partition(all.begin(), all.end(), is_alive);
    std::for_each(over, all.end(), [](const auto& stream) {
        free_slots().emplace_back(stream->slot, stream->queued);
        if (stream->last) stream->context->gone.join(stream->last->clock);
    });
    all.erase(over, all.end());
    take_slot(*stream);
    all.push_back(stream);
    return stream;
}

void close_stream(Stream& stream) {
    stream.closing = true;
    stream.wake.notify_all();
}

CUresult submit(Stream& stream, Work work, const std::vector<Op>& given, Op* queued) {
    if (stream.capture) return capture_work(stream, std::move(work));
    if (const CUresult refused = refuse_implicit(stream)) return refused;
    std::vector<Op> after = given;
    order_by_default_stream(stream, after);
    auto op = std::make_shared<Operation>();
    op->work = std::move(work);
    op->context = stream.context;
    op->stream = stream.number;
    op->slot = stream.slot;
    op->place = ++stream.queued;
    stream.clock.join(host_clock());
    for (const Op& earlier : after) {
        if (!earlier) continue;
        stream.clock.join(earlier->clock);
        if (earlier->done) continue;
        earlier->waiting.push_back(stream.weak_from_this());
        op->after.push_back(earlier);
    }
    stream.clock.set(op->slot, op->place);
    op->clock = stream.clock;
    for (const Block& block : op->work.blocks) block->uses.add(op);
    for (const Access& access : op->work.accesses) access.block->history.add(access, *op);
    if (op->work.module) op->work.module->uses.add(op);
    queue(stream, op);
    if (queued) *queued = op;
    return CUDA_SUCCESS;
}

void wait_for(Lock& lock, const Op& op) {
    if (!op) return;
    while (!op->done) {
        if (held) fatal("the program waits while the device is held");
        if (Chaos::get().on() && run_one(lock)) continue;
        progress().wait(lock);
    }
    host_clock().join(op->clock);
}

void wait_for_streams(Lock& lock, Context& context) {
    std::vector<Op> last;
    for_each_stream([&](const auto& stream) {
        if (stream->context.get() == &context && stream->last) last.push_back(stream->last);
    });
    for (const Op& op : last) wait_for(lock, op);
    host_clock().join(context.gone);
}

bool ask(Lock& lock, const Op& op) {
    if (op && !op->done && Chaos::get().on() && Chaos::get().below(2) == 0) run_one(lock);
    if (op && !op->done) return false;
    if (op) host_clock().join(op->clock);
    return true;
}

void lose(Lock& lock, Context& context, CUresult error) {
    context.lost = error;
    while (context.running > 0) progress().wait(lock);
}

void give_time(Lock& lock) {
    if (!Chaos::get().on()) return;
    for (unsigned steps = Chaos::get().steps(); steps > 0 && run_one(lock); steps--) {}
}

void hold_device(bool now) {
    held = now;
    for_each_stream([](const auto& stream) { stream->wake.notify_all(); });
    progress().notify_all();
}

bool finish_everything(Lock& lock) {
    hold_device(false);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
        bool idle = true;
        for_each_stream([&](const auto& stream) { idle &= stream->queue.empty(); });
        if (idle) return true;
        if (Chaos::get().on() && run_one(lock)) continue;
        if (progress().wait_until(lock, end) == std::cv_status::timeout) return false;
    }
}

}  // namespace standin
