// Texts of models within limits.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/ir/graph.h"

namespace ferry::model_graph {

// At most `most` bytes of it, with "..." where more was there; never in the middle of a character.
std::string CutText(std::string_view text, size_t most = 0);  // 0: kMaxGraphNameBytes
// An attribute in a few words; tensors and bodies by what they are alone.
std::string AttributeText(const ir::Attribute& attribute);

}  // namespace ferry::model_graph
