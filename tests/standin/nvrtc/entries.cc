// Finds the kernels of a program by reading its tokens.
#include "program.h"

namespace standin {
namespace {

bool is_word(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The tokens of C++, as far as they matter here: words, strings, and other characters one by one.
std::vector<std::string> tokens(const std::string& text) {
    std::vector<std::string> found;
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        size_t end = i + 1;
        if (isspace(static_cast<unsigned char>(c))) {
            i++;
            continue;
        } else if (text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
            continue;
        } else if (text.compare(i, 2, "/*") == 0) {
            i = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
            continue;
        } else if (c == '"' || (c == '\'' && !(i > 0 && isdigit(static_cast<unsigned char>(text[i - 1]))))) {
            while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, text.size());
        } else if (is_word(c)) {
            while (end < text.size() && is_word(text[end])) end++;
        }
        found.push_back(text.substr(i, end - i));
        i = end;
    }
    return found;
}

}  // namespace

std::vector<Entry> entries(const std::string& source) {
    const std::vector<std::string> all = tokens(source);
    std::vector<Entry> found;
    const auto at = [&](size_t i) -> const std::string& {
        static const std::string none;
        return i < all.size() ? all[i] : none;
    };
    for (size_t i = 0; i < all.size(); i++) {
        if (all[i] != "extern" || at(i + 1) != "\"C\"") continue;
        // Up to the first parenthesis that does not belong to an attribute.
        Entry entry{"", "0"};
        bool global = false;
        size_t j = i + 2;
        for (; j < all.size() && at(j) != "(" && at(j) != ";" && at(j) != "{"; j++) {
            if (at(j) == "__global__") global = true;
            if (at(j) == "__launch_bounds__" && at(j + 1) == "(") {
                entry.most_threads.clear();
                for (j += 2; j < all.size() && at(j) != ")" && at(j) != ","; j++) entry.most_threads += at(j);
                while (j < all.size() && at(j) != ")") j++;
                continue;
            }
            entry.name = at(j);
        }
        if (global && at(j) == "(") found.push_back(entry);
    }
    return found;
}

}  // namespace standin
