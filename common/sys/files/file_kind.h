// What a file is by how it begins, for messages about one of another kind than was wanted.
#pragma once

#include <string_view>

#include "common/base/bytes.h"

namespace ferry::sys {

// "a PNG image", "a JSON text", "an empty file", "a Git LFS pointer: ...": for "not a model, but
// {}". "" for what is not known.
std::string_view FileKind(ByteView bytes);

}  // namespace ferry::sys
