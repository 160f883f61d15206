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
    int result = 0;
    unsigned long calls = 0;
};

struct Name {
    int result;
    const char* name;
};

const Name DRIVER[] = {
#define RESULT(NUMBER, NAME, TEXT) {NUMBER, #NAME},
#include "results.inc"
#undef RESULT
};

const Name NVRTC[] = {
    {1, "OUT_OF_MEMORY"},  {2, "PROGRAM_CREATION_FAILURE"}, {3, "INVALID_INPUT"},  {4, "INVALID_PROGRAM"},
    {5, "INVALID_OPTION"}, {6, "COMPILATION"},              {11, "INTERNAL_ERROR"},
};

template <size_t N> bool find_result(const Name (&all)[N], const char* prefix, const std::string& text, int& result) {
    const std::string name = text.compare(0, strlen(prefix), prefix) == 0 ? text.substr(strlen(prefix)) : text;
    for (const Name& one : all) {
        if (name == one.name) {
            result = one.result;
            return true;
        }
    }
    return false;
}

bool parse_result(const Plan& plan, const std::string& text, int& result) {
    const bool nvrtc = plan.function.compare(0, 5, "nvrtc") == 0;
    // Any number: a driver may have results that nobody here knows.
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        result = atoi(text.c_str());
        return result != 0;
    }
    return nvrtc ? find_result(NVRTC, "NVRTC_ERROR_", text, result) : find_result(DRIVER, "CUDA_ERROR_", text, result);
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
        if (plan.number == 0 || !parse_result(plan, result, plan.result)) return false;
        if (plan.function == "kernel" && !is_sticky(static_cast<CUresult>(plan.result))) return false;  // what happens on the device sticks
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

int planned_failure(const char* function) {
    int result = 0;
    for (Plan& plan : plans()) {
        if (plan.function != function) continue;
        plan.calls++;
        const bool due = plan.calls == plan.number || (plan.onwards && plan.calls > plan.number);
        if (due && result == 0) result = plan.result;
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
        case 214: case 220: case 226: case 700: case 702: case 709: case 710: case 721: case 810: case 911: return true;
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
