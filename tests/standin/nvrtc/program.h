// One program: from CUDA C++ or HIP C++ to an image.
#pragma once
#include <string>
#include <vector>

namespace standin {

struct Target {
    unsigned architecture = 75;  // NVRTC 13's default
    bool portable = true;
    std::string gfx{};     // HIP's architecture instead, as its devices name it; otherwise empty
    bool contract = true;  // `a * b + c` to one operation, unless `--fmad=false`
};

// A `extern "C" __global__` function.
struct Entry {
    std::string name;
    std::string most_threads;  // the C++ text of the bound, or "0"
};

// The results of NVRTC's functions, which are those of HIPRTC's.
enum Result {
    SUCCESS = 0,
    OUT_OF_MEMORY = 1,
    INVALID_INPUT = 3,
    INVALID_PROGRAM = 4,
    INVALID_OPTION = 5,
    COMPILATION = 6,
    INTERNAL_ERROR = 11,
};

// What compiling has left; without an image it has failed.
struct Outcome {
    std::string image;
    std::string log;
};

// The kernels that a source defines. Comments and strings are passed over.
std::vector<Entry> entries(const std::string& source);

// A program of NVRTC or HIPRTC.
struct Program {
    std::string source, name;
    Outcome outcome{};
    bool portable = true;
};

Program* add_program(const char* source, const char* name);
// A wrong or destroyed program is an error and not a crash.
bool lives(Program* program);
bool remove_program(Program* program);

// The failure that is planned for this call, or 0. The driver's stand-in counts and plans; where it
// is not loaded, no one does.
int planned(const char* function);

// Compiles, or takes from the cache what the same source has become before.
Outcome compile(const std::string& source, const std::string& name, const Target& target);

}  // namespace standin

#define API extern "C" __attribute__((visibility("default")))
#define MAY_FAIL \
    if (const int failure = standin::planned(__func__)) return failure
