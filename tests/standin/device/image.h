// What the stand-in for NVRTC makes and the stand-in for the driver loads. A cubin is an ELF file,
// here a shared library, with these words behind it, and behind them a text that names its kernels
// and the bytes of local memory that a thread of each needs. What stands for PTX is a text that
// names its kernels; behind the zero byte at its end lies the same.
#pragma once
#include <elf.h>

#include <cstdint>
#include <cstring>

namespace standin {

struct image {
    static constexpr char MAGIC[9] = "standin\n";
    static constexpr char PORTABLE[12] = "// standin\n";  // how the text begins

    char magic[8];
    uint32_t architecture;  // of CUDA's: 10 * major + minor
    uint32_t portable;      // for this architecture and newer ones
    char gfx[64];           // HIP's instead; otherwise empty
};

// The length of an ELF file whose section headers come last, as linkers write it; 0 for anything
// else.
inline size_t elf_size(const void* file) {
    if (memcmp(file, ELFMAG, SELFMAG) != 0) return 0;
    Elf64_Ehdr header;
    memcpy(&header, file, sizeof header);
    return header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
}

}  // namespace standin
