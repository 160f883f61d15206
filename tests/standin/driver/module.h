// Loaded images and their kernels.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../device/entry.h"
#include "stream.h"

namespace standin {

struct Module {
    std::shared_ptr<Context> context;
    int file = -1;
    void* library = nullptr;
    std::vector<CUfunction> functions;
    std::vector<std::weak_ptr<Operation>> uses;

    ~Module();
};

struct Function {
    std::string name;
    const kernel* code = nullptr;
    std::weak_ptr<Module> module;
};

// The function of a handle; null after a report.
std::shared_ptr<Function> find_function(CUfunction handle);

void report_leaked_modules(Context& context);

}  // namespace standin
