#pragma once
#include "context.h"

namespace standin {

void report_leaked_events(Context& context);

}  // namespace standin
