// What g++ calls where the sanitizer has found undefined behaviour in a kernel: linked into each
// module in place of libubsan, so that the message comes from the driver, which knows the kernel,
// and a module needs no other library.
#include "entry.h"

extern "C" __attribute__((visibility("default"))) standin::services standin_services;
standin::services standin_services;

namespace {

// Every report begins with where it happened (libsanitizer's `SourceLocation`).
struct location {
    const char* file;
    unsigned line, column;
};

[[noreturn]] void found(const char* what, const void* data) {
    const location* const at = static_cast<const location*>(data);
    standin_services.undefined(what, at->file, at->line, at->column);
}

}  // namespace

// The further arguments are left where the calling convention has put them.
#define HANDLER(NAME, WHAT) \
    extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void __ubsan_handle_##NAME(const void* data) { found(WHAT, data); }
HANDLER(add_overflow_abort, "signed addition overflows")
HANDLER(sub_overflow_abort, "signed subtraction overflows")
HANDLER(mul_overflow_abort, "signed multiplication overflows")
HANDLER(negate_overflow_abort, "signed negation overflows")
HANDLER(divrem_overflow_abort, "division by zero, or MIN / -1")
HANDLER(shift_out_of_bounds_abort, "shift by the width or more, or of a negative number")
HANDLER(out_of_bounds_abort, "index out of the bounds of an array")
HANDLER(type_mismatch_v1_abort, "null or misaligned address, or too few bytes behind it")
HANDLER(alignment_assumption_abort, "misaligned address")
HANDLER(pointer_overflow_abort, "pointer arithmetic overflows, or begins at null")
HANDLER(load_invalid_value_abort, "a value that its type does not have")
HANDLER(float_cast_overflow_abort, "float out of the range of the int")
HANDLER(builtin_unreachable, "unreachable code is reached")
HANDLER(missing_return, "a function ends without its value")
HANDLER(vla_bound_not_positive_abort, "array of a length that is not positive")
HANDLER(nonnull_arg_abort, "null where an argument must not be")
HANDLER(nullability_arg_abort, "null where an argument must not be")
HANDLER(invalid_builtin_abort, "__builtin_clz or __builtin_ctz of zero")
