// A libnccl.so of the calls that kernels-example/nccl makes, on whatever libcuda.so.1 is loaded.
// Ranks are threads of one process.
//
// As NCCL's, a message starts when both sides have queued it, behind what their streams have before
// it, and what they queue later waits for it. Unlike NCCL's, the end of a group waits until the
// other sides have queued their messages, and a reduction waits until it is done. NCCL allows both.
//
// FAKE_NCCL_LEAVE_OUT=1: the stream that receives does not wait for the one that sends. To test
// what notices it.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

extern "C" {
int cuCtxGetCurrent(void**);
int cuCtxSetCurrent(void*);
int cuStreamSynchronize(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuEventCreate(void**, unsigned);
int cuEventRecord(void*, void*);
int cuEventDestroy_v2(void*);
int cuMemcpyPeerAsync(uint64_t, void*, uint64_t, void*, size_t, void*);
int cuMemcpyDtoH_v2(void*, uint64_t, size_t);
int cuMemcpyHtoD_v2(uint64_t, const void*, size_t);
}

namespace {

enum Result : int { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR };
constexpr int FLOAT64 = 8;
constexpr int SUM = 0;
constexpr unsigned NO_TIMES = 2;

struct Id {
    char bytes[128];
    bool operator<(const Id& other) const { return memcmp(bytes, other.bytes, sizeof bytes) < 0; }
};

// A message, as one side has queued it.
struct Message {
    bool sends;
    int rank, peer;
    uint64_t data;
    size_t bytes;
    void *stream, *context;
    // Behind what the stream has before it.
    void* ready;
    Result result = SUCCESS;
    bool done = false;
};

// What a rank gives to a reduction.
struct Part {
    uint64_t from, to;
    size_t count;
    void *stream, *context;
};

// What the ranks of a communicator share.
struct World {
    size_t size = 0, joined = 0;
    bool aborted = false;
    std::list<Message*> open;
    std::map<int, Part> parts;
    size_t reductions = 0;
    Result reduced = SUCCESS;
};

std::mutex mutex;
std::condition_variable changed;
std::map<Id, World> worlds;

thread_local int depth = 0;
struct Queued {
    World* world;
    Message message;
};
thread_local std::list<Queued> queued;

template <typename Condition>
Result wait_for(std::unique_lock<std::mutex>& lock, World& world, Condition condition) {
    const bool came = changed.wait_for(lock, std::chrono::seconds(60), [&] { return condition() || world.aborted; });
    if (condition()) return SUCCESS;
    return came ? REMOTE_ERROR : SYSTEM_ERROR;
}

// Work on the streams of two devices, from one thread, whose context is what it was.
struct Context {
    void* before = nullptr;
    bool holds;
    Context() { holds = cuCtxGetCurrent(&before) == 0; }
    ~Context() { cuCtxSetCurrent(before); }
};

// An event of the stream's context behind all that the stream has.
bool mark(void* context, void* stream, void*& event) {
    return cuCtxSetCurrent(context) == 0 && cuEventCreate(&event, NO_TIMES) == 0 && cuEventRecord(event, stream) == 0;
}

bool copy(const Message& from, const Message& to) {
    Context saved;
    void* copied = nullptr;
    bool holds = saved.holds && cuCtxSetCurrent(to.context) == 0;
    if (!getenv("FAKE_NCCL_LEAVE_OUT")) holds = holds && cuStreamWaitEvent(to.stream, from.ready, 0) == 0;
    holds = holds && cuMemcpyPeerAsync(to.data, to.context, from.data, from.context, to.bytes, to.stream) == 0;
    holds = holds && mark(to.context, to.stream, copied) && cuCtxSetCurrent(from.context) == 0;
    holds = holds && cuStreamWaitEvent(from.stream, copied, 0) == 0;
    if (copied) cuEventDestroy_v2(copied);
    return holds;
}

// Starts the messages of which both sides are there, in the order in which each side has queued its
// own.
void start(World& world) {
    for (auto from = world.open.begin(); from != world.open.end();) {
        auto to = world.open.begin();
        const auto meets = [&](const Message& one, const Message& other) {
            return one.sends && !other.sends && one.peer == other.rank && other.peer == one.rank;
        };
        while (to != world.open.end() && !meets(**from, **to)) ++to;
        if (to == world.open.end()) {
            ++from;
            continue;
        }
        Message &one = **from, &other = **to;
        const Result result = one.bytes != other.bytes ? INVALID_ARGUMENT : copy(one, other) ? SUCCESS : CUDA_ERROR;
        one.result = other.result = result;
        one.done = other.done = true;
        world.open.erase(to);
        from = world.open.erase(from);
        // The other one may have stood in front of this one.
        from = world.open.begin();
    }
}

Result end_of_group() {
    std::list<Queued> all;
    all.swap(queued);
    std::unique_lock<std::mutex> lock(mutex);
    Result result = SUCCESS;
    for (Queued& one : all) {
        if (!mark(one.message.context, one.message.stream, one.message.ready)) result = CUDA_ERROR;
    }
    if (result == SUCCESS) {
        for (Queued& one : all) one.world->open.push_back(&one.message);
        for (Queued& one : all) start(*one.world);
        changed.notify_all();
        for (Queued& one : all) {
            const Result waited = wait_for(lock, *one.world, [&] { return one.message.done; });
            if (waited != SUCCESS) one.world->open.remove(&one.message);
            if (result == SUCCESS) result = waited != SUCCESS ? waited : one.message.result;
        }
    }
    for (Queued& one : all) {
        if (one.message.ready) cuEventDestroy_v2(one.message.ready);
    }
    return result;
}

// The sums, in the order of the ranks.
bool reduce(const std::map<int, Part>& parts) {
    Context saved;
    bool holds = saved.holds;
    const size_t count = parts.begin()->second.count;
    std::vector<double> sum(count, 0.0), part(count);
    for (const auto& [rank, one] : parts) {
        holds = holds && one.count == count && cuCtxSetCurrent(one.context) == 0 && cuStreamSynchronize(one.stream) == 0;
        holds = holds && cuMemcpyDtoH_v2(part.data(), one.from, count * sizeof(double)) == 0;
        if (!holds) return false;
        for (size_t at = 0; at < count; at++) sum[at] = rank == 0 ? part[at] : sum[at] + part[at];
    }
    for (const auto& [rank, one] : parts) {
        holds = holds && cuCtxSetCurrent(one.context) == 0 && cuMemcpyHtoD_v2(one.to, sum.data(), count * sizeof(double)) == 0;
    }
    return holds;
}

}  // namespace

struct ncclComm {
    World* world;
    int rank;
};

namespace {

Result queue(bool sends, uint64_t data, size_t count, int type, int peer, ncclComm* comm, void* stream) {
    if (type != FLOAT64 || peer < 0 || peer >= static_cast<int>(comm->world->size)) return INVALID_ARGUMENT;
    void* context = nullptr;
    if (cuCtxGetCurrent(&context) != 0 || !context) return CUDA_ERROR;
    queued.push_back({comm->world, {sends, comm->rank, peer, data, count * sizeof(double), stream, context, nullptr}});
    return depth > 0 ? SUCCESS : end_of_group();
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API Result ncclGetUniqueId(Id* id) {
    static int number = 0;
    std::lock_guard<std::mutex> lock(mutex);
    memset(id->bytes, 0, sizeof id->bytes);
    snprintf(id->bytes, sizeof id->bytes, "world %d", number++);
    return SUCCESS;
}

API Result ncclCommInitRank(ncclComm** comm, int size, Id id, int rank) {
    if (rank < 0 || rank >= size) return INVALID_ARGUMENT;
    std::unique_lock<std::mutex> lock(mutex);
    World& world = worlds[id];
    world.size = size;
    world.joined++;
    changed.notify_all();
    const Result result = wait_for(lock, world, [&] { return world.joined >= world.size; });
    if (result == SUCCESS) *comm = new ncclComm{&world, rank};
    return result;
}

// The other ranks must not wait for this one.
API Result ncclCommAbort(ncclComm* comm) {
    std::lock_guard<std::mutex> lock(mutex);
    comm->world->aborted = true;
    changed.notify_all();
    delete comm;
    return SUCCESS;
}

API Result ncclGroupStart() {
    depth++;
    return SUCCESS;
}

API Result ncclGroupEnd() {
    if (depth == 0) return INVALID_USAGE;
    return --depth > 0 ? SUCCESS : end_of_group();
}

API Result ncclSend(const void* data, size_t count, int type, int peer, ncclComm* comm, void* stream) {
    return queue(true, reinterpret_cast<uint64_t>(data), count, type, peer, comm, stream);
}

API Result ncclRecv(void* data, size_t count, int type, int peer, ncclComm* comm, void* stream) {
    return queue(false, reinterpret_cast<uint64_t>(data), count, type, peer, comm, stream);
}

API Result ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, ncclComm* comm, void* stream) {
    if (type != FLOAT64 || operation != SUM) return INVALID_ARGUMENT;
    void* context = nullptr;
    if (cuCtxGetCurrent(&context) != 0 || !context) return CUDA_ERROR;
    std::unique_lock<std::mutex> lock(mutex);
    World& world = *comm->world;
    const size_t mine = world.reductions;
    world.parts[comm->rank] = {reinterpret_cast<uint64_t>(from), reinterpret_cast<uint64_t>(to), count, stream, context};
    if (world.parts.size() == world.size) {
        world.reduced = reduce(world.parts) ? SUCCESS : CUDA_ERROR;
        world.parts.clear();
        world.reductions++;
        changed.notify_all();
    }
    const Result waited = wait_for(lock, world, [&] { return world.reductions > mine; });
    return waited != SUCCESS ? waited : world.reduced;
}

API const char* ncclGetErrorString(int result) {
    switch (result) {
        case SUCCESS: return "no error";
        case CUDA_ERROR: return "unhandled cuda error";
        case SYSTEM_ERROR: return "unhandled system error";
        case INVALID_ARGUMENT: return "invalid argument";
        case INVALID_USAGE: return "invalid usage";
        case REMOTE_ERROR: return "remote process exited or there was a network error";
        default: return "internal error";
    }
}
