// What a compiled kernel module and the driver know of each other: the module exports one `kernel`
// for each `extern "C" __global__` function, under the name `standin_kernel_NAME`, and gets the
// driver's `services` when loaded.
#pragma once
#include <cstddef>

namespace standin {

struct dim {
    unsigned x, y, z;
};

// One parameter of a kernel, as its C++ type tells.
struct parameter {
    unsigned size;
    bool pointer;      // to an object; the rest is about that object
    bool constant;     // is only read through this parameter
    bool atomic;       // is only changed atomically through this parameter
    bool length;       // this is an unsigned 64-bit number
    bool stride;       // this is a stride of a grid
    unsigned element;  // bytes
};

// Where a thread stands. The driver sets the block and the grid, whoever runs the thread sets the
// thread.
struct place {
    dim thread, block, block_size, grid_size;
    bool backwards;  // the order of the threads of a block
};

struct kernel {
    unsigned count;
    const parameter* parameters;
    unsigned most_threads;  // __launch_bounds__, or 0
    void (*block)(void** arguments);   // all threads of a block, one after the other
    void (*thread)(void** arguments);  // the one thread that `here` says
    place* (*here)();                  // of the calling host thread
};

// What device code asks of the driver.
struct services {
    [[noreturn]] void (*undefined)(const char* what, const char* file, unsigned line, unsigned column);
    void (*meet)(unsigned group_size);  // until all threads of the block, or of each group of so many, are here
    unsigned long long* (*slots)();     // one word a thread of the block, for exchanges between two meetings
    unsigned warp;                      // threads of a warp
};

}  // namespace standin
