// Loaded images and their kernels.
#pragma once
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
    Uses uses;

    ~Module();
};

struct Function {
    std::string name;
    const kernel* code = nullptr;
    std::shared_ptr<Context> context;
    std::weak_ptr<Module> module;
};

// The function of a handle; null after a report.
std::shared_ptr<Function> find_function(CUfunction handle);

void report_leaked_modules(const Context& context);

}  // namespace standin
