// What is wrong with the program under test.
#pragma once

namespace standin {

// Says on standard error what the calling thread did wrong and in which function of the driver; the
// run fails at its end.
__attribute__((format(printf, 1, 2))) void misuse(const char* format, ...);

// The same for what cannot be gone on after: ends the run now.
[[noreturn]] __attribute__((format(printf, 1, 2))) void fatal(const char* format, ...);

// What the calling thread does, for messages: a function of the driver or an operation of a stream.
class Doing {
public:
    explicit Doing(const char* what);
    ~Doing();
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

    static const char* now();

private:
    const char* before;
};

// From now on what is left over is not reported: a call that was to give it back was made to fail.
void excuse_leaks();
bool leaks_excused();

// How often `misuse` was called.
unsigned long misuses();

}  // namespace standin
