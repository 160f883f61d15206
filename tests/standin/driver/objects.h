// Handles and what they stand for.
#pragma once
#include <map>
#include <memory>

#include "ledger.h"
#include "report.h"

namespace standin {

// All live objects of one kind, each of which has a `context`. A number is never used twice, so
// that a stale handle is known for what it is. As everything in the driver, used under its lock.
template <class T> class Handles {
public:
    Handles(const char* kind, uintptr_t base) : kind(kind), base(base), count(Count::of(kind)) {}

    uintptr_t add(std::shared_ptr<T> object) {
        const uintptr_t handle = base + 16 * ++made;
        live.emplace(handle, std::move(object));
        count.add();
        return handle;
    }

    // The object, or null after a report.
    std::shared_ptr<T> find(uintptr_t handle) const {
        const auto found = live.find(handle);
        if (found != live.end()) return found->second;
        const bool was = handle > base && handle <= base + 16 * made && handle % 16 == 0;
        misuse("%s %#lx %s", kind, handle, was ? "has been destroyed" : "is unknown");
        return nullptr;
    }

    // Takes the object out, or null after a report.
    std::shared_ptr<T> remove(uintptr_t handle) {
        std::shared_ptr<T> object = find(handle);
        if (live.erase(handle) != 0) count.remove();
        return object;
    }

    // Reports what a context still has.
    template <class C> void report_leaks(const C& context) const {
        size_t alive = 0;
        for (const auto& [handle, object] : live) alive += object->context.get() == &context;
        if (alive != 0) misuse("live at the end of the context of device %d: %zu of kind %s", context.device, alive, kind);
    }

private:
    const char* kind;
    uintptr_t base;
    uintptr_t made = 0;
    std::map<uintptr_t, std::shared_ptr<T>> live;
    Count& count;
};

}  // namespace standin
