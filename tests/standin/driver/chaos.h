// The order in which things happen, where the program has left it open, from a seed.
//
// Without a seed every stream has a thread, and things happen as soon as they can. With one, the
// device has no thread of its own: it works only while the program is in a call of the driver, one
// operation at a time, chosen from the seed. A program with one thread then does the same at every
// run; and what it has not waited for is as likely to be late as early.
#pragma once
#include <cstddef>
#include <cstdint>

namespace standin {

// All of it under the driver's lock.
class Chaos {
public:
    static Chaos& get();

    bool on() const { return seeded; }
    // A number below `end`.
    uint64_t below(uint64_t end);
    // How many operations to run while the program is in a call that need not wait.
    unsigned steps();

private:
    Chaos();

    bool seeded = false;
    uint64_t state = 0;
    uint64_t eagerness = 0;  // of 256
};

// A permutation of the numbers below `count`: i -> (first + i * stride) % count.
struct Permutation {
    uint64_t first = 0, stride = 1, count = 1;
    uint64_t operator()(uint64_t i) const { return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * stride + first) % count); }
};

// The order of the blocks of a grid, and whether threads run backwards.
struct Order {
    Permutation blocks;
    bool backwards = false;
};
Order choose_order(uint64_t blocks);

}  // namespace standin
