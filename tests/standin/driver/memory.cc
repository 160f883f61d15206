#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "capture.h"
#include "guard.h"
#include "ledger.h"
#include "stream.h"

namespace standin {
namespace {

constexpr uint64_t PAGE = 4096, ALIGNMENT = 256, BORDER = 256;
constexpr uint64_t ADDRESSES = uint64_t{1} << 43;  // for all blocks that there ever are
constexpr unsigned char FRESH = 0xcb, BORDER_BYTE = 0xe7;
constexpr size_t MOST_FILLED = size_t{256} << 20;

// By the start of their pages: the blocks there are, and those that were, which are kept for
// messages.
using Blocks = std::map<uint64_t, Block>;
Blocks& live_blocks() {
    static auto& all = *new Blocks;
    return all;
}
Blocks& freed_blocks() {
    static auto& all = *new Blocks;
    return all;
}

// The block in which an address lies, or before whose border. Blocks lie a page apart, so it is the
// last one that begins before.
Block block_in(const Blocks& blocks, uint64_t address) {
    auto next = blocks.upper_bound(address);
    if (next == blocks.begin()) return nullptr;
    const Block& block = std::prev(next)->second;
    return address < block->pages_end + PAGE ? block : nullptr;
}

uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

size_t total_memory() {
    static const size_t total = [] {
        const char* const value = getenv("STANDIN_MEMORY");  // MiB a device
        return (value && *value ? strtoull(value, nullptr, 10) : 16384) << 20;
    }();
    return total;
}

size_t used_memory(const Context& context) {
    size_t used = 0;
    for (const auto& [pages, block] : live_blocks()) {
        if (block->kind != Kind::Host && block->context.get() == &context) used += block->pages_end - block->pages;
    }
    return used + kept(context);
}

// Addresses are handed out in one direction, each block with an untouchable page behind it.
uint64_t reserve(uint64_t bytes) {
    static uint64_t next = 0, end = 0;
    if (next == 0) {
        void* const all = mmap(nullptr, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) fatal("cannot reserve addresses");
        next = reinterpret_cast<uint64_t>(all) + PAGE;
        end = next + ADDRESSES - PAGE;
        catch_wild_accesses();
    }
    if (bytes + PAGE > end - next) return 0;
    const uint64_t start = next;
    next += bytes + PAGE;
    return start;
}

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

bool map(Allocation& block) {
    const size_t bytes = block.pages_end - block.pages;
    if (mprotect(pointer(block.pages), bytes, PROT_READ | PROT_WRITE) != 0) return false;
    memset(pointer(block.pages), BORDER_BYTE, block.start - block.pages);
    memset(pointer(block.start + block.bytes), BORDER_BYTE, block.pages_end - block.start - block.bytes);
    // Not zero, which is what much code happens to need.
    memset(pointer(block.start), FRESH, std::min(block.bytes, MOST_FILLED));
    block.mapped = true;
    return true;
}

void unmap(Allocation& block) {
    block.mapped = false;
    const size_t bytes = block.pages_end - block.pages;
    mmap(pointer(block.pages), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Count& count(Kind kind) { return Count::of(kind == Kind::Host ? "host block" : "device block"); }

// In the order of a stream from a pool, or at once.
Block make(const std::shared_ptr<Context>& context, size_t bytes, Kind kind, const std::shared_ptr<Pool>& pool = nullptr,
           const Stream* stream = nullptr) {
    static unsigned number = 0;
    const size_t mapped = round_up(bytes, PAGE), left = total_memory() - used_memory(*context);
    if (mapped < bytes || !(pool ? take(*pool, mapped, *stream, left) : mapped <= left)) return nullptr;
    auto block = std::make_shared<Allocation>();
    block->pages = reserve(mapped);
    if (block->pages == 0) return nullptr;
    block->pages_end = block->pages + mapped;
    // As far back as its alignment allows, so that it ends where the next page begins, or close to
    // it.
    block->start = (block->pages_end - bytes) / ALIGNMENT * ALIGNMENT;
    block->bytes = bytes;
    block->kind = kind;
    block->number = ++number;
    block->made_by = Doing::now();
    block->context = context;
    block->pool = pool;
    live_blocks().emplace(block->pages, block);
    count(kind).add();
    return block;
}

bool is_whole(uint64_t from, uint64_t to) {
    for (; from < to; from++) {
        if (*static_cast<unsigned char*>(pointer(from)) != BORDER_BYTE) return false;
    }
    return true;
}

// What was written is not reported again.
void check_border(const Allocation& block, const char* what) {
    const struct {
        uint64_t from, to;
        const char* where;
    } borders[] = {
        {std::max(block.pages, block.start - BORDER), block.start, "before"},
        {block.start + block.bytes, block.pages_end, "behind"},
    };
    for (const auto& [from, to, where] : borders) {
        if (is_whole(from, to)) continue;
        misuse("bytes %s %s were written, as is seen after `%s`", where, describe(block).c_str(), what);
        memset(pointer(from), BORDER_BYTE, to - from);
    }
}

// Takes a block out of the program's hands; null after a report.
Block release(const char* what, uint64_t address, std::initializer_list<Kind> kinds) {
    const Block block = block_at(address);
    const bool right = block && block->start == address && std::find(kinds.begin(), kinds.end(), block->kind) != kinds.end();
    if (!right) {
        misuse("%s %#lx is no block of this kind", what, address);
        return nullptr;
    }
    if (block->freed) {
        // Of a lost context each free gives an error: whether anything went with the first, the
        // program cannot know.
        if (block->context->lost == CUDA_SUCCESS) misuse("%s was freed before", describe(*block).c_str());
        return nullptr;
    }
    if (block->mapped) check_border(*block, Doing::now());
    block->freed = true;
    live_blocks().erase(block->pages);
    freed_blocks().emplace(block->pages, block);
    count(block->kind).remove();
    return block;
}

CUresult free_now(uint64_t address, const char* what, std::initializer_list<Kind> kinds) {
    if (const CUresult refused = refuse_unsafe()) return refused;
    if (address == 0) return CUDA_SUCCESS;
    const Block block = release(what, address, kinds);
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    if (block->pool) give(*block->pool, block->pages_end - block->pages, nullptr);
    if (block->context->lost != CUDA_SUCCESS) return CUDA_SUCCESS;
    block->history.check_host("freed", *block);
    const Op op = block->uses.pending();
    if (op) misuse("%s is freed while `%s` that uses it is not done", describe(*block).c_str(), op->work.what.c_str());
    else unmap(*block);
    return CUDA_SUCCESS;
}

}  // namespace

std::string describe(const Allocation& block) {
    char text[160];
    snprintf(text, sizeof text, "block %u (%#lx, %zu bytes, %s)", block.number, block.start, block.bytes, block.made_by);
    return text;
}

Block block_at(uint64_t address) {
    const Block block = block_in(live_blocks(), address);
    return block ? block : block_in(freed_blocks(), address);
}

Block find_range(const char* what, uint64_t address, size_t bytes) {
    const Block block = block_at(address);
    if (!block) {
        misuse("%s %#lx is no address of the device", what, address);
        return nullptr;
    }
    if (block->freed) {
        misuse("%s %#lx lies in %s, which was freed", what, address, describe(*block).c_str());
        return nullptr;
    }
    if (address < block->start || address - block->start > block->bytes || bytes > block->bytes - (address - block->start)) {
        misuse("%s, %zu bytes at %#lx, exceeds %s", what, bytes, address, describe(*block).c_str());
        return nullptr;
    }
    return block;
}

Access access(const Block& block, uint64_t start, size_t bytes, Use use) { return {block, start, start + bytes, use}; }

void check_borders(const Context& context, const char* what) {
    for (const auto& [pages, block] : live_blocks()) {
        if (block->context.get() == &context && block->mapped) check_border(*block, what);
    }
}

void report_leaked_memory(const Context& context) {
    unsigned alive = 0;
    std::string first;
    for (const auto& [pages, block] : live_blocks()) {
        if (block->context.get() != &context) continue;
        if (alive++ == 0) first = describe(*block);
    }
    if (alive == 0) return;
    misuse("live at the end of the context of device %d: %u blocks of memory; the first is %s", context.device, alive, first.c_str());
}

API CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
    return call("cuMemAlloc", Needs::Context, [&](Call& call) {
        if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
        if (const CUresult refused = refuse_unsafe()) return refused;
        const Block block = make(call.context, bytes, Kind::Device);
        if (!block || !map(*block)) return CUDA_ERROR_OUT_OF_MEMORY;
        *out = block->start;
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemFree_v2(CUdeviceptr address) {
    return call("cuMemFree", Needs::Release, [&](Call&) { return free_now(address, "device address", {Kind::Device, Kind::Ordered}); });
}

namespace {

CUresult allocate_ordered(Call& call, CUdeviceptr* out, size_t bytes, const std::shared_ptr<Pool>& pool, CUstream on) {
    const auto stream = find_stream(call, on);
    if (!stream || !pool) return CUDA_ERROR_INVALID_HANDLE;
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult refused = refuse_in_capture(*stream)) return refused;
    if (pool->context != call.context) {
        misuse("the pool and the stream belong to different devices");
        return CUDA_ERROR_INVALID_VALUE;
    }
    const Block block = make(call.context, bytes, Kind::Ordered, pool, stream.get());
    if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = block->start;
    Work work{WorkKind::Allocate, Doing::now(), nullptr, {block}, {access(block, block->start, bytes, Use::Write)}};
    work.run = [block] {
        if (!map(*block)) fatal("the machine has no memory for %s", describe(*block).c_str());
    };
    return submit(*stream, std::move(work));
}

}  // namespace

API CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream on) {
    return call("cuMemAllocAsync", Needs::Context,
                [&](Call& call) { return allocate_ordered(call, out, bytes, default_pool(call.context), on); });
}

API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool pool, CUstream on) {
    return call("cuMemAllocFromPoolAsync", Needs::Context,
                [&](Call& call) { return allocate_ordered(call, out, bytes, find_pool(pool), on); });
}

API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream on) {
    return call("cuMemFreeAsync", Needs::Release, [&](Call& call) {
        if (!call.context) return CUDA_ERROR_INVALID_CONTEXT;
        const auto stream = find_stream(call, on);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (const CUresult refused = refuse_in_capture(*stream)) return refused;
        const Block block = release("device address", address, {Kind::Ordered});
        if (!block) return CUDA_ERROR_INVALID_VALUE;
        Op freed;
        CUresult result = CUDA_SUCCESS;
        if (call.context->lost == CUDA_SUCCESS) {
            const auto run = [block] { unmap(*block); };
            result = submit(*stream, {WorkKind::Free, Doing::now(), run, {}, {access(block, block->start, block->bytes, Use::Write)}}, {}, &freed);
        }
        give(*block->pool, block->pages_end - block->pages, freed);
        return result;
    });
}

API CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
    return call("cuMemGetInfo", Needs::Context, [&](Call& call) {
        *total = total_memory();
        *free = *total - used_memory(*call.context);
        return CUDA_SUCCESS;
    });
}

// Of the attributes, the type of the memory and the number of its device.
API CUresult cuPointerGetAttribute(void* out, int attribute, CUdeviceptr address) {
    return call("cuPointerGetAttribute", Needs::Context, [&](Call&) {
        constexpr int MEMORY_TYPE = 2, DEVICE_ORDINAL = 9, HOST = 1, DEVICE = 2;
        if (attribute != MEMORY_TYPE && attribute != DEVICE_ORDINAL) {
            misuse("attribute %d of a pointer is not modelled", attribute);
            return CUDA_ERROR_INVALID_VALUE;
        }
        const Block block = block_in(live_blocks(), address);
        const bool inside = block && address >= block->start && address - block->start < block->bytes;
        if (!inside) return CUDA_ERROR_INVALID_VALUE;
        const int type = block->kind == Kind::Host ? HOST : DEVICE;
        *static_cast<int*>(out) = attribute == MEMORY_TYPE ? type : block->context->device;
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
    return call("cuMemHostAlloc", Needs::Context, [&](Call& call) {
        if (bytes == 0 || flags > 7) return CUDA_ERROR_INVALID_VALUE;
        if (const CUresult refused = refuse_unsafe()) return refused;
        const Block block = make(call.context, bytes, Kind::Host);
        if (!block || !map(*block)) return CUDA_ERROR_OUT_OF_MEMORY;
        *out = pointer(block->start);
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* host, unsigned flags) {
    return call("cuMemHostGetDevicePointer", Needs::Context, [&](Call&) {
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        const Block block = find_range("host address", reinterpret_cast<uint64_t>(host), 0);
        if (!block || block->kind != Kind::Host) return CUDA_ERROR_INVALID_VALUE;
        *out = reinterpret_cast<uint64_t>(host);
        return CUDA_SUCCESS;
    });
}

API CUresult cuMemFreeHost(void* host) {
    return call("cuMemFreeHost", Needs::Release, [&](Call&) {
        return free_now(reinterpret_cast<uint64_t>(host), "host address", {Kind::Host});
    });
}

}  // namespace standin
