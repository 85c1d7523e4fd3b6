// ferry-tasks-bench: what an event costs through the SDK, with few and with many open tasks.
//
//   ferry-tasks-bench [--rounds N] [--json]
//
// Cases run in interleaved rounds, each an amount of events and a flush; a figure is the median
// over rounds of the processor time of the whole process for one event. Two runtimes live side by
// side, with 1 and with 50 tasks. Fails when a ratio is above its limit.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/filesystem.h"
#include "device-runtime/api/ferry.hpp"

namespace ferry {
namespace {

constexpr int kManyTasks = 50;
constexpr char kScript[] = "def on_trigger(matched):\n    return len(matched[-1]['data'])\n";

struct Case {
  std::string name;
  int events = 0;                         // of one round
  std::function<Status(int events)> run;  // all of them
  std::vector<double> microseconds;       // of one event, by round
};

// A ratio of two cases and what it may be at most; 0: told, not judged.
struct Floor {
  std::string of, to;
  double most;
};

const Floor kFloors[] = {{"unwanted 16 numbers, 50 tasks", "unwanted 16 numbers, 1 task", 1.5},
                         {"unwanted 4000 numbers, 50 tasks", "unwanted 4000 numbers, 1 task", 1.5},
                         {"unwanted 4000 numbers, 50 tasks", "bare parse of 4000 numbers", 2.0},
                         {"starts 1 of 50 tasks", "starts 1 of 1 task", 1.3},
                         {"starts each of 50 in turn, calm", "starts 1 of 1 task, calm", 0},
                         {"starts each of 50 tasks in turn", "starts 1 of 1 task", 0}};

double ProcessMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// An event's text with so many numbers, written as sensors write them.
std::string EventText(const std::string& id, int numbers) {
  Json data = Json::array();
  for (int k = 0; k < numbers; ++k) data.push_back(k * 0.37 + 0.001 * (k % 7));
  return WriteJson({{"id", id}, {"page", "scan"}, {"data", std::move(data)}});
}

Status SdkError() {
  return Status::Of(Code::kInternal, "{}", api::Runtime::error());
}

Result<std::string> WriteTask(const std::filesystem::path& folder, int number) {
  const std::string name = "task" + std::to_string(number);
  package::Manifest manifest;
  manifest.name = name;
  manifest.version = "1.0.0";
  manifest.task = {{"script", "task.py"},
                   {"trigger", {{"sequence", {{{"event", "start" + std::to_string(number)}}}}}}};
  const std::string path = folder / (name + ".fpk");
  FERRY_TRY(package::WritePackageFile(sys::SystemFileSystem(), path, manifest,
                                      {{"task.py", AsBytes(kScript)}}));
  return path;
}

Status Open(api::Runtime& runtime, const std::filesystem::path& folder, int tasks) {
  if (!runtime.ok()) return SdkError();
  for (int k = 0; k < tasks; ++k) {
    FERRY_ASSIGN_OR_RETURN(const std::string path, WriteTask(folder, k));
    if (!runtime.OpenTask(path)) return SdkError();
  }
  return OkStatus();
}

// Sends the texts in turn, `events` in all, and waits for what they start: for each before the next
// when `calm`, so that every event finds its task asleep, else for all together.
Status Send(api::Runtime& runtime, const std::vector<std::string>& texts, int events, bool calm) {
  for (int k = 0; k < events; ++k) {
    if (!runtime.Send(texts[static_cast<size_t>(k) % texts.size()])) return SdkError();
    if ((calm || k + 1 == events) && !runtime.Flush()) return SdkError();
  }
  return OkStatus();
}

Status BareParse(const std::string& text, int events) {
  for (int k = 0; k < events; ++k) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return Status(Code::kMalformed, "the event is no JSON");
  }
  return OkStatus();
}

std::vector<Case> MakeCases(api::Runtime& one, api::Runtime& many) {
  constexpr int kSmall = 2000, kLarge = 40, kStarts = 500;
  const auto sends = [](api::Runtime& runtime, std::vector<std::string> texts, bool calm = false) {
    return
        [&runtime, texts = std::move(texts), calm](int n) { return Send(runtime, texts, n, calm); };
  };
  const std::string small = EventText("nobody", 16), large = EventText("nobody", 4000);
  std::vector<std::string> each;
  for (int k = 0; k < kManyTasks; ++k) each.push_back(EventText("start" + std::to_string(k), 16));
  std::vector<Case> cases;
  const auto add = [&cases](std::string name, int events, std::function<Status(int)> run) {
    cases.push_back({std::move(name), events, std::move(run), {}});
  };
  add("unwanted 16 numbers, 1 task", kSmall, sends(one, {small}));
  add("unwanted 16 numbers, 50 tasks", kSmall, sends(many, {small}));
  add("unwanted 4000 numbers, 1 task", kLarge, sends(one, {large}));
  add("unwanted 4000 numbers, 50 tasks", kLarge, sends(many, {large}));
  add("bare parse of 4000 numbers", kLarge, [large](int n) { return BareParse(large, n); });
  add("starts 1 of 1 task", kStarts, sends(one, {each[0]}));
  add("starts 1 of 50 tasks", kStarts, sends(many, {each[0]}));
  add("starts each of 50 tasks in turn", kStarts, sends(many, each));
  add("starts 1 of 1 task, calm", kStarts, sends(one, {each[0]}, true));
  add("starts each of 50 in turn, calm", kStarts, sends(many, each, true));
  return cases;
}

Status Measure(std::vector<Case>& cases, int rounds) {
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    for (Case& one : cases) {
      const double start = ProcessMicroseconds();
      FERRY_TRY(one.run(one.events).Context("{}", one.name));
      const double took = ProcessMicroseconds() - start;
      if (round >= 0) one.microseconds.push_back(took / one.events);
    }
  }
  return OkStatus();
}

// Prints all and returns whether the limits hold.
bool Print(const std::vector<Case>& cases, bool json) {
  std::map<std::string, double> figures;
  Json out = {{"microseconds", Json::object()}, {"ratios", Json::array()}};
  for (const Case& one : cases) {
    figures[one.name] = Median(one.microseconds);
    out["microseconds"][one.name] = figures[one.name];
    if (!json) std::printf("%-34s %10.2f us an event\n", one.name.c_str(), figures[one.name]);
  }
  bool holds = true;
  if (!json) std::printf("\n");
  for (const Floor& floor : kFloors) {
    const double ratio = figures[floor.of] / figures[floor.to];
    const bool good = floor.most == 0 || ratio <= floor.most;
    holds = holds && good;
    out["ratios"].push_back({{"of", floor.of}, {"to", floor.to}, {"ratio", ratio}});
    if (floor.most > 0) out["ratios"].back()["at_most"] = floor.most;
    if (json) continue;
    std::printf("%-34s : %-30s %6.2f", floor.of.c_str(), floor.to.c_str(), ratio);
    if (floor.most > 0) std::printf("  (at most %.1f%s)", floor.most, good ? "" : ": MISSED");
    std::printf("\n");
  }
  out["holds"] = holds;
  if (json) std::printf("%s\n", WriteJson(out).c_str());
  return holds;
}

Result<bool> Run(const std::filesystem::path& folder, int rounds, bool json) {
  api::Runtime one, many;
  FERRY_TRY(Open(one, folder, 1));
  FERRY_TRY(Open(many, folder, kManyTasks));
  std::vector<Case> cases = MakeCases(one, many);
  FERRY_TRY(Measure(cases, rounds));
  return Print(cases, json);
}

int Main(int argc, char** argv) {
  int rounds = 15;
  bool json = false;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--json") {
      json = true;
    } else if (word == "--rounds" && k + 1 < argc) {
      const std::string_view count = argv[++k];
      std::from_chars(count.data(), count.data() + count.size(), rounds);
    } else {
      std::fprintf(stderr, "usage: tools/dev bench tasks [--rounds N] [--json]\n");
      return word == "--help" || word == "-h" ? 0 : 2;
    }
  }
  const auto folder =
      std::filesystem::temp_directory_path() / ("ferry-tasks-bench-" + std::to_string(::getpid()));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const Result<bool> holds = Run(folder, std::max(rounds, 1), json);
  std::filesystem::remove_all(folder, error);
  if (!holds.ok())
    std::fprintf(stderr, "ferry-tasks-bench: %s\n", holds.status().ToString().c_str());
  return holds.value_or(false) ? 0 : 1;
}

}  // namespace
}  // namespace ferry

int main(int argc, char** argv) {
  return ferry::Main(argc, argv);
}
