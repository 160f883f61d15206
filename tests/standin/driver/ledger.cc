#include "ledger.h"

#include <errno.h>
#include <unistd.h>

#include <map>
#include <sstream>

#include "report.h"

namespace standin {
namespace {

std::map<std::string, unsigned long>& calls() {
    static auto& all = *new std::map<std::string, unsigned long>;
    return all;
}

std::map<std::string, unsigned long>& costs() {
    static auto& all = *new std::map<std::string, unsigned long>;
    return all;
}

std::map<std::string, Count>& counts() {
    static auto& all = *new std::map<std::string, Count>;
    return all;
}

}  // namespace

void count_call(const char* function) { calls()[function]++; }

void count_cost(const char* what) { costs()[what]++; }

unsigned long costs_of(const std::string& what) { return costs()[what]; }

Count& Count::of(const char* kind) { return counts()[kind]; }

unsigned long calls_of(const std::string& function) {
    unsigned long sum = 0;
    for (const auto& [name, count] : calls()) sum += function.empty() || name == function ? count : 0;
    return sum;
}

void reset_calls() {
    calls().clear();
    costs().clear();
}

std::string ledger() {
    std::ostringstream text;
    text << "{\"process\":" << getpid() << ",\"program\":\"" << program_invocation_short_name << '"';
    text << ",\"misuses\":" << misuses() << ",\"calls\":{";
    const char* comma = "";
    for (const auto& [name, count] : calls()) {
        text << comma << '"' << name << "\":" << count;
        comma = ",";
    }
    text << "},\"costs\":{";
    comma = "";
    for (const auto& [what, count] : costs()) {
        text << comma << '"' << what << "\":" << count;
        comma = ",";
    }
    text << "},\"objects\":{";
    comma = "";
    for (const auto& [kind, count] : counts()) {
        text << comma << '"' << kind << "\":{\"made\":" << count.made << ",\"most\":" << count.most << ",\"live\":" << count.live << '}';
        comma = ",";
    }
    text << "}}";
    return text.str();
}

}  // namespace standin
