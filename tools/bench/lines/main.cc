// ferry-lines: opens many devices' lines to a server from one process, for measurements and drills.
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <iostream>
#include <string>
#include <thread>

#include "common/base/json.h"
#include "tools/bench/lines/fleet.h"
#include "tools/bench/lines/handshakes.h"

namespace ferry::lines {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20);
constexpr int64_t kMostWaitMs = 120'000;  // for wake-ups

int64_t SinceMs(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               begun)
      .count();
}

void RaiseFileLimit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

FleetState StateOf(sys::Executor& executor, const Fleet& fleet) {
  std::promise<FleetState> answer;
  executor.Post([&] { answer.set_value(fleet.state()); });
  return answer.get_future().get();
}

void PrintState(const FleetState& state, int64_t took_ms) {
  const Json json = {{"up", state.up},
                     {"broken", state.broken},
                     {"failed", state.failed},
                     {"why", state.why},
                     {"took_ms", took_ms}};
  std::printf("%s\n", WriteJson(json).c_str());
  std::fflush(stdout);
}

// When wake-ups came: milliseconds of the monotonic clock.
Json WokenOf(const FleetState& state) {
  std::vector<int64_t> at = state.woken_ns;
  std::sort(at.begin(), at.end());
  Json ms = Json::array();
  for (const int64_t ns : at) ms.push_back(static_cast<double>(ns) / 1e6);
  return ms;
}

// Waits until `count` lines are up; answers each line of standard input: "wait N" when N are up,
// "woken N" when N wake-ups came, with the monotonic time of each in milliseconds, anything else at
// once. Ends with standard input.
Status Hold(const FleetOptions& options) {
  net::IoThreads io;
  const auto executor = sys::StartThreadExecutor("fleet");
  auto fleet = std::make_unique<Fleet>(options, io, *executor);
  std::promise<Status> started;
  executor->Post([&] { started.set_value(fleet->Start()); });
  FERRY_TRY(started.get_future().get());
  const auto begun = std::chrono::steady_clock::now();
  const auto wait_for = [&](int64_t up) {
    while (StateOf(*executor, *fleet).up < up) std::this_thread::sleep_for(kLook);
  };
  wait_for(options.count);
  PrintState(StateOf(*executor, *fleet), SinceMs(begun));
  for (std::string line; std::getline(std::cin, line);) {
    const auto asked = std::chrono::steady_clock::now();
    if (line.starts_with("woken ")) {
      const auto count = static_cast<size_t>(std::atoll(line.c_str() + 6));
      while (StateOf(*executor, *fleet).woken_ns.size() < count && SinceMs(asked) < kMostWaitMs)
        std::this_thread::sleep_for(kLook);
      std::printf("%s\n", WriteJson(WokenOf(StateOf(*executor, *fleet))).c_str());
      std::fflush(stdout);
      continue;
    }
    if (line.starts_with("wait ")) wait_for(std::atoll(line.c_str() + 5));
    PrintState(StateOf(*executor, *fleet), SinceMs(asked));
  }
  std::promise<void> gone;
  executor->Post([&] {
    fleet.reset();
    gone.set_value();
  });
  gone.get_future().wait();
  return OkStatus();
}

Status Run(const std::string& token, FleetOptions options, bool handshakes) {
  RaiseFileLimit();
  FERRY_ASSIGN_OR_RETURN(options.token, trust::JoinTokenFromText(token));
  if (!handshakes) return Hold(options);
  FERRY_ASSIGN_OR_RETURN(const HandshakeFigures figures,
                         MeasureHandshakes(options.token, options.count, options.resume));
  const Json json = {{"handshakes", figures.count},
                     {"resume", options.resume},
                     {"per_second", figures.per_second},
                     {"cpu_us", figures.cpu_us}};
  std::printf("%s\n", WriteJson(json).c_str());
  return OkStatus();
}

int Main(int argc, char** argv) {
  CLI::App app{"Opens many devices' lines to a server from one process."};
  app.footer(
      "Example: ferry-lines \"$(ferry-server join-token --dir srv --uses 5000)\" --count 5000\n"
      "Prints one JSON object when all lines are up and one for each line of standard input, at "
      "whose end it ends.");
  std::string token;
  FleetOptions options;
  bool handshakes = false, stay = false, no_resume = false;
  app.add_option("token", token, "Join token with enough uses")->required();
  app.add_option("--count", options.count, "Lines, or handshakes")->required();
  app.add_option("--at-once", options.at_once, "Lines being opened at once")->capture_default_str();
  app.add_flag("--stay-away", stay, "A line that breaks is not opened again");
  app.add_flag("--handshakes", handshakes, "Open and close lines one after another, and time it");
  app.add_flag("--no-resume", no_resume, "Offer no TLS session");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  options.come_back = !stay;
  options.resume = !no_resume;
  const Status status = Run(token, options, handshakes);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ferry-lines: %s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace ferry::lines

int main(int argc, char** argv) {
  return ferry::lines::Main(argc, argv);
}
