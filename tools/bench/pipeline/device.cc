// The pipeline inside an app, through the SDK: how soon after the page's exit tasks/ipv has its
// features and the model its answer, and how long ferry_event_send takes while a package of 100 MB
// is checked and loaded beside it. Wall time; the one part that is not processor time.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "device-runtime/api/ferry.hpp"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kVisits = 100;                 // of a round
constexpr double kMostAfterExitMs = 50;      // the task's features, p99
constexpr double kMostSendUs = 50;           // ferry_event_send, p99
constexpr size_t kLargeBytes = 100'000'000;  // of the package that is opened meanwhile
constexpr auto kBetweenSends = std::chrono::microseconds(500);
constexpr auto kLongestWait = std::chrono::seconds(5);

SteadyTime Now() {
  return std::chrono::steady_clock::now();
}

double Percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A folder for the files of one run.
struct Scratch {
  std::string path = std::filesystem::temp_directory_path() /
                     ("ferry-pipeline-bench-" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

// `ferry pack` of the same build.
Result<std::string> PackIpv(const std::string& folder) {
  const std::string out = folder + "/ipv.fpk";
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string command =
      fmt::format("{}/ferry pack tasks/ipv -o {} > /dev/null", bin.string(), out);
  if (std::system(command.c_str()) != 0)
    return Status::Of(Code::kIo, "{} failed: build the program ferry, and run this from the top",
                      command);
  return out;
}

// The last time that a result came, and how many did.
class Results {
 public:
  void Take(std::string_view json) {
    if (json.find("\"intent\"") == json.npos) return;
    const std::lock_guard lock(mutex_);
    last_ = Now();
    ++count_;
    came_.notify_all();
  }
  // False when it did not come in time.
  bool WaitFor(int count, SteadyTime* last) {
    std::unique_lock lock(mutex_);
    if (!came_.wait_for(lock, kLongestWait, [&] { return count_ >= count; })) return false;
    *last = last_;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  SteadyTime last_;
  int count_ = 0;
};

bool SendItem(api::Runtime& runtime, const char* id, int item, std::string_view more = "") {
  return runtime.Send(
      fmt::format(R"({{"id":"{}","page":"item","time_ms":{},"data":{{"item":{}{}}}}})", id,
                  WallMs(), item, more));
}

Status MeasureVisits(const std::string& folder, std::vector<Figure>* out) {
  FERRY_ASSIGN_OR_RETURN(const std::string package, PackIpv(folder));
  Results results;
  ferry_options options{};
  options.size = sizeof(options);
  const std::string outbox = folder + "/outbox.db";
  options.outbox_path = outbox.c_str();
  api::Runtime runtime([&](std::string_view json) { results.Take(json); }, &options);
  if (!runtime.ok() || !runtime.OpenTask(package))
    return Status::Of(Code::kInternal, "opening {}: {}", package, api::Runtime::error());
  std::vector<double> after_ms;
  for (int visit = 0; visit < kVisits; ++visit) {
    const int item = 100'001 + visit;
    bool sent = SendItem(runtime, "page_enter", item);
    for (int k = 0; k < 15; ++k)
      sent = sent && SendItem(runtime, "exposure", item,
                              fmt::format(R"(,"seen":{},"shown_ms":400)", 100'100 + k));
    // Nothing follows the exit: the worst case, where only the clock says that the visit is over.
    const SteadyTime exit = Now();
    sent = sent && SendItem(runtime, "page_exit", item);
    if (!sent) return Status(Code::kInternal, api::Runtime::error());
    SteadyTime came;
    if (!results.WaitFor(visit + 1, &came))
      return Status::Of(Code::kDeadlineExceeded, "visit {} had no result", visit);
    after_ms.push_back(std::chrono::duration<double, std::milli>(came - exit).count());
  }
  out->push_back({"ipv: model's result after page exit, p50", Percentile(after_ms, 0.5), "ms"});
  out->push_back({"ipv: model's result after page exit, p99", Percentile(after_ms, 0.99), "ms",
                  kMostAfterExitMs, true});
  return OkStatus();
}

Status WriteLarge(const std::string& path) {
  package::Manifest manifest;
  manifest.name = "large";
  manifest.version = "1.0.0";
  manifest.task = *ParseJson(R"({"script":"task.py","trigger":{"sequence":[{"event":"none"}]}})");
  Bytes bytes(kLargeBytes);
  sys::SeededRandom(3).Fill(bytes);
  constexpr std::string_view kScript = "def on_trigger(matched):\n    pass\n";
  return package::WritePackageFile(sys::SystemFileSystem(), path, manifest,
                                   {{"large.bin", bytes}, {"task.py", AsBytes(kScript)}});
}

// Sends events until `large` is open; appends how long each call took.
Status SendBeside(api::Runtime& runtime, const std::string& large, std::vector<double>* took_us) {
  std::atomic<bool> opened = false;
  std::string failed;
  std::thread opener([&] {
    if (!runtime.OpenTask(large)) failed = api::Runtime::error();
    opened = true;
  });
  Status status;
  while (!opened && status.ok()) {
    const std::string event = fmt::format(
        R"({{"id":"exposure","page":"item","time_ms":{},"data":{{"item":100001,"seen":100002}}}})",
        WallMs());
    const SteadyTime start = Now();
    if (!runtime.Send(event)) status = Status(Code::kInternal, api::Runtime::error());
    took_us->push_back(std::chrono::duration<double, std::micro>(Now() - start).count());
    std::this_thread::sleep_for(kBetweenSends);
  }
  opener.join();
  FERRY_TRY(status);
  return failed.empty() ? OkStatus() : Status(Code::kInternal, failed);
}

// All rounds' calls together: one opening has too few for a percentile.
Status MeasureSends(const std::string& folder, int rounds, std::vector<Figure>* out) {
  const std::string large = folder + "/large.fpk";
  FERRY_TRY(WriteLarge(large));
  std::vector<double> took_us;
  for (int round = 0; round < rounds; ++round) {
    api::Runtime runtime;
    if (!runtime.OpenTask(folder + "/ipv.fpk")) return Status(Code::kInternal, runtime.error());
    FERRY_TRY(SendBeside(runtime, large, &took_us));
  }
  out->push_back({"send, while 100 MB are opened: calls", static_cast<double>(took_us.size()), ""});
  out->push_back({"send, while 100 MB are opened, p50", Percentile(took_us, 0.5), "us"});
  out->push_back(
      {"send, while 100 MB are opened, p99", Percentile(took_us, 0.99), "us", kMostSendUs, true});
  return OkStatus();
}

}  // namespace

Status MeasureDevice(const Options& options, std::vector<Figure>* out) {
  const Scratch scratch;
  FERRY_TRY(MeasureVisits(scratch.path, out));
  return MeasureSends(scratch.path, options.rounds, out);
}

}  // namespace ferry::bench
