#include "cloud-server/have/door.h"

#include <algorithm>

#include "cloud-server/have/news.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"
#include "common/proto/have_text.h"

namespace ferry::server {

Status HaveDoor::Refresh() {
  const auto fresh = [this] {
    const std::lock_guard lock(mutex_);
    const int64_t age_ns = parts_.clock->MonotonicNs() - read_ns_;
    return known_.catalogue != nullptr && age_ns < kHaveFreshMs * 1'000'000;
  };
  if (fresh()) return OkStatus();
  std::unique_lock refresh(refresh_, std::try_to_lock);
  if (!refresh.owns_lock()) {
    const bool nothing_known = [this] {
      const std::lock_guard lock(mutex_);
      return known_.catalogue == nullptr;
    }();
    if (!nothing_known) return OkStatus();
    refresh.lock();
  }
  if (fresh()) return OkStatus();
  // The releases first: a device that is newer than they are is asked about again.
  FERRY_ASSIGN_OR_RETURN(const Rollout::Known releases, parts_.rollout->Latest());
  FERRY_TRY(parts_.fleet->Look([](const fleet::Devices&) { return OkStatus(); }));
  const std::lock_guard lock(mutex_);
  known_ = {releases.catalogue, releases.generation};
  read_ns_ = parts_.clock->MonotonicNs();
  return OkStatus();
}

Result<std::vector<std::string>> HaveDoor::Answer(const std::vector<std::string>& texts) {
  if (texts.size() > kMaxHaveTexts)
    return Status::Of(Code::kLimitExceeded, "texts: {}, at most {}", texts.size(), kMaxHaveTexts);
  const Status read = Refresh();
  Known known;
  {
    const std::lock_guard lock(mutex_);
    known = known_;
  }
  if (known.catalogue == nullptr) return read;
  if (!read.ok()) LogWarn("have", "answered by what was known before: {}", read.ToString());
  const int64_t now_ms = parts_.clock->NowUnixMs();
  std::vector<std::string> answers(texts.size());
  FERRY_TRY(parts_.fleet->LookAsItWas([&](const fleet::Devices& devices) {
    for (size_t i = 0; i < texts.size(); ++i)
      answers[i] = AnswerOf(texts[i], known, devices, now_ms);
    return OkStatus();
  }));
  answered_ += static_cast<int64_t>(answers.size());
  told_ += std::count_if(answers.begin(), answers.end(),
                         [](const std::string& answer) { return !answer.empty(); });
  return answers;
}

std::string HaveDoor::AnswerOf(const std::string& text, const Known& known,
                               const fleet::Devices& devices, int64_t now_ms) const {
  const std::optional<Have> have = OpenHave(*parts_.secret, text, now_ms);
  // Who was answered from the same releases has been told all that they say, also what it could not
  // do.
  if (!have || have->generation == known.generation) return {};
  const fleet::Device* device = fleet::FindDevice(devices, have->device);
  if (device == nullptr || device->blocked) return {};
  if (!MayHaveNews(*known.catalogue, *device, device->running)) return {};
  return proto::ToText({std::string(proto::HaveNameOf(text)), kTakeWithinS});
}

}  // namespace ferry::server
