// An NVRTC that compiles nothing, beside the driver that does nothing.
#include <cstddef>
#include <cstring>

#define API extern "C" __attribute__((visibility("default")))

constexpr size_t IMAGE = 16;

API int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, 0; }
API int nvrtcGetNumSupportedArchs(int* count) { return *count = 1, 0; }
API int nvrtcGetSupportedArchs(int* out) { return *out = 90, 0; }
API int nvrtcCreateProgram(void** out, const char*, const char*, int, const char* const*, const char* const*) {
    static char program;
    return *out = &program, 0;
}
API int nvrtcCompileProgram(void*, int, const char* const*) { return 0; }
API int nvrtcDestroyProgram(void**) { return 0; }
API int nvrtcGetProgramLogSize(void*, size_t* size) { return *size = 1, 0; }
API int nvrtcGetProgramLog(void*, char* log) { return *log = 0, 0; }
API int nvrtcGetCUBINSize(void*, size_t* size) { return *size = IMAGE, 0; }
API int nvrtcGetCUBIN(void*, char* image) { return memset(image, 1, IMAGE), 0; }
API int nvrtcGetPTXSize(void*, size_t* size) { return *size = IMAGE, 0; }
API int nvrtcGetPTX(void*, char* image) { return memset(image, 0, IMAGE), 0; }
API const char* nvrtcGetErrorString(int) { return "none"; }
