// How often each function was called.
#pragma once

namespace standin {

// Under the driver's lock.
void count_call(const char* function);

}  // namespace standin
