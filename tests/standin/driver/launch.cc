// cuLaunchKernel.
#include <cstring>

#include "block.h"
#include "chaos.h"
#include "memory.h"
#include "module.h"
#include "stream.h"

namespace standin {
namespace {

// The values of a launch's parameters: the program may overwrite its own as soon as the call is
// over.
class Arguments {
public:
    Arguments(const kernel& code, void** given) {
        size_t bytes = 0;
        for (unsigned i = 0; i < code.count; i++) bytes += round_up(code.parameters[i].size);
        words.resize(bytes / sizeof(Word));
        char* next = reinterpret_cast<char*>(words.data());
        for (unsigned i = 0; i < code.count; i++) {
            memcpy(next, given[i], code.parameters[i].size);
            pointers.push_back(next);
            next += round_up(code.parameters[i].size);
        }
    }
    // The vector's memory stays where it is when it is moved, but not when it is copied.
    Arguments(const Arguments&) = delete;
    Arguments(Arguments&&) = default;

    void** all() { return pointers.data(); }
    uint64_t word(unsigned i) const {
        uint64_t word;
        memcpy(&word, pointers[i], sizeof word);
        return word;
    }

private:
    struct alignas(16) Word {
        char bytes[16];
    };
    static size_t round_up(size_t bytes) { return (bytes + sizeof(Word) - 1) / sizeof(Word) * sizeof(Word); }

    std::vector<Word> words;
    std::vector<void*> pointers;
};

// Bytes of local memory that a thread can have.
constexpr int MOST_LOCAL = 512 << 10;

// What HIP takes less well than CUDA.
CUresult check_shape_of_hip(const kernel& code, dim grid, dim block) {
    const uint64_t threads = uint64_t{block.x} * block.y * block.z;
    if (uint64_t{grid.x} * block.x > UINT32_MAX) {
        misuse("the grid has 2^32 threads or more along x");
        return CUDA_ERROR_INVALID_CONFIGURATION;
    }
    if (code.most_threads != 0 && threads > code.most_threads) {
        misuse("the block is larger than its bounds, which gives the error of a kernel that has failed");
        return CUDA_ERROR_LAUNCH_FAILED;
    }
    return threads > 1024 ? CUDA_ERROR_INVALID_CONFIGURATION : CUDA_SUCCESS;
}

CUresult check_shape(const kernel& code, int local, dim grid, dim block) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return CUDA_ERROR_INVALID_VALUE;
    if (in_hip()) {
        if (const CUresult wrong = check_shape_of_hip(code, grid, block)) return wrong;
    }
    if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) return CUDA_ERROR_INVALID_VALUE;
    const uint64_t threads = uint64_t{block.x} * block.y * block.z;
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
    if (code.most_threads != 0 && threads > code.most_threads) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (local > MOST_LOCAL) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return CUDA_SUCCESS;
}

// The elements of a grid, as runs of neighbours: where each begins, and how many it has. Behind the
// length of a grid are its extents, then its strides, but for the last dimension, where it is one.
// Of a slice there is one run.
std::vector<std::pair<uint64_t, uint64_t>> runs_of(const kernel& code, const Arguments& arguments, unsigned length) {
    unsigned extents = length + 1, strides = extents;
    while (strides < code.count && code.parameters[strides].length) strides++;
    unsigned end = strides;
    while (end < code.count && code.parameters[end].stride) end++;
    const unsigned dims = end - strides + 1;
    if (dims < 2 || strides - extents != dims) return {{0, arguments.word(length)}};
    uint64_t count = 1;
    for (unsigned dim = 0; dim < dims; dim++) count *= arguments.word(extents + dim);
    const uint64_t run = arguments.word(extents + dims - 1);
    std::vector<std::pair<uint64_t, uint64_t>> runs;
    if (count == arguments.word(length)) return {{0, count}};
    for (uint64_t at = 0; run != 0 && at < count / run; at++) {
        uint64_t start = 0, rest = at;
        for (unsigned dim = dims - 1; dim-- > 0; rest /= arguments.word(extents + dim))
            start += rest % arguments.word(extents + dim) * arguments.word(strides + dim);
        runs.push_back({start, run});
    }
    return runs;
}

// The blocks that the kernel can reach by its parameters, and which of their elements: a length
// behind a pointer says how many there are. False after a report.
bool find_blocks(const kernel& code, const Arguments& arguments, Work& work) {
    for (unsigned i = 0; i < code.count; i++) {
        const parameter& parameter = code.parameters[i];
        const uint64_t address = parameter.pointer ? arguments.word(i) : 0;
        if (address == 0) continue;
        const bool counted = i + 1 < code.count && code.parameters[i + 1].length;
        size_t bytes = 0;
        if (counted && __builtin_mul_overflow(arguments.word(i + 1), uint64_t{parameter.element}, &bytes)) bytes = ~size_t{0};
        const Block block = find_range((work.what + ": parameter " + std::to_string(i)).c_str(), address, bytes);
        if (!block) return false;
        work.blocks.push_back(block);
        const Use use = parameter.constant ? Use::Read : parameter.atomic ? Use::Atomic : Use::Write;
        if (bytes == 0) continue;
        for (const auto& [start, count] : runs_of(code, arguments, i + 1))
            work.accesses.push_back(access(block, address + start * parameter.element, count * parameter.element, use));
    }
    return true;
}

}  // namespace

API CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                            unsigned block_z, unsigned shared, CUstream on, void** parameters, void** extra) {
    return call("cuLaunchKernel", Needs::Objects, [&](Call& call) {
        const auto function = find_function(handle);
        const auto stream = find_stream(call, on);
        const auto module = function ? function->module.lock() : nullptr;
        if (!module || !stream) return CUDA_ERROR_INVALID_HANDLE;
        if (module->context != call.context) {
            misuse("the kernel `%s` was loaded in another context", function->name.c_str());
            return CUDA_ERROR_INVALID_HANDLE;
        }
        if (!function->loaded && stream->capture) misuse("the kernel `%s` is loaded by its launch, within a capture", function->name.c_str());
        if (const CUresult refused = load_function(*function)) return refused;
        const kernel& code = *function->code;  // lives as long as the module, which the work holds
        const dim grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
        if (const CUresult wrong = check_shape(code, module->local[function->name], grid, block)) return wrong;
        if (extra || shared != 0 || (code.count > 0 && !parameters)) {
            misuse("dynamic shared memory and parameters in a buffer are not modelled");
            return CUDA_ERROR_INVALID_VALUE;
        }
        auto arguments = std::make_shared<Arguments>(code, parameters);
        Work work{WorkKind::Kernel, "kernel " + function->name, nullptr, {}, {}, module};
        if (!find_blocks(code, *arguments, work)) return CUDA_ERROR_INVALID_VALUE;
        const Order order = choose_order(uint64_t{grid.x} * grid.y * grid.z);
        work.run = [=, &code, warp = module->warp] { run_grid(code, warp, grid, block, order, arguments->all()); };
        return submit(*stream, std::move(work));
    });
}

}  // namespace standin
