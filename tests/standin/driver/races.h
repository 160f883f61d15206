// Operations that touch the same bytes and are not ordered.
#pragma once
#include <string>
#include <vector>

#include "clock.h"
#include "operation.h"

namespace standin {

// The accesses to one block that a later one may have to come after.
//
// Whether two operations are ordered is read from the program's calls: streams, events, waits of
// the host. It does not depend on what ran when, so a missing wait is found at the first run.
class History {
public:
    // Reports earlier accesses that conflict with one of `op` and are not certain to be done before
    // it, then keeps it.
    void add(const Access& access, const Operation& op);
    // Reports accesses that are not certain to be done when the host goes on.
    void check_host(const char* what, const Allocation& block) const;

private:
    struct Earlier {
        uint64_t start, end;
        Use use;
        unsigned stream, slot, place;
        std::string what;
    };
    std::vector<Earlier> all;
};

}  // namespace standin
