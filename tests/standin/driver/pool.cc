#include "pool.h"

#include <algorithm>
#include <map>

#include "context.h"
#include "objects.h"
#include "stream.h"

namespace standin {
namespace {

constexpr int RELEASE_THRESHOLD = 4;

struct Properties {
    int allocation, handles, location, device;
    // What follows is zero.
};

Handles<Pool>& pools() {
    static auto& all = *new Handles<Pool>("memory pool", 0x50000000000);
    return all;
}

// Those that keep something, with a handle or without.
std::vector<std::shared_ptr<Pool>>& everything() {
    static auto& all = *new std::vector<std::shared_ptr<Pool>>;
    return all;
}

std::shared_ptr<Pool> make_pool(const std::shared_ptr<Context>& context) {
    auto pool = std::make_shared<Pool>();
    pool->context = context;
    everything().push_back(pool);
    return pool;
}

// What has become free; for an allocation on a stream also what is so in its order.
void collect(Pool& pool, const Stream* stream) {
    auto& all = pool.pending;
    const auto is_pending = [&](const Pool::Pending& piece) {
        return !piece.freed->done && !(stream && stream->clock.knows(piece.freed->slot, piece.freed->place));
    };
    const auto free = std::stable_partition(all.begin(), all.end(), is_pending);
    std::for_each(free, all.end(), [&](const Pool::Pending& piece) { pool.pieces.insert(piece.bytes); });
    all.erase(free, all.end());
    if (pool.destroyed) pool.pieces.clear();
}

void trim(Pool& pool, uint64_t keep) {
    collect(pool, nullptr);
    uint64_t bytes = 0;
    for (const size_t piece : pool.pieces) bytes += piece;
    while (bytes > keep) {
        const auto largest = std::prev(pool.pieces.end());
        bytes -= *largest;
        pool.pieces.erase(largest);
    }
}

}  // namespace

std::shared_ptr<Pool> default_pool(const std::shared_ptr<Context>& context) {
    static auto& all = *new std::map<const Context*, std::shared_ptr<Pool>>;
    auto& pool = all[context.get()];
    if (!pool) pool = make_pool(context);
    return pool;
}

std::shared_ptr<Pool> find_pool(uintptr_t handle) { return pools().find(handle); }

bool take(Pool& pool, size_t bytes, const Stream& stream, size_t left) {
    collect(pool, &stream);
    const auto piece = pool.pieces.lower_bound(bytes);
    if (piece == pool.pieces.end()) {
        if (bytes > left) return false;
        count_cost("mapping");
        return true;
    }
    const size_t rest = *piece - bytes;
    pool.pieces.erase(piece);
    if (rest > 0) pool.pieces.insert(rest);
    return true;
}

void give(Pool& pool, size_t bytes, const Op& freed) {
    if (freed) pool.pending.push_back({bytes, freed});
    else if (!pool.destroyed) pool.pieces.insert(bytes);
}

size_t kept(const Context& context) {
    size_t bytes = 0;
    for (const auto& pool : everything()) {
        if (pool->context.get() != &context) continue;
        collect(*pool, nullptr);
        for (const size_t piece : pool->pieces) bytes += piece;
        for (const auto& piece : pool->pending) bytes += piece.bytes;
    }
    return bytes;
}

void release_kept(const Context& context) {
    for (const auto& pool : everything()) {
        if (pool->context.get() == &context) trim(*pool, pool->threshold);
    }
}

void report_leaked_pools(const Context& context) {
    pools().report_leaks(context);
    // With the context goes what its pools keep.
    for (const auto& pool : everything()) {
        if (pool->context.get() != &context) continue;
        pool->pieces.clear();
        pool->pending.clear();
    }
    auto& all = everything();
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& pool) { return pool->destroyed; }), all.end());
}

API CUresult cuMemPoolCreate(CUmemoryPool* out, const Properties* properties) {
    return call("cuMemPoolCreate", Needs::Driver, [&](Call&) {
        constexpr int PINNED = 1, NO_HANDLES = 0, DEVICE = 1;
        const bool usual = properties->allocation == PINNED && properties->handles == NO_HANDLES && properties->location == DEVICE;
        if (!usual) {
            misuse("pools of this kind are not modelled");
            return CUDA_ERROR_INVALID_VALUE;
        }
        const auto context = context_of_device(properties->device);
        if (!context) return CUDA_ERROR_INVALID_VALUE;
        if (!has_pools()) return CUDA_ERROR_NOT_SUPPORTED;
        *out = pools().add(make_pool(context));
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemPoolDestroy(CUmemoryPool handle) {
    return call("cuMemPoolDestroy", Needs::Release, [&](Call&) {
        const auto pool = pools().remove(handle);
        if (!pool) return CUDA_ERROR_INVALID_HANDLE;
        pool->destroyed = true;
        collect(*pool, nullptr);
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, const void* value) {
    return call("cuMemPoolSetAttribute", Needs::Driver, [&](Call&) {
        const auto pool = find_pool(handle);
        if (!pool) return CUDA_ERROR_INVALID_HANDLE;
        if (attribute != RELEASE_THRESHOLD) {
            misuse("attribute %d of pools is not modelled", attribute);
            return CUDA_ERROR_INVALID_VALUE;
        }
        pool->threshold = *static_cast<const uint64_t*>(value);
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
    return call("cuMemPoolTrimTo", Needs::Driver, [&](Call&) {
        const auto pool = find_pool(handle);
        if (!pool) return CUDA_ERROR_INVALID_HANDLE;
        trim(*pool, keep);
        return CUDA_SUCCESS;
    });
}

}  // namespace standin
