#include "tools/ferry/remote/watch.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr int kExitInterrupted = 130;
constexpr int kMostUnexplained = 30;  // answers in a row that say nothing, as a proxy's

struct WatchOptions {
  std::string id;
  double interval_s = 1;
};

bool HasEnded(std::string_view state) {
  for (const char* end :
       {"complete", "rolled_back", "stopped", "failed_simulation", "superseded", "killed"})
    if (state == end) return true;
  return false;
}

// Each line leaves at once, so that nothing is lost when Ctrl-C ends the program.
void PutLine(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void EndAtOnce(int) {
  ::_exit(kExitInterrupted);
}

class Watch {
 public:
  explicit Watch(bool json) : json_(json) {}

  // What is new since the last look, a line each.
  Status Look(const Json& release) {
    FERRY_ASSIGN_OR_RETURN(const std::string state, GetString(release, "state"));
    FERRY_ASSIGN_OR_RETURN(const Json* events, GetArrayOrNull(release, "events"));
    bool told = false;
    for (size_t i = 0; events != nullptr && i < events->size(); ++i) {
      const Json& event = (*events)[i];
      FERRY_ASSIGN_OR_RETURN(const int64_t seq, GetIntOr(event, "seq", 0));
      if (seq <= last_seq_) continue;
      last_seq_ = seq;
      FERRY_ASSIGN_OR_RETURN(const int64_t time_ms, GetIntOr(event, "time_ms", 0));
      Tell(release, time_ms, Field(event, "kind"), Field(event, "text"));
      told = true;
    }
    const int64_t now_ms = sys::SystemClock().NowUnixMs();
    if (!told && state != state_) Tell(release, now_ms, "state", state);
    const std::string counts = Field(release, "counts");
    if (counts != counts_ && counts != "-") Tell(release, now_ms, "counts", counts);
    state_ = state;
    counts_ = counts;
    return OkStatus();
  }

  const std::string& state() const { return state_; }

 private:
  void Tell(const Json& release, int64_t time_ms, const std::string& kind,
            const std::string& text) const {
    if (!json_) return PutLine(fmt::format("{} {:<12} {}", trust::FormatTime(time_ms), kind, text));
    Json line = {{"time_ms", time_ms}, {"kind", kind}, {"text", text}};
    for (const char* key : {"id", "state", "stage", "counts"})
      if (release.contains(key)) line[key] = release[key];
    PutLine(WriteJson(line));
  }

  bool json_;
  int64_t last_seq_ = 0;
  std::string state_, counts_;
};

// Goes on through restarts of the server: it says once that there is no answer, and once that there
// is one again.
class Patience {
 public:
  // Whether to ask again after this answer.
  bool Bears(const Status& status) {
    if (status.ok()) {
      if (waiting_) Say("the server answers again");
      waiting_ = false;
      unexplained_ = 0;
      return true;
    }
    if (status.code() != Code::kUnavailable &&
        (status.code() != Code::kInternal || ++unexplained_ > kMostUnexplained))
      return false;
    if (!waiting_) Say(status.message() + "; asking again until it answers");
    waiting_ = true;
    return true;
  }

 private:
  static void Say(const std::string& text) {
    std::fprintf(stderr, "ferry: %s\n", Visible(text).c_str());
  }
  bool waiting_ = false;
  int unexplained_ = 0;
};

Result<Output> WatchRelease(const WatchOptions& options, const GlobalOptions& global) {
  struct sigaction end {};
  end.sa_handler = EndAtOnce;
  ::sigaction(SIGINT, &end, nullptr);
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(const std::string id, ReleaseId(api, options.id));
  const std::string path = "/releases/" + PathPart(id);
  Watch watch(global.json);
  Patience patience;
  FERRY_ASSIGN_OR_RETURN(Json release, api.Get(path));
  for (;;) {
    FERRY_TRY(watch.Look(release));
    if (HasEnded(watch.state())) break;
    Status asked = OkStatus();
    do {
      std::this_thread::sleep_for(std::chrono::duration<double>(options.interval_s));
      Result<Json> answer = api.Get(path);
      asked = answer.ok() ? OkStatus() : answer.status();
      if (answer.ok()) release = *std::move(answer);
      if (!patience.Bears(asked)) return asked;
    } while (!asked.ok());
  }
  Output out{{{"kind", "end"}, {"id", id}, {"state", watch.state()}},
             fmt::format("{} is {}\n", id, watch.state())};
  out.exit = watch.state() == "complete" ? 0 : 1;
  return out;
}

}  // namespace

void AddReleaseWatch(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App* watch = commands.AddOnline(
      group, "watch",
      "follow a release to its end, a line a change: status 0 complete, 1 stopped or taken back",
      "ferry release watch digits-2.0.0-1 --json",
      [options](const GlobalOptions& global) { return WatchRelease(*options, global); });
  watch->add_option("id", options->id, "the release")->required();
  watch->add_option("--interval", options->interval_s, "seconds between two looks")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
}

}  // namespace ferry::cli
