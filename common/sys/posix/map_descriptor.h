// A part of an open file as memory, read only: a model inside an app's archive, say.
#pragma once

#include <cstdint>
#include <memory>

#include "common/sys/filesystem.h"

namespace ferry::sys {

// `length` bytes from `offset` on, which need be no multiple of anything; 0: to the file's end. The
// descriptor stays the caller's and may be closed; the file must not change while the mapping
// lives. kOutOfRange, kIo, kInvalidArgument for what is no file.
Result<std::unique_ptr<MappedFile>> MapDescriptor(int descriptor, uint64_t offset, uint64_t length);

}  // namespace ferry::sys
