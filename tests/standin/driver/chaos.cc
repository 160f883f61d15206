#include "chaos.h"

#include <cstdlib>
#include <numeric>

namespace standin {

Chaos& Chaos::get() {
    static auto& one = *new Chaos;
    return one;
}

Chaos::Chaos() {
    const char* const seed = getenv("STANDIN_CHAOS");
    if (!seed || !*seed) return;
    seeded = true;
    state = strtoull(seed, nullptr, 0);
}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t Chaos::below(uint64_t end) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % end;
}

unsigned Chaos::steps() {
    // At times the device rests until it is waited for, at times it works at once.
    if (below(32) == 0) {
        const uint64_t levels[] = {0, 0, 0, 32, 128};
        eagerness = levels[below(5)];
    }
    unsigned count = 0;
    while (below(256) < eagerness && count < 8) count++;
    return count;
}

Order choose_order(uint64_t blocks) {
    Chaos& chaos = Chaos::get();
    Order order;
    order.blocks.count = blocks;
    if (!chaos.on()) return order;
    order.backwards = chaos.below(2) == 1;
    order.blocks.first = chaos.below(blocks);
    do {
        order.blocks.stride = 1 + chaos.below(blocks);
    } while (std::gcd(order.blocks.stride, blocks) != 1);
    return order;
}

}  // namespace standin
