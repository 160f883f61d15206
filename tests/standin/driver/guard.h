// Accesses to memory that is not there.
#pragma once

namespace standin {

// From now on an access to a page between blocks, or of a freed block, ends the run with what was
// done and to which block.
void catch_wild_accesses();

// Gives the calling thread, once, a stack on which that can be told: the one that it may have is
// too small, and its own may be what has overflowed.
void prepare_thread();

}  // namespace standin
