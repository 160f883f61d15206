// Runs every test in a process of its own and compares what the stand-in says with what it should
// say.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "api.h"

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

Compiled compile(const std::string& source, const char* architecture) {
    void* program;
    EQUAL(nvrtcCreateProgram(&program, source.c_str(), "test", 0, nullptr, nullptr), 0);
    const std::string target = std::string("--gpu-architecture=") + architecture;
    const char* const options[] = {target.c_str(), "--std=c++17", "--device-int128"};
    Compiled compiled;
    compiled.result = nvrtcCompileProgram(program, 3, options);
    size_t size = 0;
    EQUAL(nvrtcGetProgramLogSize(program, &size), 0);
    compiled.log.resize(size);
    EQUAL(nvrtcGetProgramLog(program, compiled.log.data()), 0);
    compiled.log.pop_back();
    const bool real = strncmp(architecture, "sm_", 3) == 0;
    if (compiled.result == 0 && (real ? nvrtcGetCUBINSize : nvrtcGetPTXSize)(program, &size) == 0) {
        compiled.image.resize(size);
        EQUAL((real ? nvrtcGetCUBIN : nvrtcGetPTX)(program, compiled.image.data()), 0);
    }
    EQUAL(nvrtcDestroyProgram(&program), 0);
    return compiled;
}

CUfunction kernel(const std::string& source, const char* name) {
    const Compiled compiled = compile(source);
    if (compiled.result != 0 || !compiled.log.empty()) fail(__FILE__, __LINE__, compiled.log);
    CUmodule module;
    OK(cuModuleLoadData(&module, compiled.image.data()));
    CUfunction function;
    OK(cuModuleGetFunction(&function, module, name));
    OK(cuFuncLoad(function));
    return function;
}

namespace {

struct Outcome {
    int status;
    std::string text;
};

// Runs one test in a child, which ends the run as any program does.
Outcome run(const char* self, const char* name, const std::string& setting) {
    int ends[2];
    if (pipe(ends) != 0) _exit(1);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        if (!setting.empty()) putenv(strdup(setting.c_str()));
        alarm(60);
        execl(self, self, name, nullptr);
        _exit(127);
    }
    close(ends[1]);
    Outcome outcome{0, ""};
    char part[4096];
    for (ssize_t length; (length = read(ends[0], part, sizeof part)) > 0;) outcome.text.append(part, static_cast<size_t>(length));
    close(ends[0]);
    waitpid(child, &outcome.status, 0);
    return outcome;
}

bool passes(const Test& test, const Outcome& outcome) {
    const bool good = WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0;
    if (!test.report) return good && outcome.text.find("standin:") == std::string::npos;
    const bool reported = WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) == 86 : WTERMSIG(outcome.status) == SIGABRT;
    return reported && outcome.text.find(test.report) != std::string::npos;
}

// The same seed gives the same order, other seeds give others. `order_of_streams` prints one.
bool chaos_is_reproducible(const char* self) {
    std::set<std::string> orders;
    for (int seed = 1; seed <= 10; seed++) {
        const std::string setting = "STANDIN_CHAOS=" + std::to_string(seed);
        const std::string first = run(self, "order_of_streams", setting).text;
        for (int again = 0; again < 2; again++) {
            if (run(self, "order_of_streams", setting).text != first) return false;
        }
        orders.insert(first);
    }
    printf("10 seeds, %zu orders\n", orders.size());
    return orders.size() >= 5;
}

int run_here(const char* name) {
    for (const Test& test : tests()) {
        if (strcmp(test.name, name) != 0) continue;
        CUcontext context;
        OK(cuInit(0));
        OK(cuDevicePrimaryCtxRetain(&context, 0));
        OK(cuCtxSetCurrent(context));
        test.body();
        return 0;
    }
    return 2;
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1) return run_here(arguments[1]);
    int passed = 0, failed = 0;
    for (const Test& test : tests()) {
        const Outcome outcome = run(arguments[0], test.name, test.setting ? test.setting : "");
        if (passes(test, outcome)) {
            passed++;
            continue;
        }
        failed++;
        const char* const expected = test.report ? test.report : "success and silence";
        printf("FAILED %s: status %x; expected: %s\n%s\n", test.name, outcome.status, expected, outcome.text.c_str());
    }
    if (!chaos_is_reproducible(arguments[0])) {
        failed++;
        printf("FAILED chaos_is_reproducible\n");
    } else {
        passed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
