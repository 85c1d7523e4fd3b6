#include "common/sys/memory.h"

#include <algorithm>
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

int64_t MachineSpare() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  int64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibibytes * 1024;
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
  return std::min(MachineSpare(), GroupSpare());
}

}  // namespace ferry::sys
