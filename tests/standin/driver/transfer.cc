// Copies and fills. All of them are operations of a stream; those without a stream belong to the
// default stream, and the host waits.
#include <cstring>

#include "capture.h"
#include "ledger.h"
#include "memory.h"
#include "peer.h"
#include "stream.h"

namespace standin {
namespace {

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

// Host memory is the program's own business, except what was allocated here.
bool check_host(const char* what, const void* host, size_t bytes, Block& block) {
    const uint64_t address = reinterpret_cast<uint64_t>(host);
    if (!block_at(address)) return true;
    block = find_range(what, address, bytes);
    return block != nullptr;
}

// The driver itself finds a way between two devices only where the call says that there are two.
bool is_reached(const char* what, const Stream& stream, const Block& block) {
    if (!block || can_reach(*stream.context, *block)) return true;
    misuse("%s lies in %s of device %d, which device %d has no access to", what, describe(*block).c_str(), block->context->device,
           stream.context->device);
    return false;
}

bool is_of(const char* what, const Block& block, const Context& context) {
    if (block->context.get() == &context) return true;
    misuse("%s lies in %s of device %d, not of device %d", what, describe(*block).c_str(), block->context->device, context.device);
    return false;
}

void add(Work& work, const Access& access) {
    work.blocks.push_back(access.block);
    work.accesses.push_back(access);
}

CUresult copy(Call& call, CUstream on, uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes,
              Op* queued = nullptr, const Context* to_context = nullptr, const Context* from_context = nullptr) {
    const auto stream = find_stream(call, on);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (bytes == 0) return CUDA_SUCCESS;
    Block target, source;
    if (to_device) target = find_range("the target", to, bytes);
    else if (!check_host("the target", pointer(to), bytes, target)) return CUDA_ERROR_INVALID_VALUE;
    if (from_device) source = find_range("the source", from, bytes);
    else if (!check_host("the source", pointer(from), bytes, source)) return CUDA_ERROR_INVALID_VALUE;
    if ((to_device && !target) || (from_device && !source)) return CUDA_ERROR_INVALID_VALUE;
    if (to_context ? !is_of("the target", target, *to_context) || !is_of("the source", source, *from_context)
                   : !is_reached("the target", *stream, target) || !is_reached("the source", *stream, source)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (to_context && !(can_reach(*stream->context, *target) && can_reach(*stream->context, *source))) count_cost("staging");
    if (to < from + bytes && from < to + bytes) {
        misuse("the source and the target overlap");
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work{WorkKind::Copy, Doing::now(), [=] { memcpy(pointer(to), pointer(from), bytes); }, {}, {}};
    if (target) add(work, access(target, to, bytes, Use::Write));
    if (source) add(work, access(source, from, bytes, Use::Read));
    return submit(*stream, std::move(work), {}, queued);
}

template <class T>
CUresult fill(Call& call, CUstream on, uint64_t to, size_t pitch, T value, size_t width, size_t height) {
    const auto stream = find_stream(call, on);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    if (to % sizeof(T) != 0 || (height > 1 && (pitch < width * sizeof(T) || pitch % sizeof(T) != 0))) {
        misuse("the address or the pitch is not a multiple of the element's %zu bytes, or rows overlap", sizeof(T));
        return CUDA_ERROR_INVALID_VALUE;
    }
    const Block target = find_range("the target", to, pitch * (height - 1) + width * sizeof(T));
    if (!target) return CUDA_ERROR_INVALID_VALUE;
    const auto run = [=] {
        for (size_t row = 0; row < height; row++) {
            T* const first = static_cast<T*>(pointer(to + row * pitch));
            for (size_t i = 0; i < width; i++) first[i] = value;
        }
    };
    Work work{WorkKind::Fill, Doing::now(), run, {target}, {}};
    for (size_t row = 0; row < height; row++) work.accesses.push_back(access(target, to + row * pitch, width * sizeof(T), Use::Write));
    return submit(*stream, std::move(work));
}

uint64_t number(const void* host) { return reinterpret_cast<uint64_t>(host); }

}  // namespace

API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream on) {
    return call("cuMemcpyHtoDAsync", Needs::Context, [&](Call& call) {
        return copy(call, on, to, true, number(from), false, bytes);
    });
}

API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream on) {
    return call("cuMemcpyDtoHAsync", Needs::Context, [&](Call& call) {
        return copy(call, on, number(to), false, from, true, bytes);
    });
}

API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on) {
    return call("cuMemcpyDtoDAsync", Needs::Context, [&](Call& call) {
        return copy(call, on, to, true, from, true, bytes);
    });
}

API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_handle, CUdeviceptr from, CUcontext from_handle, size_t bytes, CUstream on) {
    return call("cuMemcpyPeerAsync", Needs::Context, [&](Call& call) {
        const auto to_context = context_of(to_handle), from_context = context_of(from_handle);
        if (!to_context || !from_context) return CUDA_ERROR_INVALID_CONTEXT;
        const auto stream = find_stream(call, on);
        if (in_hip() && stream && stream->capture) misuse("HIP does not capture this copy, but makes it at once");
        return copy(call, on, to, true, from, true, bytes, nullptr, to_context.get(), from_context.get());
    });
}

API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on) {
    return call("cuMemcpyAsync", Needs::Context, [&](Call& call) {
        return copy(call, on, to, block_at(to) != nullptr, from, block_at(from) != nullptr, bytes);
    });
}

API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    return call("cuMemcpyHtoD", Needs::Context, [&](Call& call) {
        if (const CUresult refused = refuse_unsafe()) return refused;
        Op op;
        const CUresult result = copy(call, 0, to, true, number(from), false, bytes, &op);
        wait_for(call.lock, op);
        return result != CUDA_SUCCESS ? result : call.context->lost;
    });
}

API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
    return call("cuMemcpyDtoH", Needs::Context, [&](Call& call) {
        if (const CUresult refused = refuse_unsafe()) return refused;
        Op op;
        const CUresult result = copy(call, 0, number(to), false, from, true, bytes, &op);
        wait_for(call.lock, op);
        return result != CUDA_SUCCESS ? result : call.context->lost;
    });
}

API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream on) {
    return call("cuMemsetD8Async", Needs::Context, [&](Call& call) {
        return fill(call, on, to, count, value, count, 1);
    });
}

API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream on) {
    return call("cuMemsetD16Async", Needs::Context, [&](Call& call) {
        return fill(call, on, to, 0, value, count, 1);
    });
}

API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream on) {
    return call("cuMemsetD32Async", Needs::Context, [&](Call& call) {
        return fill(call, on, to, 0, value, count, 1);
    });
}

API CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream on) {
    return call("cuMemsetD2D8Async", Needs::Context, [&](Call& call) {
        return fill(call, on, to, pitch, value, width, height);
    });
}

API CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream on) {
    return call("cuMemsetD2D32Async", Needs::Context, [&](Call& call) {
        return fill(call, on, to, pitch, value, width, height);
    });
}

}  // namespace standin
