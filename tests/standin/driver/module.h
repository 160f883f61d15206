// Loaded images and their kernels.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../device/entry.h"
#include "call.h"
#include "operation.h"

namespace standin {

struct Module {
    std::shared_ptr<Context> context;
    int file = -1;
    void* library = nullptr;
    std::vector<CUfunction> functions;
    std::map<std::string, int> local;  // bytes of local memory that a thread of a function needs
    unsigned warp = 0;                 // how many threads of a warp meet; 0 if threads never do
    Uses uses;
    // The program's image, and what it was: HIP makes no copy.
    const void* image = nullptr;
    std::string content;

    ~Module();
};

struct Function {
    std::string name;
    const kernel* code = nullptr;
    std::shared_ptr<Context> context;
    std::weak_ptr<Module> module;
    bool loaded = false;  // loading is put off until the function is used
};

// Completes the loading of a function, which may wait for the device.
CUresult load_function(Function& function);

// The function of a handle; null after a report.
std::shared_ptr<Function> find_function(CUfunction handle);

void report_leaked_modules(const Context& context);

}  // namespace standin
