// One program: from CUDA C++ to an image.
#pragma once
#include <string>
#include <vector>

namespace standin {

struct Target {
    unsigned architecture = 75;  // NVRTC 13's default
    bool portable = true;
    bool contract = true;  // `a * b + c` to one operation, unless `--fmad=false`
};

// A `extern "C" __global__` function.
struct Entry {
    std::string name;
    std::string most_threads;  // the C++ text of the bound, or "0"
};

// What compiling has left; without an image it has failed.
struct Outcome {
    std::string image;
    std::string log;
};

// The kernels that a source defines. Comments and strings are passed over.
std::vector<Entry> entries(const std::string& source);

// Compiles, or takes from the cache what the same source has become before.
Outcome compile(const std::string& source, const std::string& name, Target target);

}  // namespace standin
