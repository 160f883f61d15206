// Accesses to memory that is not there.
#pragma once

namespace standin {

// From now on an access to a page between blocks, or of a freed block, ends the run with what was done and to which block.
void catch_wild_accesses();

}  // namespace standin
