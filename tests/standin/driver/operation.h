// What streams and graphs are made of.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clock.h"
#include "cuda.h"

namespace standin {

struct Allocation;
struct Context;
struct Module;
struct Stream;
struct Operation;
using Op = std::shared_ptr<Operation>;
using Block = std::shared_ptr<Allocation>;

// As in CUgraphNodeType.
enum class WorkKind { Kernel = 0, Copy = 1, Fill = 2, Nothing = 5, Allocate = 10, Free = 11 };

// What an operation does with bytes. Atomic changes may meet each other, and nothing else.
enum class Use { Read, Atomic, Write };

// A range of a block that an operation reads or writes.
struct Access {
    Block block;
    uint64_t start = 0, end = 0;
    Use use = Use::Read;
};

// Something to do, as often as it is queued.
struct Work {
    WorkKind kind = WorkKind::Nothing;
    std::string what;                  // for messages
    std::function<void()> run;         // without the driver's lock; none where only the order matters
    std::vector<Block> blocks;         // must live until it is done
    std::vector<Access> accesses;      // of those blocks, where they are known
    std::shared_ptr<Module> module{};  // whose code it runs
};

// Work in the queue of a stream. It begins when it is the first there and everything it comes after
// is done.
struct Operation {
    Work work;
    std::shared_ptr<Context> context;
    std::vector<Op> after;
    bool started = false, done = false;
    double time = 0;                             // when it was done, in milliseconds
    unsigned stream = 0;                         // its number
    unsigned slot = 0, place = 0;                // the stream's in clocks, and its own there
    Clock clock;                                 // what is done when this is
    std::vector<std::weak_ptr<Stream>> waiting;  // streams whose next operation comes after this
};

// What an object of the program is used by, so that it does not go too early.
class Uses {
public:
    void add(const Op& op);
    // The first one that is not done, or null.
    Op pending() const;

private:
    // The last one of each stream: when it is done, those before are.
    std::vector<std::weak_ptr<Operation>> all;
};

}  // namespace standin
