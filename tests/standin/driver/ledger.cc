#include "ledger.h"

#include <map>
#include <string>

namespace standin {
namespace {

std::map<std::string, unsigned long>& calls() {
    static auto& all = *new std::map<std::string, unsigned long>;
    return all;
}

}  // namespace

void count_call(const char* function) { calls()[function]++; }

}  // namespace standin
