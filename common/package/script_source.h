// The source text that a compiled script carries.
#pragma once

#include <string_view>

#include "common/base/bytes.h"

namespace ferry::package {

// How compiled scripts (.fbc) are called in packages.
inline constexpr std::string_view kCompiledSuffix = ".fbc";

// The source in a file of bytecode of any version (the head that all versions share:
// device-runtime/vm/bytecode/format.h); empty when it carries none or is no such file. A view into
// `file`.
std::string_view SourceOfCompiled(ByteView file);

}  // namespace ferry::package
