// A profiler for tests: it writes the strings of NVTX that are registered and the ranges that begin
// and end, one a line, to the file that RANGES names. With NO_STRINGS it registers no string, as if
// there were no profiler, but writes all the same. The numbers are those of nvtxTypes.h, which are
// the same in all versions 3.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef struct {
    size_t size;
    int (*functions)(int module, Function*** table, unsigned* count);
} Callbacks;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char* message;
} Event;

enum { CALLBACKS = 1, CORE2 = 5, PUSH = 4, POP = 5, REGISTER = 10, CREATE = 12, REGISTERED = 3 };

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static void write_line(const char* what, const char* domain, const char* name) {
    pthread_mutex_lock(&one);
    FILE* file = fopen(getenv("RANGES"), "a");
    if (file) {
        fprintf(file, "%lu %s %s %s\n", (unsigned long)pthread_self(), what, domain, name);
        fclose(file);
    }
    pthread_mutex_unlock(&one);
}

// Handles are the names themselves.
static void* create(const char* name) { return strdup(name); }
static void* registered(void* domain, const char* name) {
    if (!domain || getenv("NO_STRINGS")) return NULL;
    write_line("register", domain, name);
    return strdup(name);
}
static int push(void* domain, const Event* event) {
    write_line("push", domain, event->message_type == REGISTERED ? event->message : "?");
    return 0;
}
static int pop(void* domain) {
    write_line("pop", domain, "");
    return 0;
}

int InitializeInjectionNvtx2(const void* (*table_of)(uint32_t)) {
    const Callbacks* callbacks = table_of(CALLBACKS);
    Function** table;
    unsigned count;
    if (!callbacks || !callbacks->functions(CORE2, &table, &count) || count <= CREATE) return 0;
    *table[PUSH] = (Function)push;
    *table[POP] = (Function)pop;
    *table[REGISTER] = (Function)registered;
    *table[CREATE] = (Function)create;
    return 1;
}
