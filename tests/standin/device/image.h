// What the stand-in for NVRTC makes and the stand-in for the driver loads: this header, then a shared library.
#pragma once
#include <cstdint>

namespace standin {

struct image {
    static constexpr char MAGIC[9] = "standin\n";
    char magic[8];
    uint32_t architecture;  // 10 * major + minor
    uint32_t portable;      // stands for PTX: for this architecture and newer ones
    uint64_t bytes;         // of the library behind
};

}  // namespace standin
