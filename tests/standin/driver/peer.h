// Memory of one device that another one can reach.
#pragma once
#include "context.h"
#include "memory.h"

namespace standin {

// Whether work of a context may use a block: its own ones, memory of the host, and what another
// device lets it use.
bool can_reach(const Context& context, const Allocation& block);

// Forgets what a context could reach, and who could reach it, when it is released.
void forget_peers(const Context& context);

}  // namespace standin
