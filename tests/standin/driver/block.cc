// The threads of a block that never meet run one after the other. Those that do have stacks of
// their own, and each runs until it waits or ends; when no one can go on, those that have all
// arrived are let go.
//
// `swapcontext` calls the kernel for the signal mask, which takes most of the time of a block. So
// it only enters a new stack, and jumps change between stacks. The checked `longjmp` of glibc takes
// another stack for a mistake.
#undef _FORTIFY_SOURCE
#include "block.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "report.h"

namespace standin {
namespace {

struct Thread {
    dim at;
    unsigned group = 0;  // what it waits for; 0: it can go on
    bool ended = false;
};

// One block whose threads meet.
struct Running {
    const kernel& code;
    void** arguments;
    place& here;
    std::vector<Thread> threads;
    std::vector<unsigned long long> slots;
    jmp_buf scheduler{};
    size_t current = 0;
};

thread_local Running* running = nullptr;

// A stack, on which threads of blocks run one after the other. Below it lies an untouchable page.
class Stack {
public:
    Stack() : memory(mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_NONE) != 0) fatal("no memory for the stacks of a block");
    }
    ~Stack() { munmap(memory, SIZE); }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    // Lets the current thread go on, until it waits or ends.
    void run() {
        if (_setjmp(running->scheduler) != 0) return;
        if (entered) _longjmp(state, 1);
        entered = true;
        ucontext_t first;
        getcontext(&first);
        first.uc_stack.ss_sp = memory;
        first.uc_stack.ss_size = SIZE;
        makecontext(&first, threads, 0);
        setcontext(&first);
    }

    // Goes back to the scheduler, and returns in the next `run`.
    void rest() {
        if (_setjmp(state) == 0) _longjmp(running->scheduler, 1);
    }

private:
    static constexpr size_t SIZE = 256 << 10;

    // The first function of the stack, which never returns.
    static void threads();

    void* const memory;
    jmp_buf state{};
    bool entered = false;
};

// The stacks for the threads of one block, kept by the host thread for the next one.
thread_local std::vector<std::unique_ptr<Stack>> stacks;

Stack& current_stack() { return *stacks[running->current]; }

void Stack::threads() {
    for (;;) {
        running->code.thread(running->arguments);
        running->threads[running->current].ended = true;
        current_stack().rest();
    }
}

// The place that comes after `i` others.
dim place_in(dim size, uint64_t i) {
    return {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x % size.y), static_cast<unsigned>(i / size.x / size.y)};
}

void meet(unsigned group) {
    running->threads[running->current].group = group;
    current_stack().rest();
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
        current_stack().run();
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
    while (stacks.size() < count) stacks.push_back(std::make_unique<Stack>());
    for (size_t i = 0; i < count; i++) block.threads[i].at = place_in(size, i);
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
