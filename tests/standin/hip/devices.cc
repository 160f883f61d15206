// Devices, and the names of errors.
#include <cstring>

#include "hip.h"

namespace standin {

MEANS(hipInit, cuInit)
API int hipInit(unsigned flags) {
    return hip_call("hipInit", Needs::Driver, [&](Call&) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}

MEANS(hipGetDeviceCount, cuDeviceGetCount)
API int hipGetDeviceCount(int* count) {
    return hip_call("hipGetDeviceCount", Needs::Driver, [&](Call&) {
        *count = device_count();
        return CUDA_SUCCESS;
    });
}

MEANS(hipDriverGetVersion, cuDriverGetVersion)
// 10^7 × major + 10^5 × minor + patch: no version that was released.
API int hipDriverGetVersion(int* version) {
    return hip_call("hipDriverGetVersion", Needs::Nothing, [&](Call&) {
        *version = 79900000;
        return CUDA_SUCCESS;
    });
}

SAME(hipDeviceGet, (CUdevice* device, int ordinal), cuDeviceGet(device, ordinal))
SAME(hipDeviceGetName, (char* name, int length, CUdevice device), cuDeviceGetName(name, length, device))

MEANS(hipDeviceGetAttribute, cuDeviceGetAttribute)
API int hipDeviceGetAttribute(int* value, int attribute, CUdevice device) {
    return hip_call("hipDeviceGetAttribute", Needs::Driver, [&](Call&) {
        constexpr int WARP_SIZE = 87;
        if (!context_of_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        switch (attribute) {
            case WARP_SIZE: *value = static_cast<int>(hip_wave()); return CUDA_SUCCESS;
            default: misuse("attribute %d is not modelled", attribute); return CUDA_ERROR_INVALID_VALUE;
        }
    });
}

// `hipDeviceProp_tR0600` has 1472 bytes. The name is its first member; that of the architecture has
// 256 bytes at 1160.
API int hipGetDevicePropertiesR0600(char* properties, CUdevice device) {
    return hip_call("hipGetDevicePropertiesR0600", Needs::Driver, [&](Call&) {
        if (!context_of_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        memset(properties, 0, 1472);
        strcpy(properties, "stand-in");
        strncpy(properties + 1160, hip_architecture(), 255);
        return CUDA_SUCCESS;
    });
}

MEANS(hipSetDevice, cuCtxSetCurrent)
API int hipSetDevice(CUdevice device) {
    return hip_call("hipSetDevice", Needs::Driver, [&](Call&) {
        if (!context_of_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        hip_device() = device;
        return CUDA_SUCCESS;
    });
}

MEANS(hipGetDevice, cuCtxGetCurrent)
API int hipGetDevice(CUdevice* device) {
    return hip_call("hipGetDevice", Needs::Driver, [&](Call&) {
        *device = hip_device();
        return CUDA_SUCCESS;
    });
}

SAME(hipDeviceSynchronize, (), cuCtxSynchronize())
SAME(hipDeviceGetStreamPriorityRange, (int* least, int* greatest), cuCtxGetStreamPriorityRange(least, greatest))
SAME(hipDeviceCanAccessPeer, (int* can, CUdevice device, CUdevice other), cuDeviceCanAccessPeer(can, device, other))

MEANS(hipDeviceEnablePeerAccess, cuCtxEnablePeerAccess)
API int hipDeviceEnablePeerAccess(CUdevice other, unsigned flags) {
    const HipCall hip("hipDeviceEnablePeerAccess");
    return cuCtxEnablePeerAccess(context_handle(other), flags);
}

MEANS(hipGetErrorName, cuGetErrorName)
// These two never fail.
API const char* hipGetErrorName(int code) {
    const HipCall hip("hipGetErrorName");
    const char* text = nullptr;
    return cuGetErrorName(code, &text) == CUDA_SUCCESS ? text : "hipErrorUnknown";
}

MEANS(hipGetErrorString, cuGetErrorString)
API const char* hipGetErrorString(int code) {
    const HipCall hip("hipGetErrorString");
    const char* text = nullptr;
    return cuGetErrorString(code, &text) == CUDA_SUCCESS ? text : "unknown error";
}

}  // namespace standin
