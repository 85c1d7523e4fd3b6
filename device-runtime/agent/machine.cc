#include "device-runtime/agent/machine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "common/base/log.h"
#include "common/sys/clock.h"
#include "device-runtime/agent/conditions.h"
#include "device-runtime/kernels/isa.h"

namespace ferry::agent {
namespace {

constexpr char kClassFile[] = "measured_class";
constexpr size_t kMaxClassBytes = 64;
constexpr int64_t kMiB = int64_t{1} << 20;

int64_t MemoryBytes() {
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : -1;
}

std::vector<std::string> RunningIsaNames() {
  std::vector<std::string> names;
#if defined(__x86_64__)
  names.push_back("x86_64");
#elif defined(__aarch64__)
  names.push_back("arm64");
#endif
  for (const kernels::Isa isa : kernels::RunningIsas())
    if (isa != kernels::Isa::kReference) names.push_back(kernels::IsaName(isa));
  return names;
}

constexpr const char* OsName() {
#if defined(__ANDROID__)
  return "android";
#elif defined(__linux__)
  return "linux";
#else
  return "";
#endif
}

// The best of several short runs of independent multiply-adds: the worst says how busy it is.
double MultiplyAddsASecond() {
  constexpr int kRuns = 10, kLanes = 16, kSteps = 1 << 16;
  volatile float seed = 0.999F;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    float lanes[kLanes];
    std::fill(std::begin(lanes), std::end(lanes), 1.0F);
    const float factor = seed;
    const auto before = std::chrono::steady_clock::now();
    for (int step = 0; step < kSteps; ++step)
      for (float& lane : lanes) lane = lane * factor + 0.5F;
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    seed = sum > 0 ? 0.999F : 0.998F;  // the sum is used, so the loop stays
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    if (took.count() > 0) best = std::max(best, double{kLanes} * kSteps / took.count());
  }
  return best;
}

std::string MeasuredClass(sys::FileSystem& fs, const std::string& directory) {
  const std::string path = sys::JoinPath(directory, kClassFile);
  if (const auto kept = sys::ReadFile(fs, path, kMaxClassBytes); kept.ok()) {
    const std::string text(AsText(*kept));
    if (text == "high" || text == "mid" || text == "low") return text;
  }
  std::string measured =
      ClassOf(MultiplyAddsASecond(), std::thread::hardware_concurrency(), MemoryBytes());
  const Status written = sys::WriteFileAtomically(fs, path, AsBytes(measured));
  if (!written.ok()) LogWarn("agent", "the measured class is not kept: {}", written.ToString());
  return measured;
}

}  // namespace

std::string ClassOf(double multiply_adds_a_second, unsigned cores, int64_t memory_bytes) {
  const auto reaches = [&](double rate, unsigned least_cores, int64_t least_bytes) {
    return multiply_adds_a_second >= rate && cores >= least_cores &&
           (memory_bytes < 0 || memory_bytes >= least_bytes);
  };
  if (reaches(2e9, 4, 3584 * kMiB)) return "high";
  if (reaches(5e8, 2, 1536 * kMiB)) return "mid";
  return "low";
}

void FillMachine(sys::FileSystem& fs, const std::string& directory,
                 target::Attributes* attributes) {
  if (!attributes->os && *OsName() != '\0') attributes->os = OsName();
  if (const int64_t bytes = MemoryBytes(); !attributes->memory_bytes && bytes > 0)
    attributes->memory_bytes = bytes;
  if (!attributes->free_bytes) {
    const auto free = fs.FreeBytes(directory);
    if (free.ok())
      attributes->free_bytes = static_cast<int64_t>(std::min<uint64_t>(*free, INT64_MAX));
  }
  if (attributes->isa.empty()) attributes->isa = RunningIsaNames();
  if (!attributes->utc_offset_minutes)
    attributes->utc_offset_minutes = UtcOffsetMinutes(sys::SystemClock().NowUnixMs());
  if (!attributes->measured_class) attributes->measured_class = MeasuredClass(fs, directory);
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return -1;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace ferry::agent
