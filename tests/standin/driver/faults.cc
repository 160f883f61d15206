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

// CUDA's names also mean HIP's errors: one plan is for both.
struct Name {
    int result;
    const char *name, *hip;
};

const Name DRIVER[] = {
#define RESULT(NUMBER, NAME, HIP, TEXT) {NUMBER, #NAME, HIP},
#include "results.inc"
#undef RESULT
};

// Those of NVRTC and HIPRTC.
const Name COMPILER[] = {
    {1, "OUT_OF_MEMORY", nullptr},   {2, "PROGRAM_CREATION_FAILURE", nullptr}, {3, "INVALID_INPUT", nullptr},
    {4, "INVALID_PROGRAM", nullptr}, {5, "INVALID_OPTION", nullptr},           {6, "COMPILATION", nullptr},
    {11, "INTERNAL_ERROR", nullptr},
};

bool begins_with(const std::string& text, const char* prefix) { return text.compare(0, strlen(prefix), prefix) == 0; }

template <size_t N> bool find_result(const Name (&all)[N], const char* prefix, const std::string& text, int& result) {
    const std::string name = begins_with(text, prefix) ? text.substr(strlen(prefix)) : text;
    for (const Name& one : all) {
        if (name == one.name || (one.hip && name == one.hip)) {
            result = one.result;
            return true;
        }
    }
    return false;
}

bool parse_result(const Plan& plan, const std::string& text, int& result) {
    // Any number: a driver may have results that nobody here knows.
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        result = atoi(text.c_str());
        return result != 0;
    }
    if (begins_with(plan.function, "nvrtc")) return find_result(COMPILER, "NVRTC_ERROR_", text, result);
    if (begins_with(plan.function, "hiprtc")) return find_result(COMPILER, "HIPRTC_ERROR_", text, result);
    return find_result(DRIVER, "CUDA_ERROR_", text, result);
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
        // What happens on the device sticks.
        const auto error = static_cast<CUresult>(plan.result);
        if (plan.function == "kernel" && !is_sticky(error, false) && !is_sticky(error, true)) return false;
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

bool is_sticky(CUresult result, bool hip) {
    const int number = result;
    if (hip) return number == 214 || number == 700 || number == 702 || number == 710 || number == 719 || number == 1053;
    switch (number) {
        case 214: case 220: case 226: case 700: case 702: case 709: case 710: case 721: case 810: case 911: return true;
        default: return number >= 714 && number <= 719;
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
