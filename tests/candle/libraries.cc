// What candle calls of the libraries beside the CUDA driver when it opens a device, for a test on the stand-in for the driver. Nothing here computes.

#include <cstdio>
#include <cstdlib>

#define DONE(name, ...) extern "C" int name(__VA_ARGS__) { return 0; }
#define MADE(name, ...) extern "C" int name(void** made, ##__VA_ARGS__) { *made = made; return 0; }
// Functions of the driver that candle mentions, does not call here, and the stand-in lacks.
#define ABSENT(name) extern "C" void name() { std::fputs(#name " is not there\n", stderr); std::abort(); }

MADE(cublasCreate_v2)
DONE(cublasSetStream_v2, void*, void*)
DONE(cublasDestroy_v2, void*)
MADE(curandCreateGenerator, int)
DONE(curandSetPseudoRandomGeneratorSeed, void*, unsigned long long)
DONE(curandSetStream, void*, void*)
DONE(curandDestroyGenerator, void*)
ABSENT(cuCtxDestroy_v2)
ABSENT(cuModuleLoad)
