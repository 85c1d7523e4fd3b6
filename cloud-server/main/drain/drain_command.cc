#include "cloud-server/main/drain/drain_command.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include "cloud-server/main/backup/folder_lock.h"
#include "cloud-server/main/drain/drain.h"
#include "cloud-server/main/home.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr int64_t kTakeUpMs = 15'000;   // in which a running node begins
constexpr int64_t kOverdueMs = 60'000;  // after the time that was given

void Say(const DrainCommand& command, const std::string& text) {
  if (command.json) return;
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

// A server has its directory for as long as it runs.
bool IsRunning(const std::string& directory) {
  const auto lock = FolderLock::TakeHome(directory, "ferry-server drain", 0);
  return lock.code() == Code::kFailedPrecondition;
}

Result<std::optional<DrainProgress>> Look(const DrainCommand& command, const DrainOrder& order) {
  FERRY_ASSIGN_OR_RETURN(std::optional<DrainProgress> progress,
                         ReadProgress(sys::SystemFileSystem(), command.directory));
  if (progress && progress->asked_ms != order.asked_ms) progress.reset();  // of an order before
  return progress;
}

std::string LeftIn(const DrainProgress& progress) {
  std::string text = fmt::format("{} of {} devices are left", progress.left, progress.devices);
  if (progress.transfers > 0) text += fmt::format(", {} transfers", progress.transfers);
  return text;
}

Status Follow(const DrainCommand& command, const DrainOrder& order, DrainProgress* last) {
  const int64_t began_ms = sys::SystemClock().NowUnixMs();
  bool taken_up = false;
  for (std::string said;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kDrainLookMs));
    FERRY_ASSIGN_OR_RETURN(const auto progress, Look(command, order));
    const int64_t passed_ms = sys::SystemClock().NowUnixMs() - began_ms;
    if (progress) {
      taken_up = true;
      *last = *progress;
      const std::string left = LeftIn(*progress);
      if (said != left) Say(command, left);
      said = left;
      if (progress->done) return OkStatus();
    }
    if (!IsRunning(command.directory))
      return Status::Of(Code::kUnavailable, "the server of {} ended while it drained",
                        command.directory);
    if (!taken_up && passed_ms > kTakeUpMs)
      return Status::Of(Code::kDeadlineExceeded,
                        "what has {} does not drain: an older ferry-server, or another command",
                        command.directory);
    if (passed_ms > order.within_ms + kOverdueMs)
      return Status::Of(Code::kDeadlineExceeded, "{} devices are left", last->left);
  }
}

}  // namespace

Status RunDrain(const DrainCommand& command) {
  FERRY_TRY(AsStatus(OpenHome(sys::SystemFileSystem(), command.directory)));
  if (!IsRunning(command.directory))
    return Status::Of(Code::kFailedPrecondition, "no server runs in {}", command.directory);
  const int64_t began_ms = sys::SystemClock().NowUnixMs();
  const DrainOrder order{began_ms, command.within_s * 1000};
  FERRY_TRY(WriteOrder(sys::SystemFileSystem(), command.directory, order));
  DrainProgress last;
  FERRY_TRY(Follow(command, order, &last));
  const int64_t took_ms = sys::SystemClock().NowUnixMs() - began_ms;
  if (command.json) {
    const Json json = {{"devices", last.devices},
                       {"left", last.left},
                       {"transfers", last.transfers},
                       {"took_ms", took_ms}};
    std::printf("%s\n", WriteJson(json).c_str());
  } else {
    Say(command, "drained: the server may be stopped");
  }
  return OkStatus();
}

}  // namespace ferry::server
