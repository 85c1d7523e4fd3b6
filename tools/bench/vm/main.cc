// ferry-vm-bench: runs scripts for vm.py. One line of JSON on standard output, or what the script
// prints.
//
//   ferry-vm-bench FILE.py                  as python3 runs it, without limits
//   ferry-vm-bench --threads N FILE.py      N isolates on N threads at once: {"seconds", "steps"}
//   ferry-vm-bench --create N               N isolates alive at once, each: {"microseconds",
//                                           "resident_bytes", "heap_bytes" that count as its own}
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/vm/isolate.h"

namespace ferry {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<std::string> Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status::Of(Code::kNotFound, "{}: cannot be read", path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<int64_t> RunScript(const std::string& source, vm::PrintSink print) {
  vm::Isolate::Options options;
  options.limits = vm::Limits::None();
  options.print = std::move(print);
  FERRY_ASSIGN_OR_RETURN(auto isolate, vm::Isolate::Create(std::move(options)));
  FERRY_TRY(isolate->RunSource(source, "__main__"));
  return isolate->usage().steps;
}

Status OnThreads(const std::string& source, int count) {
  std::vector<Result<int64_t>> outcomes(static_cast<size_t>(count), int64_t{0});
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (auto& outcome : outcomes)
    threads.emplace_back([&] { outcome = RunScript(source, nullptr); });
  for (std::thread& thread : threads) thread.join();
  const double seconds = Since(start);
  for (const auto& outcome : outcomes) FERRY_TRY(outcome.status());
  std::printf("{\"seconds\": %.6f, \"steps\": %lld}\n", seconds,
              static_cast<long long>(*outcomes[0]));
  return OkStatus();
}

// Of this process.
int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

Status CreateMany(int count) {
  FERRY_TRY(vm::Isolate::Create({}).status());  // what all share is made once
  std::vector<std::unique_ptr<vm::Isolate>> isolates;
  int64_t bytes = 0;
  const int64_t before = ResidentBytes();
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) {
    FERRY_ASSIGN_OR_RETURN(auto isolate, vm::Isolate::Create({}));
    isolates.push_back(std::move(isolate));
  }
  const double seconds = Since(start);
  for (const auto& isolate : isolates) bytes += isolate->usage().memory_bytes;
  std::printf("{\"microseconds\": %.3f, \"resident_bytes\": %lld, \"heap_bytes\": %lld}\n",
              seconds / count * 1e6, static_cast<long long>((ResidentBytes() - before) / count),
              static_cast<long long>(bytes / count));
  return OkStatus();
}

Status Main(const std::vector<std::string>& args) {
  int count = 0;
  if (args.size() >= 2) {
    const std::string& text = args[1];
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
    if (parsed.ec != std::errc() || count < 1 || count > 100000)
      return Status::Of(Code::kInvalidArgument, "{} is no count", text);
  }
  if (args.size() == 2 && args[0] == "--create") return CreateMany(count);
  if (args.size() != 1 && !(args.size() == 3 && args[0] == "--threads"))
    return Status(Code::kInvalidArgument,
                  "usage: ferry-vm-bench [--threads N] FILE.py | --create N");
  FERRY_ASSIGN_OR_RETURN(const std::string source, Read(args.back()));
  if (args.size() == 3) return OnThreads(source, count);
  const auto print = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  return RunScript(source, print).status();
}

}  // namespace
}  // namespace ferry

int main(int argc, char** argv) {
  const ferry::Status status = ferry::Main({argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
