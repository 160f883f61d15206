#include "guard.h"

#include <signal.h>
#include <ucontext.h>

#include <memory>

#include "call.h"
#include "memory.h"

namespace standin {
namespace {

struct sigaction before;

const char* relation(const Allocation& block, uint64_t address) {
    if (block.freed) return "in the freed";
    if (!block.mapped && address >= block.start && address < block.start + block.bytes) return "in the not yet allocated";
    return address < block.start ? "before the start of" : "beyond the end of";
}

// Nothing is put right here: the run ends, so calling what a handler should not call does no harm
// worth avoiding.
void on_fault(int signal, siginfo_t* info, void* state) {
    const uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
    const Lock lock(mutex(), std::try_to_lock);
    if (const Block block = block_at(address)) {
        const bool write = static_cast<ucontext_t*>(state)->uc_mcontext.gregs[REG_ERR] & 2;
        fatal("%s at %#lx, %s %s", write ? "write" : "read", address, relation(*block, address), describe(*block).c_str());
    }
    // Not ours: whoever was asked before.
    sigaction(signal, &before, nullptr);
}

}  // namespace

void prepare_thread() {
    constexpr size_t BYTES = 64 << 10;
    struct SignalStack {
        std::unique_ptr<char[]> bytes{new char[BYTES]};
        SignalStack() {
            stack_t stack{};
            stack.ss_sp = bytes.get();
            stack.ss_size = BYTES;
            sigaltstack(&stack, nullptr);
        }
        ~SignalStack() {
            stack_t stack{};
            stack.ss_flags = SS_DISABLE;
            sigaltstack(&stack, nullptr);
        }
    };
    thread_local SignalStack once;
}

void catch_wild_accesses() {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &before);
}

}  // namespace standin
