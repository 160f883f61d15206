#include "report.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace standin {
namespace {

thread_local const char* doing = nullptr;
std::atomic<unsigned long> count{0};
std::atomic<bool> excused{false};

// One write, so that the lines of several threads and processes stay whole.
void say(const char* format, va_list arguments) {
    char thread[32] = "";
    pthread_getname_np(pthread_self(), thread, sizeof thread);
    char line[2048];
    int length = snprintf(line, sizeof line, "standin: [%s] %s: ", thread, doing ? doing : "at the end");
    length += vsnprintf(line + length, sizeof line - static_cast<size_t>(length) - 1, format, arguments);
    length = length < static_cast<int>(sizeof line) - 1 ? length : static_cast<int>(sizeof line) - 2;
    line[length++] = '\n';
    if (write(2, line, static_cast<size_t>(length)) < 0) count++;  // there is no other place to say it
    count++;
}

}  // namespace

void misuse(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void fatal(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    abort();
}

Doing::Doing(const char* what) : before(doing) { doing = what; }
Doing::~Doing() { doing = before; }
const char* Doing::now() { return doing ? doing : ""; }

void excuse_leaks() { excused = true; }
bool leaks_excused() { return excused; }

unsigned long misuses() { return count; }

}  // namespace standin
