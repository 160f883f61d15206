// The end of the process: what is queued is done, the ledger is written, and reports make the run
// fail.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "call.h"
#include "context.h"
#include "faults.h"
#include "ledger.h"
#include "stream.h"

namespace standin {
namespace {

// The exit status of a run with reports.
constexpr int FAILED = 86;

// Several processes share the file: each adds one line at once.
void write_ledger() {
    const char* const path = getenv("STANDIN_LEDGER");
    if (!path || !*path) return;
    const std::string line = ledger() + "\n";
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) misuse("cannot write the ledger %s", path);
    if (file >= 0) close(file);
}

__attribute__((destructor)) void end_of_process() {
    Lock lock(mutex());
    if (!initialized()) return;
    if (!finish_everything(lock)) misuse("what is queued does not come to an end");
    if (getenv("STANDIN_LEAKS")) report_all_leaks();
    report_unused_plans();
    write_ledger();
    if (misuses() == 0) return;
    fprintf(stderr, "standin: the run fails: %lu reports, see above\n", misuses());
    fflush(nullptr);
    _exit(FAILED);
}

}  // namespace
}  // namespace standin
