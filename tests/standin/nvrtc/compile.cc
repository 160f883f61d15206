// Calls the system's C++ compiler. Everything it needs lies in the folder of this library: the
// precompiled `program.h`, the sanitizer's handlers, and the cache of what has been compiled
// before.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <sstream>

#include "../device/image.h"
#include "program.h"

extern char** environ;

namespace standin {
namespace {

std::string folder() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&folder), &info) == 0) return ".";
    char* const real = realpath(info.dli_fname, nullptr);
    const std::string path = real ? real : info.dli_fname;
    free(real);
    return path.substr(0, path.rfind('/'));
}

// The flags that also the precompiled header is built with; the script `build` reads them from
// here.
const char* const FLAGS[] = {
#include "flags.inc"
};

bool read(const std::string& path, std::string& text) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return false;
    std::ostringstream all;
    all << file.rdbuf();
    text = all.str();
    return true;
}

// Files appear complete, so that processes can share the folder.
bool write(const std::string& path, const std::string& text) {
    static std::atomic<unsigned> number{0};
    const std::string aside = path + "." + std::to_string(getpid()) + "." + std::to_string(number++);
    {
        std::ofstream file(aside, std::ios::binary);
        file << text;
        if (!file.flush()) return false;
    }
    return rename(aside.c_str(), path.c_str()) == 0;
}

// FNV-1a, twice from different bases: enough to tell programs apart that nobody chose to be alike.
std::string hash(const std::string& text) {
    uint64_t a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f;
    for (const unsigned char c : text) {
        a = (a ^ c) * 0x100000001b3;
        b = (b ^ c) * 0x100000001b3;
        b ^= b >> 29;
    }
    char out[33];
    snprintf(out, sizeof out, "%016llx%016llx", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
    return out;
}

// Runs a program with its standard error in a file; its exit status, or 127.
int run(const std::vector<std::string>& words, const std::string& errors) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    // The driver's stand-in is on the loader's path, the compiler needs neither it nor what else is
    // there.
    std::vector<char*> environment;
    for (char** variable = environ; *variable; variable++) {
        const bool kept = strncmp(*variable, "LD_", 3) != 0 && strncmp(*variable, "LC_", 3) != 0 && strncmp(*variable, "LANG", 4) != 0;
        if (kept) environment.push_back(*variable);
    }
    char locale[] = "LC_ALL=C";
    environment.push_back(locale);
    environment.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failed != 0 || waitpid(child, &status, 0) != child) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

#ifdef __x86_64__
const char* const CONTRACT = "#pragma GCC target(\"fma\")\n#pragma GCC optimize(\"fp-contract=fast\")\n";
#else
const char* const CONTRACT = "#pragma GCC optimize(\"fp-contract=fast\")\n";
#endif

std::string with_entries(const std::string& source, const std::string& name, const Target& target) {
    std::ostringstream text;
    // As pragmas, because the precompiled header has no such options.
    if (target.contract) text << CONTRACT;
    // Most programs are the same for all architectures.
    if (source.find("__CUDA_ARCH__") != std::string::npos) text << "#define __CUDA_ARCH__ " << 10 * target.architecture << "\n";
    text << "#line 1 \"" << name << "\"\n" << source << "\n#line 1 \"standin\"\n";
    for (const Entry& entry : entries(source)) {
        text << "STANDIN_KERNEL(" << entry.name << ", " << entry.most_threads << ")\n";
    }
    return text.str();
}

// What g++ says of the stack of each kernel, as `NAME BYTES` lines: what a thread needs of local
// memory.
std::string local_memory(const std::string& usage, const std::string& source) {
    std::ostringstream table;
    for (const Entry& entry : entries(source)) {
        // FILE:LINE:COLUMN:void NAME(PARAMETERS) TAB BYTES TAB KIND
        const size_t name = usage.find(":void " + entry.name + "(");
        const size_t tab = name == std::string::npos ? name : usage.find('\t', name);
        if (tab != std::string::npos) table << entry.name << ' ' << strtol(usage.c_str() + tab, nullptr, 10) << '\n';
    }
    return table.str();
}

// `library` has its table of local memory behind it.
std::string image_of(const std::string& library, const std::string& source, const Target& target) {
    std::string text;
    if (target.portable) {
        text = image::PORTABLE;
        for (const Entry& entry : entries(source)) text += ".entry " + entry.name + "\n";
        text += '\0';
    }
    image words{};
    memcpy(words.magic, image::MAGIC, sizeof words.magic);
    words.architecture = target.architecture;
    words.portable = target.portable;
    strncpy(words.gfx, target.gfx.c_str(), sizeof words.gfx - 1);
    const size_t length = elf_size(library.data());
    const std::string trailer(reinterpret_cast<const char*>(&words), sizeof words);
    return text + library.substr(0, length) + trailer + library.substr(length) + '\0';
}

}  // namespace

Outcome compile(const std::string& source, const std::string& name, const Target& target) {
    const std::string here = folder();
    const std::string text = with_entries(source, name, target);
    std::vector<std::string> words{"g++", "-include", here + (target.gfx.empty() ? "/program.h" : "/program_hip.h")};
    words.insert(words.end(), std::begin(FLAGS), std::end(FLAGS));
    std::string key;
    for (const std::string& word : words) key += " " + word;
    const std::string path = here + "/cache/" + hash(key + text);

    std::string library, log;
    if (read(path, library)) {
        read(path + ".log", log);
        return {image_of(library, source, target), log};
    }
    std::string work = here + "/cache/work.XXXXXX";
    if (!mkdtemp(work.data())) return {"", "standin: cannot make a folder " + work};
    const std::string in = work + "/program.cc", out = work + "/program.so", said = work + "/log", stacks = out + "-program.su";
    write(in, text);
    words.insert(words.end(), {"-fstack-usage", "-shared", "-o", out, in, here + "/handlers.o"});
    const int status = run(words, said);
    read(said, log);
    const bool made = status == 0 && read(out, library) && elf_size(library.data()) == library.size();
    std::string usage;
    if (made) {
        read(stacks, usage);
        library += local_memory(usage, source);
        if (!log.empty()) write(path + ".log", log);
        write(path, library);
    } else if (log.empty()) {
        log = "standin: g++ has failed with status " + std::to_string(status);
    }
    for (const std::string& file : {in, out, said, stacks}) unlink(file.c_str());
    rmdir(work.c_str());
    return {made ? image_of(library, source, target) : "", log};
}

}  // namespace standin
