#include "operation.h"

#include <algorithm>

namespace standin {

void Uses::add(const Op& op) {
    const auto is_over = [&](const std::weak_ptr<Operation>& weak) {
        const Op earlier = weak.lock();
        return !earlier || earlier->done || earlier->stream == op->stream;
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_over), all.end());
    all.push_back(op);
}

Op Uses::pending() const {
    for (const auto& weak : all) {
        const Op op = weak.lock();
        if (op && !op->done) return op;
    }
    return nullptr;
}

}  // namespace standin
