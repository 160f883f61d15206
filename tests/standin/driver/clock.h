// What comes before what, as the program's calls say it, whatever the order in which things have
// happened.
#pragma once
#include <vector>

namespace standin {

// A vector clock: how many operations of each stream, by its slot, are certain to be done.
class Clock {
public:
    void join(const Clock& other) {
        if (counts.size() < other.counts.size()) counts.resize(other.counts.size());
        for (size_t i = 0; i < other.counts.size(); i++) {
            if (counts[i] < other.counts[i]) counts[i] = other.counts[i];
        }
    }

    bool knows(unsigned slot, unsigned place) const { return slot < counts.size() && counts[slot] >= place; }

    void set(unsigned slot, unsigned place) {
        if (counts.size() <= slot) counts.resize(slot + 1);
        counts[slot] = place;
    }

private:
    std::vector<unsigned> counts;
};

// What the program's threads have waited for. One clock for all of them, since they can tell each
// other unseen.
Clock& host_clock();

}  // namespace standin
