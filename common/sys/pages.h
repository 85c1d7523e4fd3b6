// What the system is told of pages of memory.
#pragma once

#include <cstddef>

#include "common/base/bytes.h"

namespace ferry::sys {

// Whole pages of `bytes` that belong to one file mapping of this process leave its memory; reading
// them brings them back from the page cache. Other memory stays as it is. Any thread.
void ReleaseMapped(ByteView bytes);

// The same pages will be read soon: the system may fetch them from the disk meanwhile. They do not
// come into this process's memory yet.
void FetchMapped(ByteView bytes);

// Asks for large pages where `size` bytes at `data` hold some whole: large blocks that are read
// from end to end then cost fewer address translations. A system without them does nothing.
void PreferLargePages(void* data, size_t size);

// `size` bytes of cleared memory on whole pages of their own, taken from the machine as they are
// touched; nullptr when there is no room.
void* MapPages(size_t size);
void UnmapPages(void* pages, size_t size);
// From now on a write into them ends the process.
void MakeReadOnly(void* pages, size_t size);

}  // namespace ferry::sys
