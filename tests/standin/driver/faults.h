// Failures on order.
#pragma once
#include "cuda.h"

namespace standin {

// The failure that is planned for this call of a function, or none. Counts the call.
//
// The plan is `FUNCTION:N:ERROR`, several of them with commas: the Nth call from now on fails;
// `N+`: and all that follow. The error is its number or its name, of the driver's or (for functions
// named nvrtc… and hiprtc…) of the compiler's. The function `kernel` means kernels that run: their
// failures come later than the launch, and stick.
int planned_failure(const char* function);

// Replaces the plan; false if it cannot be read.
bool plan_failures(const char* text);

// Leaves the context unusable, as CUDA documents it, or as HIP's device is.
bool is_sticky(CUresult result, bool hip);

// Says which planned failures have not come.
void report_unused_plans();

}  // namespace standin
