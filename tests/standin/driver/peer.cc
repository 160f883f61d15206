// Access of one device to the memory of another. Of memory without a pool it is a property of the
// two contexts, of a pool one of its own.
#include "peer.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "pool.h"

namespace standin {
namespace {

constexpr int DEVICE = 1, READ_WRITE = 3;

// As cuda.h lays it out.
struct AccessDescription {
    int location, device, flags;
};

// Which device has been given access to the memory of which.
std::set<std::pair<const Context*, const Context*>>& given() {
    static auto& all = *new std::set<std::pair<const Context*, const Context*>>;
    return all;
}

bool are_peers(const Context& context, const Context& other) {
    static const bool wanted = [] {
        const char* const value = getenv("STANDIN_PEERS");
        return !value || atoi(value) != 0;
    }();
    return wanted && context.device != other.device;
}

}  // namespace

bool can_reach(const Context& context, const Allocation& block) {
    if (block.kind == Kind::Host || block.context.get() == &context) return true;
    if (block.pool) return block.pool->readers.count(&context) != 0;
    return given().count({&context, block.context.get()}) != 0;
}

void forget_peers(const Context& context) {
    auto& all = given();
    for (auto pair = all.begin(); pair != all.end();) {
        const bool gone = pair->first == &context || pair->second == &context;
        pair = gone ? all.erase(pair) : std::next(pair);
    }
}

API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice other) {
    return call("cuDeviceCanAccessPeer", Needs::Driver, [&](Call&) {
        const auto context = context_of_device(device), peer = context_of_device(other);
        if (!context || !peer) return CUDA_ERROR_INVALID_DEVICE;
        *can = are_peers(*context, *peer);
        return CUDA_SUCCESS;
    });
}

API CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
    return call("cuCtxEnablePeerAccess", Needs::Context, [&](Call& call) {
        const auto other = context_of(handle);
        if (!other || other->retained == 0) {
            misuse("context %#lx %s", handle, other ? "was released" : "is unknown");
            return CUDA_ERROR_INVALID_CONTEXT;
        }
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        if (other == call.context) return CUDA_ERROR_INVALID_DEVICE;
        if (!are_peers(*call.context, *other)) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
        const bool is_new = given().insert({call.context.get(), other.get()}).second;
        return is_new ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    });
}

API CUresult cuMemPoolSetAccess(CUmemoryPool handle, const AccessDescription* all, size_t count) {
    return call("cuMemPoolSetAccess", Needs::Driver, [&](Call&) {
        const auto pool = find_pool(handle);
        if (!pool) return CUDA_ERROR_INVALID_HANDLE;
        for (size_t i = 0; i < count; i++) {
            if (all[i].location != DEVICE || all[i].flags != READ_WRITE) {
                misuse("access of this kind is not modelled");
                return CUDA_ERROR_INVALID_VALUE;
            }
            const auto reader = context_of_device(all[i].device);
            if (!reader || !are_peers(*reader, *pool->context)) return CUDA_ERROR_INVALID_DEVICE;
            pool->readers.insert(reader.get());
        }
        return CUDA_SUCCESS;
    });
}

}  // namespace standin
