// The threads of a block that never meet run one after the other. Those that do have stacks of their own, and each runs until
// it waits or ends; when no one can go on, those that have all arrived are let go.
#include "block.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <vector>

#include "report.h"

namespace standin {
namespace {

constexpr size_t STACK = 256 << 10;

struct Thread {
    ucontext_t state;
    dim at;
    unsigned group = 0;  // what it waits for; 0: it can go on
    bool ended = false;
};

// Stacks for the threads of one block, kept by the host thread for the next one. Below each lies an untouchable page.
class Stacks {
public:
    ~Stacks() {
        for (void* const stack : all) munmap(stack, STACK);
    }
    void* at(size_t i) {
        while (all.size() <= i) {
            void* const stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (stack == MAP_FAILED || mprotect(stack, 4096, PROT_NONE) != 0) fatal("no memory for the stacks of a block");
            all.push_back(stack);
        }
        return all[i];
    }

private:
    std::vector<void*> all;
};

// One block whose threads meet.
struct Running {
    const kernel& code;
    void** arguments;
    place& here;
    std::vector<Thread> threads;
    std::vector<unsigned long long> slots;
    ucontext_t scheduler{};
    size_t current = 0;
};

thread_local Running* running = nullptr;
thread_local Stacks stacks;

// The place that comes after `i` others.
dim place_in(dim size, uint64_t i) {
    return {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x % size.y), static_cast<unsigned>(i / size.x / size.y)};
}

// A thread's first and last function.
void enter() {
    running->code.thread(running->arguments);
    running->threads[running->current].ended = true;
}

void meet(unsigned group) {
    Running& block = *running;
    Thread& self = block.threads[block.current];
    self.group = group;
    swapcontext(&self.state, &block.scheduler);
}

unsigned long long* slots() { return running->slots.data(); }

// Runs every thread that can go on; false when all have ended.
bool run_once(Running& block) {
    bool alive = false;
    for (size_t i = 0; i < block.threads.size(); i++) {
        block.current = block.here.backwards ? block.threads.size() - 1 - i : i;
        Thread& thread = block.threads[block.current];
        if (thread.ended) continue;
        alive = true;
        if (thread.group != 0) continue;
        block.here.thread = thread.at;
        swapcontext(&block.scheduler, &thread.state);
    }
    return alive;
}

// Lets the threads [first, end) go if all of them that live wait for a group of this size.
bool let_go(Running& block, size_t first, size_t end, unsigned group) {
    bool any = false;
    for (size_t i = first; i < end; i++) {
        if (block.threads[i].ended) continue;
        if (block.threads[i].group != group) return false;
        any = true;
    }
    for (size_t i = first; i < end; i++) block.threads[i].group = 0;
    return any;
}

void run_block_that_meets(const kernel& code, unsigned warp, void** arguments, place& here) {
    const dim size = here.block_size;
    const size_t count = size_t{size.x} * size.y * size.z;
    Running block{code, arguments, here, std::vector<Thread>(count), std::vector<unsigned long long>(count)};
    running = &block;
    for (size_t i = 0; i < count; i++) {
        Thread& thread = block.threads[i];
        thread.at = place_in(size, i);
        getcontext(&thread.state);
        thread.state.uc_stack.ss_sp = stacks.at(i);
        thread.state.uc_stack.ss_size = STACK;
        thread.state.uc_link = &block.scheduler;
        makecontext(&thread.state, enter, 0);
    }
    while (run_once(block)) {
        bool any = let_go(block, 0, count, ~0u);
        for (size_t first = 0; first < count; first += warp) any |= let_go(block, first, std::min(first + warp, count), warp);
        bool all_ended = true;
        for (const Thread& thread : block.threads) all_ended &= thread.ended;
        if (!any && !all_ended) fatal("some threads of a block wait at a barrier that others do not reach");
    }
    running = nullptr;
}

[[noreturn]] void undefined(const char* what, const char* file, unsigned line, unsigned column) {
    fatal("undefined behaviour at %s:%u:%u: %s", file, line, column, what);
}

}  // namespace

void run_grid(const kernel& code, unsigned warp, dim grid, dim size, const Order& order, void** arguments) {
    place& here = *code.here();
    here.grid_size = grid;
    here.block_size = size;
    here.backwards = order.backwards;
    for (uint64_t i = 0; i < order.blocks.count; i++) {
        const uint64_t block = order.blocks(i);
        here.block = place_in(grid, block);
        if (warp != 0) run_block_that_meets(code, warp, arguments, here);
        else code.block(arguments);
    }
}

services device_services(unsigned warp) { return {undefined, meet, slots, warp}; }

}  // namespace standin
