#pragma once
#include "context.h"

namespace standin {

void report_leaked_events(const Context& context);

}  // namespace standin
