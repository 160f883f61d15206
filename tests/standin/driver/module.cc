#include "module.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <sstream>
#include <string>

#include "../device/image.h"
#include "block.h"
#include "capture.h"
#include "objects.h"

namespace standin {
namespace {

Handles<Module>& modules() {
    static auto& all = *new Handles<Module>("module", 0x4d000000000);
    return all;
}

Handles<Function>& functions() {
    static auto& all = *new Handles<Function>("function", 0x46000000000);
    return all;
}

// A code object is for one processor; with features, such as `sramecc+`, for devices that have them
// set so.
bool runs_on(const std::string& made_for, const std::string& device) {
    std::istringstream features(made_for);
    std::string one, processor;
    std::getline(features, processor, ':');
    if (device.substr(0, device.find(':')) != processor) return false;
    while (std::getline(features, one, ':')) {
        if ((device + ":").find(":" + one + ":") == std::string::npos) return false;
    }
    return true;
}

// As the driver does: machine code runs on devices of its major version that are not older,
// portable code on all that are not.
CUresult check_architecture(const image& words) {
    if (in_hip() != (words.gfx[0] != 0)) return CUDA_ERROR_INVALID_IMAGE;
    if (in_hip()) return runs_on(words.gfx, hip_architecture()) ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
    const unsigned device = device_architecture(), made_for = words.architecture;
    if (words.portable) return made_for <= device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
    return made_for <= device && made_for / 10 == device / 10 ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

// A library loaded from memory, once for each call, so that every module has variables of its own.
// The loader knows libraries by their names: the file stays open while the library is loaded, so
// that no other one gets its number.
bool load(Module& module, const void* bytes, size_t length) {
    module.file = memfd_create("module", MFD_CLOEXEC);
    if (module.file < 0 || write(module.file, bytes, length) != static_cast<ssize_t>(length)) return false;
    module.library = dlopen(("/proc/self/fd/" + std::to_string(module.file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module.library) misuse("%s", dlerror());
    return module.library != nullptr;
}

}  // namespace

Module::~Module() {
    if (library) dlclose(library);
    if (file >= 0) close(file);
}

CUresult load_function(Function& function) {
    if (function.loaded) return CUDA_SUCCESS;
    if (const CUresult refused = refuse_unsafe()) return refused;
    function.loaded = true;
    return CUDA_SUCCESS;
}

std::shared_ptr<Function> find_function(CUfunction handle) { return functions().find(handle); }

void report_leaked_modules(const Context& context) { modules().report_leaks(context); }

API CUresult cuModuleLoadData(CUmodule* out, const void* bytes) {
    return call("cuModuleLoadData", Needs::Context, [&](Call& call) {
        if (const CUresult refused = refuse_unsafe()) return refused;
        const char* library = static_cast<const char*>(bytes);
        if (strncmp(library, image::PORTABLE, strlen(image::PORTABLE)) == 0) library += strlen(library) + 1;
        const size_t length = elf_size(library);
        image words;
        if (length == 0) return CUDA_ERROR_INVALID_IMAGE;
        memcpy(&words, library + length, sizeof words);
        if (memcmp(words.magic, image::MAGIC, sizeof words.magic) != 0) return CUDA_ERROR_INVALID_IMAGE;
        if (const CUresult refused = check_architecture(words)) return refused;
        auto module = std::make_shared<Module>();
        module->context = call.context;
        if (!load(*module, library, length)) return CUDA_ERROR_INVALID_IMAGE;
        const unsigned warp = call.context->hip ? hip_wave() : 32;
        if (void* const wanted = dlsym(module->library, "standin_services")) *static_cast<services*>(wanted) = device_services(warp);
        // The compiler keeps it only where it is called.
        if (dlsym(module->library, "standin_meet")) module->warp = warp;
        if (in_hip()) {
            module->image = bytes;
            module->content.assign(library, length);
        }
        std::istringstream table(library + length + sizeof words);
        std::string name;
        for (int bytes; table >> name >> bytes;) module->local[name] = bytes;
        *out = modules().add(module);
        return CUDA_SUCCESS;
    });
}

API CUresult cuModuleUnload(CUmodule handle) {
    return call("cuModuleUnload", Needs::Release, [&](Call&) {
        if (const CUresult refused = refuse_unsafe()) return refused;
        const auto module = modules().remove(handle);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        if (!module->content.empty() && memcmp(module->image, module->content.data(), module->content.size()) != 0) {
            misuse("the image was changed or freed before the module is unloaded");
        }
        for (const CUfunction function : module->functions) functions().remove(function);
        const Op op = module->uses.pending();
        if (op && module->context->lost == CUDA_SUCCESS) misuse("the module is unloaded while `%s` is not done", op->work.what.c_str());
        return CUDA_SUCCESS;
    });
}

API CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
    return call("cuModuleGetFunction", Needs::Context, [&](Call&) {
        const auto module = modules().find(handle);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        const void* const code = dlsym(module->library, (std::string("standin_kernel_") + name).c_str());
        if (!code) return CUDA_ERROR_NOT_FOUND;
        auto function = std::make_shared<Function>();
        function->name = name;
        function->code = static_cast<const kernel*>(code);
        function->context = module->context;
        function->module = module;
        function->loaded = in_hip();  // with its module
        *out = functions().add(function);
        module->functions.push_back(*out);
        return CUDA_SUCCESS;
    });
}

API CUresult cuFuncLoad(CUfunction handle) {
    return call("cuFuncLoad", Needs::Context, [&](Call&) {
        const auto function = find_function(handle);
        return function ? load_function(*function) : CUDA_ERROR_INVALID_HANDLE;
    });
}

API CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction handle) {
    return call("cuFuncGetAttribute", Needs::Context, [&](Call&) {
        constexpr int LOCAL_SIZE_BYTES = 3, NUM_REGS = 4;
        const auto function = find_function(handle);
        const auto module = function ? function->module.lock() : nullptr;
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        if (attribute != LOCAL_SIZE_BYTES && attribute != NUM_REGS) {
            misuse("attribute %d of functions is not modelled", attribute);
            return CUDA_ERROR_INVALID_VALUE;
        }
        // Nothing here has registers of a GPU: any number that there can be.
        *value = attribute == NUM_REGS ? 24 : module->local[function->name];
        return load_function(*function);
    });
}

}  // namespace standin
