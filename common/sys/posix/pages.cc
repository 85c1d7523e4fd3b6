#include "common/sys/pages.h"

#include <sys/mman.h>

namespace ferry::sys {

void* MapPages(size_t size) {
  void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void UnmapPages(void* pages, size_t size) {
  munmap(pages, size);
}

void MakeReadOnly(void* pages, size_t size) {
  mprotect(pages, size, PROT_READ);
}

}  // namespace ferry::sys
