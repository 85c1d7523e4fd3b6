#include "cloud-server/gateway/starts.h"

#include <algorithm>

#include "cloud-server/gateway/session.h"

namespace ferry::server {

StartFinding JudgeStart(const std::vector<std::string>& known, const std::string& start,
                        const std::string& previous) {
  const auto has = [&known](const std::string& id) {
    return std::find(known.begin(), known.end(), id) != known.end();
  };
  if (start.empty()) return StartFinding::kKnown;
  if (known.empty()) return StartFinding::kNext;
  if (known.front() == start) return StartFinding::kKnown;
  if (has(start)) return StartFinding::kCopied;
  if (known.front() == previous) return StartFinding::kNext;
  return has(previous) ? StartFinding::kRestored : StartFinding::kUnknown;
}

Status Session::NoteStart(const proto::Auth& auth) {
  const auto text_of = [](const std::string& id) {
    return id.size() == kStartIdBytes ? ToHex(AsBytes(id)) : std::string();
  };
  const std::string start = text_of(auth.start_id()), previous = text_of(auth.previous_start_id());
  StartFinding found = StartFinding::kKnown;
  const auto judge = [&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto known, tx.devices().Starts(device_));
    found = JudgeStart(known, start, previous);
    return OkStatus();
  };
  FERRY_TRY(options().store->Read(judge));
  if (found == StartFinding::kKnown) return OkStatus();
  const int64_t now_ms = options().clock->NowUnixMs();
  FERRY_TRY(options().store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(judge(tx));
    if (found == StartFinding::kRestored)
      FERRY_TRY(tx.devices().PutState({device_, "restored", now_ms}));
    if (found == StartFinding::kCopied)
      FERRY_TRY(tx.devices().PutState({device_, "copied", now_ms}));
    return tx.devices().PutStart(device_, start, now_ms);
  }));
  if (found == StartFinding::kRestored)
    NoteRefusal("state", "its state, which is older than its last start: restored or copied");
  if (found == StartFinding::kCopied)
    NoteRefusal("state", fmt::format("{} at {}: two processes run on copies of its state",
                                     InfoOf(Code::kStateCopied).name, channel_->peer()));
  return OkStatus();
}

}  // namespace ferry::server
