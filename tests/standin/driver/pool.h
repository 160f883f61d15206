// Pools of memory that is allocated in the order of streams: what they have taken from the device,
// and what of it is free.
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "operation.h"

namespace standin {

struct Pool {
    std::shared_ptr<Context> context;
    uint64_t threshold = 0;        // bytes that it may keep when somebody synchronizes
    std::set<const Context*> readers;  // other devices that can reach its memory
    bool destroyed = false;        // what is freed goes back to the device
    std::multiset<size_t> pieces;  // free ones. They are not joined again, so that one that is too small stays so
    struct Pending {
        size_t bytes;
        Op freed;
    };
    std::vector<Pending> pending;  // freed in the order of a stream
};

// Where cuMemAllocAsync allocates.
std::shared_ptr<Pool> default_pool(const std::shared_ptr<Context>& context);
// That of a handle; null after a report.
std::shared_ptr<Pool> find_pool(uintptr_t handle);

// Takes a piece for an allocation on a stream: one that is free, or else as much of what the device
// has `left`. What was freed on another stream is free once that is done, or ordered before the
// stream. False if there is not enough.
bool take(Pool& pool, size_t bytes, const Stream& stream, size_t left);
// Takes a piece back, free as soon as an operation (if there is one) is done.
void give(Pool& pool, size_t bytes, const Op& freed);

// What the pools of a context keep from others.
size_t kept(const Context& context);

// Somebody has synchronized: pools keep no more than their thresholds.
void release_kept(const Context& context);

void report_leaked_pools(const Context& context);

}  // namespace standin
