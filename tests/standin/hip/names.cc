// Which functions of the two interfaces mean the same.
#include <map>
#include <string>

#include "hip.h"

namespace standin {
namespace {

// Both ways.
std::map<std::string, std::string>& names() {
    static auto& all = *new std::map<std::string, std::string>{
        {"nvrtcGetCUBIN", "hiprtcGetCode"},
        {"nvrtcGetCUBINSize", "hiprtcGetCodeSize"},
        {"hiprtcGetCode", "nvrtcGetCUBIN"},
        {"hiprtcGetCodeSize", "nvrtcGetCUBINSize"},
    };
    return all;
}

}  // namespace

bool means(const char* hip, const char* cuda) {
    std::string name = cuda;
    name = name.substr(0, name.find('('));
    if (name.size() > 3 && name.compare(name.size() - 3, 3, "_v2") == 0) name.resize(name.size() - 3);
    names()[hip] = name;
    names()[name] = hip;
    return true;
}

// The name in the other interface of what a function does; null if it has no such function.
API const char* standin_renamed(const char* function) {
    const Lock lock(mutex());
    const std::string name = function;
    auto found = names().find(name);
    if (found == names().end() && name.find("PTX") == std::string::npos) {
        const bool nvrtc = name.compare(0, 5, "nvrtc") == 0, hiprtc = name.compare(0, 6, "hiprtc") == 0;
        if (nvrtc || hiprtc) found = names().emplace(name, nvrtc ? "hiprtc" + name.substr(5) : "nvrtc" + name.substr(6)).first;
    }
    return found == names().end() ? nullptr : found->second.c_str();
}

}  // namespace standin
