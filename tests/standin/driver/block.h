// Running a grid on the calling thread of the host.
#pragma once
#include "../device/entry.h"
#include "chaos.h"

namespace standin {

// `warp`: how many threads a warp has, if threads wait for each other, so that each needs a stack
// of its own; otherwise 0.
void run_grid(const kernel& code, unsigned warp, dim grid, dim size, const Order& order, void** arguments);

// What modules get when they are loaded.
services device_services(unsigned warp);

}  // namespace standin
