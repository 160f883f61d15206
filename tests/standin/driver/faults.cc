#include "faults.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "report.h"

namespace standin {
namespace {

struct Plan {
    std::string function;
    unsigned long number = 0;
    bool onwards = false;
    CUresult result = CUDA_SUCCESS;
    unsigned long calls = 0;
};

bool parse_result(const std::string& text, CUresult& result) {
    static const struct {
        CUresult result;
        const char* name;
    } all[] = {
#define RESULT(NUMBER, NAME, TEXT) {CUDA_ERROR_##NAME, #NAME},
#include "results.inc"
#undef RESULT
    };
    const std::string prefix = "CUDA_ERROR_";
    const std::string name = text.compare(0, prefix.size(), prefix) == 0 ? text.substr(prefix.size()) : text;
    for (const auto& one : all) {
        if (name == one.name || name == std::to_string(static_cast<int>(one.result))) {
            result = one.result;
            return true;
        }
    }
    return false;
}

bool parse(const char* text, std::vector<Plan>& plans) {
    std::istringstream list(text);
    std::string one;
    while (std::getline(list, one, ',')) {
        std::istringstream parts(one);
        Plan plan;
        std::string number, result;
        if (!std::getline(parts, plan.function, ':') || !std::getline(parts, number, ':') || !std::getline(parts, result)) return false;
        plan.onwards = !number.empty() && number.back() == '+';
        plan.number = strtoul(number.c_str(), nullptr, 10);
        if (plan.number == 0 || !parse_result(result, plan.result)) return false;
        if (plan.function == "kernel" && !is_sticky(plan.result)) return false;  // what happens on the device sticks
        plans.push_back(plan);
    }
    return true;
}

std::vector<Plan>& plans() {
    static auto& all = [] () -> std::vector<Plan>& {
        auto& plans = *new std::vector<Plan>;
        const char* const text = getenv("STANDIN_FAIL");
        if (text && !parse(text, plans)) fatal("cannot read the plan of failures `%s`", text);
        return plans;
    }();
    return all;
}

}  // namespace

CUresult planned_failure(const char* function) {
    CUresult result = CUDA_SUCCESS;
    for (Plan& plan : plans()) {
        if (plan.function != function) continue;
        plan.calls++;
        const bool due = plan.calls == plan.number || (plan.onwards && plan.calls > plan.number);
        if (due && result == CUDA_SUCCESS) result = plan.result;
    }
    return result;
}

bool plan_failures(const char* text) {
    std::vector<Plan> fresh;
    if (text && !parse(text, fresh)) return false;
    plans() = fresh;
    return true;
}

bool is_sticky(CUresult result) {
    switch (static_cast<int>(result)) {
        case 214: case 220: case 700: case 702: case 709: case 710: return true;
        default: return result >= 714 && result <= 719;
    }
}

void report_unused_plans() {
    for (const Plan& plan : plans()) {
        if (plan.calls >= plan.number) continue;
        fprintf(stderr, "standin: the planned failure of %s has not come: it was called %lu times, not %lu\n", plan.function.c_str(),
                plan.calls, plan.number);
    }
}

}  // namespace standin
