// How often each function was called, and what there is of each kind of object.
#pragma once
#include <string>

namespace standin {

// All under the driver's lock.
void count_call(const char* function);

// What a program pays for without asking for it: `synchronization`, of calls that may wait for the
// whole device, and `mapping`, of more memory for a pool, and `staging`, of copies between devices
// for which a driver goes through the host.
void count_cost(const char* what);
unsigned long costs_of(const std::string& what);

// Objects of one kind.
class Count {
public:
    static Count& of(const char* kind);

    void add() {
        made++;
        live++;
        if (most < live) most = live;
    }
    void remove() { live--; }

    unsigned long made = 0, live = 0, most = 0;
};

// Calls since the start or the last reset, of one function or (with an empty name) of all.
unsigned long calls_of(const std::string& function);
void reset_calls();  // and costs

// All of it as one line of JSON.
std::string ledger();

}  // namespace standin
