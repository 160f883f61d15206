// Running a grid on the calling thread of the host.
#pragma once
#include "../device/entry.h"
#include "chaos.h"

namespace standin {

void run_grid(const kernel& code, dim grid, dim size, const Order& order, void** arguments);

// What modules get when they are loaded.
services device_services();

}  // namespace standin
