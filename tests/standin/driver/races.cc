#include "races.h"

#include <algorithm>
#include <cstdlib>

#include "memory.h"
#include "report.h"

namespace standin {
namespace {

bool wanted() {
    static const bool wanted = !getenv("STANDIN_NO_RACES");
    return wanted;
}

const char* does(Use use) { return use == Use::Read ? "reads" : use == Use::Atomic ? "changes" : "writes"; }

bool conflict(Use a, Use b) { return a == Use::Write || a != b; }

}  // namespace

Clock& host_clock() {
    static auto& one = *new Clock;
    return one;
}

void History::add(const Access& access, const Operation& op) {
    if (!wanted()) return;
    const auto concerns = [&](const Earlier& earlier) { return earlier.start < access.end && access.start < earlier.end; };
    for (const Earlier& earlier : all) {
        if (!concerns(earlier) || !conflict(earlier.use, access.use) || op.clock.knows(earlier.slot, earlier.place)) continue;
        const uint64_t start = access.block->start;
        misuse("%s: `%s` on stream %u %s bytes %zu to %zu while `%s` on stream %u %s %zu to %zu; nothing orders the two",
               describe(*access.block).c_str(), op.work.what.c_str(), op.stream, does(access.use), access.start - start,
               access.end - start, earlier.what.c_str(), earlier.stream, does(earlier.use), earlier.start - start, earlier.end - start);
        break;
    }
    // Whoever is ordered after this one is also ordered after what this one covers.
    const auto is_covered = [&](const Earlier& earlier) {
        const bool inside = access.start <= earlier.start && earlier.end <= access.end;
        return inside && (access.use == Use::Write || access.use == earlier.use) && op.clock.knows(earlier.slot, earlier.place);
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_covered), all.end());
    all.push_back({access.start, access.end, access.use, op.stream, op.slot, op.place, op.work.what});
}

void History::check_host(const char* what, const Allocation& block) const {
    if (!wanted()) return;
    for (const Earlier& earlier : all) {
        if (host_clock().knows(earlier.slot, earlier.place)) continue;
        misuse("%s is %s, and nobody has waited for `%s` on stream %u, which %s it", describe(block).c_str(), what, earlier.what.c_str(),
               earlier.stream, does(earlier.use));
        return;
    }
}

}  // namespace standin
