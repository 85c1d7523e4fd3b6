#include "common/sys/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace ferry::sys {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// The first number of a file; kUnknown where there is none ("max").
int64_t NumberIn(const char* path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? number : kUnknown;
}

// Of a line "name: 123 kB"; kUnknown where there is none.
int64_t LineOf(const char* path, const std::string& wanted) {
  std::ifstream file(path);
  std::string name;
  std::string rest;
  while (file >> name && std::getline(file, rest)) {
    if (name == wanted) return std::strtoll(rest.c_str(), nullptr, 10) * 1024;
  }
  return kUnknown;
}

int64_t GroupSpare() {
  const int64_t most = NumberIn("/sys/fs/cgroup/memory.max");
  const int64_t used = NumberIn("/sys/fs/cgroup/memory.current");
  if (most == kUnknown || used == kUnknown) return kUnknown;
  return std::max<int64_t>(0, most - used);
}

}  // namespace

int64_t AvailableMemory() {
  return std::min(LineOf("/proc/meminfo", "MemAvailable:"), GroupSpare());
}

int64_t AnonymousMemory() {
  const int64_t bytes = LineOf("/proc/self/status", "RssAnon:");
  return bytes == kUnknown ? 0 : bytes;
}

}  // namespace ferry::sys
