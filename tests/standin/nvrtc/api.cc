// The functions of nvrtc.h that are in use. Programs are compiled by g++ (`compile.cc`).
#include <cstring>
#include <set>

#include "program.h"

using namespace standin;

namespace {

bool parse(const std::string& option, Target& target) {
    for (const char* prefix : {"--gpu-architecture=", "-arch="}) {
        const size_t length = strlen(prefix);
        if (option.compare(0, length, prefix) != 0) continue;
        const std::string value = option.substr(length);
        const bool real = value.compare(0, 3, "sm_") == 0;
        if (!real && value.compare(0, 8, "compute_") != 0) return false;
        target.portable = !real;
        target.architecture = static_cast<unsigned>(atoi(value.c_str() + (real ? 3 : 8)));
        return target.architecture >= 75;
    }
    if (option == "--fmad=false") {
        target.contract = false;
        return true;
    }
    static const std::set<std::string> known{"--std=c++17", "--device-int128", "--fmad=true",
                                             "--generate-line-info", "--device-debug"};
    return known.count(option) != 0;
}

// Sizes of texts count the zero byte at their end.
Result give(const std::string& bytes, bool text, char* out) {
    memcpy(out, bytes.data(), bytes.size());
    if (text) out[bytes.size()] = 0;
    return SUCCESS;
}

}  // namespace

// Not the version of any NVRTC there is, so that no cache takes what this makes for the real thing.
// A test can have an older one.
API int nvrtcVersion(int* major, int* minor) {
    MAY_FAIL;
    const char* const chosen = getenv("STANDIN_NVRTC_MINOR");
    *major = 13;
    *minor = chosen ? atoi(chosen) : 99;
    return SUCCESS;
}

namespace {
const int ARCHITECTURES[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
}

API int nvrtcGetNumSupportedArchs(int* count) {
    MAY_FAIL;
    *count = sizeof ARCHITECTURES / sizeof *ARCHITECTURES;
    return SUCCESS;
}

API int nvrtcGetSupportedArchs(int* list) {
    MAY_FAIL;
    memcpy(list, ARCHITECTURES, sizeof ARCHITECTURES);
    return SUCCESS;
}

API const char* nvrtcGetErrorString(int result) {
    switch (result) {
        case SUCCESS: return "NVRTC_SUCCESS";
        case OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
        case INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
        case INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
        case INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
        case COMPILATION: return "NVRTC_ERROR_COMPILATION";
        case INTERNAL_ERROR: return "NVRTC_ERROR_INTERNAL_ERROR";
        default: return "NVRTC_ERROR unknown";
    }
}

API int nvrtcCreateProgram(Program** out, const char* source, const char* name, int headers, const char* const*, const char* const*) {
    MAY_FAIL;
    if (!out || !source || headers != 0) return INVALID_INPUT;
    *out = add_program(source, name);
    return SUCCESS;
}

API int nvrtcDestroyProgram(Program** program) {
    MAY_FAIL;
    if (!program || !remove_program(*program)) return INVALID_PROGRAM;
    *program = nullptr;
    return SUCCESS;
}

API int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
    MAY_FAIL;
    if (!lives(program)) return INVALID_PROGRAM;
    Target target;
    for (int i = 0; i < count; i++) {
        if (!parse(options[i], target)) {
            program->outcome = {"", std::string("standin: unknown option ") + options[i]};
            return INVALID_OPTION;
        }
    }
    program->portable = target.portable;
    program->outcome = compile(program->source, program->name, target);
    return program->outcome.image.empty() ? COMPILATION : SUCCESS;
}

API int nvrtcGetProgramLogSize(Program* program, size_t* size) {
    MAY_FAIL;
    if (!lives(program)) return INVALID_PROGRAM;
    *size = program->outcome.log.size() + 1;
    return SUCCESS;
}

API int nvrtcGetProgramLog(Program* program, char* out) {
    MAY_FAIL;
    return lives(program) ? give(program->outcome.log, true, out) : INVALID_PROGRAM;
}

API int nvrtcGetCUBINSize(Program* program, size_t* size) {
    MAY_FAIL;
    if (!lives(program) || program->portable) return INVALID_PROGRAM;
    *size = program->outcome.image.size();
    return SUCCESS;
}

API int nvrtcGetCUBIN(Program* program, char* out) {
    MAY_FAIL;
    return lives(program) && !program->portable ? give(program->outcome.image, false, out) : INVALID_PROGRAM;
}

API int nvrtcGetPTXSize(Program* program, size_t* size) {
    MAY_FAIL;
    if (!lives(program)) return INVALID_PROGRAM;
    *size = program->outcome.image.size() + 1;
    return SUCCESS;
}

API int nvrtcGetPTX(Program* program, char* out) {
    MAY_FAIL;
    return lives(program) ? give(program->outcome.image, true, out) : INVALID_PROGRAM;
}
