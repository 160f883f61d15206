// The functions of hiprtc.h that are in use.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

#include "../device/image.h"
#include "program.h"

using namespace standin;

namespace {

// HIPRTC ends the process where its LLVM does not know the processor.
void check_processor(const std::string& architecture) {
    static const std::set<std::string> known{
        "gfx900",  "gfx902",  "gfx904",  "gfx906",  "gfx908",  "gfx909",  "gfx90a",  "gfx90c",  "gfx942",  "gfx950",
        "gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035",
        "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201",
    };
    if (known.count(architecture.substr(0, architecture.find(':'))) != 0) return;
    fprintf(stderr, "standin: HIPRTC ends the process, because it does not know the processor of %s\n", architecture.c_str());
    abort();
}

// False for options that HIPRTC's compiler lacks, and for those that change the values of a
// program.
bool parse(const std::string& option, Target& target) {
    const std::string prefix = "--offload-arch=";
    if (option.compare(0, prefix.size(), prefix) == 0) {
        target.gfx = option.substr(prefix.size());
        check_processor(target.gfx);
        return true;
    }
    if (option == "-ffp-contract=off") {
        target.contract = false;
        return true;
    }
    static const std::set<std::string> known{"-std=c++17", "-O3", "-O0", "-w", "-g", "-gline-tables-only"};
    return known.count(option) != 0;
}

// The error of a kernel whose threads need more local memory than there is. Empty if all have
// enough.
std::string too_much_local(const std::string& image, const std::string& gfx) {
    const long most = gfx.compare(0, 4, "gfx9") == 0 ? 131056 : 262112;
    std::istringstream table(image.substr(elf_size(image.data()) + sizeof(standin::image)));
    std::string name;
    for (long bytes; table >> name >> bytes;) {
        if (bytes <= most) continue;
        return "error: stack frame size (" + std::to_string(bytes) + ") exceeds limit (" + std::to_string(most) + ") in function '" + name + "'\n";
    }
    return "";
}

}  // namespace

// As in every release.
API int hiprtcVersion(int* major, int* minor) {
    MAY_FAIL;
    *major = 9;
    *minor = 0;
    return SUCCESS;
}

API const char* hiprtcGetErrorString(int result) {
    switch (result) {
        case SUCCESS: return "HIPRTC_SUCCESS";
        case OUT_OF_MEMORY: return "HIPRTC_ERROR_OUT_OF_MEMORY";
        case INVALID_INPUT: return "HIPRTC_ERROR_INVALID_INPUT";
        case INVALID_PROGRAM: return "HIPRTC_ERROR_INVALID_PROGRAM";
        case INVALID_OPTION: return "HIPRTC_ERROR_INVALID_OPTION";
        case COMPILATION: return "HIPRTC_ERROR_COMPILATION";
        case INTERNAL_ERROR: return "HIPRTC_ERROR_INTERNAL_ERROR";
        default: return "Invalid HIPRTC error code";
    }
}

API int hiprtcCreateProgram(Program** out, const char* source, const char* name, int headers, const char* const*, const char* const*) {
    MAY_FAIL;
    if (!out || !source || headers != 0) return INVALID_INPUT;
    *out = add_program(source, name);
    return SUCCESS;
}

API int hiprtcDestroyProgram(Program** program) {
    MAY_FAIL;
    if (!program || !remove_program(*program)) return INVALID_PROGRAM;
    *program = nullptr;
    return SUCCESS;
}

API int hiprtcCompileProgram(Program* program, int count, const char* const* options) {
    MAY_FAIL;
    if (!lives(program)) return INVALID_PROGRAM;
    Target target;
    target.portable = false;
    bool quiet = false;
    for (int i = 0; i < count; i++) {
        quiet |= strcmp(options[i], "-w") == 0;
        if (parse(options[i], target)) continue;
        program->outcome = {"", std::string("standin: unknown option ") + options[i]};
        return COMPILATION;
    }
    // HIPRTC would take the device that is current, whatever the program is for.
    if (target.gfx.empty()) {
        program->outcome = {"", "standin: there is no option --offload-arch"};
        return INVALID_OPTION;
    }
    Outcome& outcome = program->outcome;
    outcome = compile(program->source, program->name, target);
    if (outcome.image.empty()) return COMPILATION;
    if (quiet) outcome.log.clear();
    const std::string error = too_much_local(outcome.image, target.gfx);
    if (error.empty()) return SUCCESS;
    outcome = {"", error};
    return COMPILATION;
}

API int hiprtcGetProgramLogSize(Program* program, size_t* size) {
    MAY_FAIL;
    if (!lives(program)) return INVALID_PROGRAM;
    *size = program->outcome.log.size() + 1;
    return SUCCESS;
}

API int hiprtcGetProgramLog(Program* program, char* out) {
    MAY_FAIL;
    if (!lives(program)) return INVALID_PROGRAM;
    memcpy(out, program->outcome.log.c_str(), program->outcome.log.size() + 1);
    return SUCCESS;
}

API int hiprtcGetCodeSize(Program* program, size_t* size) {
    MAY_FAIL;
    if (!lives(program) || program->outcome.image.empty()) return INVALID_PROGRAM;
    *size = program->outcome.image.size();
    return SUCCESS;
}

API int hiprtcGetCode(Program* program, char* out) {
    MAY_FAIL;
    if (!lives(program) || program->outcome.image.empty()) return INVALID_PROGRAM;
    memcpy(out, program->outcome.image.data(), program->outcome.image.size());
    return SUCCESS;
}
