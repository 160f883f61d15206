#include "guard.h"

#include <signal.h>
#include <ucontext.h>

#include "call.h"
#include "memory.h"

namespace standin {
namespace {

struct sigaction before;

const char* relation(const Allocation& block, uint64_t address) {
    if (block.freed) return "in the freed";
    if (block.born && !block.born->done && address >= block.start && address < block.start + block.bytes) return "in the not yet allocated";
    return address < block.start ? "before the start of" : "beyond the end of";
}

// Nothing is put right here: the run ends, so calling what a handler should not call does no harm worth avoiding.
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

void catch_wild_accesses() {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &before);
}

}  // namespace standin
