// Device memory, and host memory that the device can reach.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "call.h"
#include "operation.h"
#include "pool.h"
#include "races.h"

namespace standin {

enum class Kind { Device, Ordered, Host };

// A block. Its address is never used again. Before and behind it lie bytes that nobody may write,
// then pages that nobody may touch; once freed it is such a page itself.
struct Allocation {
    uint64_t start = 0;
    size_t bytes = 0;
    uint64_t pages = 0, pages_end = 0;  // what is mapped
    Kind kind = Kind::Device;
    unsigned number = 0;            // for messages
    const char* made_by = nullptr;  // the function, for messages
    std::shared_ptr<Context> context;
    std::shared_ptr<Pool> pool;  // that it is taken from, or null
    std::atomic<bool> mapped{false};  // the pages can be touched
    bool freed = false;   // the call was made; the pages go with the operation
    Uses uses;
    History history;
};

// The block that an address lies in or close behind, freed ones included; null where there is none.
Block block_at(uint64_t address);

// The block in which a range lies, as the argument of a call; null after a report of what is wrong.
Block find_range(const char* what, uint64_t address, size_t bytes);

// A range of a block, as operations read or write it.
Access access(const Block& block, uint64_t start, size_t bytes, Use use);

// Reports blocks of a context whose borders were written. `what` has run last, maybe beside others.
void check_borders(const Context& context, const char* what);

// For messages.
std::string describe(const Allocation& block);

void report_leaked_memory(const Context& context);

}  // namespace standin
