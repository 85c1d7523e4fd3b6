#include "device-runtime/agent/pull/download.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/package/artefact.h"

namespace ferry::agent {

Download::Download(Options options, OnDone done)
    : options_(std::move(options)),
      done_(std::move(done)),
      backoff_(options_.backoff, *options_.random) {
  std::vector<trust::Mirror>& mirrors = options_.mirrors;
  if (mirrors.size() < 2) return;
  const auto first = static_cast<std::ptrdiff_t>(options_.random->Below(mirrors.size()));
  std::rotate(mirrors.begin(), mirrors.begin() + first, mirrors.end());
}

Download::~Download() {
  options_.executor->Cancel(timer_);
}

void Download::Start() {
  options_.executor->Post(alive_.Guard([this] { Try(); }));
}

void Download::Try() {
  const auto info = options_.fs->Stat(options_.path);
  have_ = info.ok() ? info->size : 0;
  if (have_ > options_.entry.length) {
    if (Status removed = options_.fs->Remove(options_.path); !removed.ok()) return Finish(removed);
    have_ = 0;
  }
  if (have_ == options_.entry.length) return Check();
  auto file = options_.fs->OpenForWrite(options_.path, sys::WriteMode::kAppend);
  if (!file.ok()) return Finish(file.status());
  file_ = std::move(file).value();
  pulled_before_ = pulled_;
  sent_to_.clear();
  const Origin origin = at_mirror() ? Origin{options_.mirrors[source_].at, ""} : options_.from();
  options_.dialer->Fetch(
      origin.at, Url(), have_, at_mirror() ? "" : "Bearer " + origin.token,
      alive_.GuardStatus([this](uint64_t offset, ByteView piece) { return OnData(offset, piece); }),
      alive_.Guard([this](const Status& end) { OnEnd(end); }),
      alive_.Guard([this](const std::string& place) { sent_to_ = place; }));
}

std::string Download::Url() const {
  const std::string path = "/content/" + ToHex(options_.entry.sha256);
  if (at_mirror()) return options_.mirrors[source_].prefix + path;
  return may_redirect_ ? path + sys::kMayRedirectQuery : path;
}

Status Download::OnData(uint64_t offset, ByteView piece) {
  if (offset != have_) {
    return Status::Of(Code::kMalformed, "the server sent byte {} instead of {}", offset, have_);
  }
  if (piece.size() > options_.entry.length - have_) {
    return Status::Of(Code::kCorruptContent, "the server sends more than the signed {} bytes",
                      options_.entry.length);
  }
  FERRY_TRY(file_->Append(piece));
  const std::string& elsewhere = at_mirror() ? options_.mirrors[source_].text : sent_to_;
  if (!elsewhere.empty() && (used_.empty() || used_.back() != elsewhere))
    used_.push_back(elsewhere);
  have_ += piece.size();
  pulled_ += piece.size();
  return OkStatus();
}

void Download::OnEnd(const Status& end) {
  Status stored = file_->Sync();
  if (Status closed = file_->Close(); stored.ok()) stored = closed;
  file_.reset();
  if (at_mirror() && stored.ok() && have_ < options_.entry.length) return LeaveMirror(end);
  if (at_mirror() && !end.ok()) return stored.ok() ? LeaveMirror(end) : Finish(stored);
  // What was sent on and failed comes from the server itself.
  const bool all = have_ == options_.entry.length;
  const bool may_redirect = std::exchange(may_redirect_, may_redirect_ && all);
  switch (end.code()) {
    case Code::kOk:
      if (!stored.ok()) return Finish(stored);
      if (all) return Check();
      return Again(
          Status::Of(Code::kTruncatedContent, "{} of {} bytes came", have_, options_.entry.length));
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kTruncatedContent:
      return Again(end);
    default:
      return may_redirect && stored.ok() && !all ? Try() : Finish(end);
  }
}

void Download::LeaveMirror(const Status& why) {
  LogInfo("agent", "mirror {}: {}; goes on elsewhere", options_.mirrors[source_].text,
          why.ok() ? "it has too little" : why.ToString());
  ++source_;
  Try();
}

void Download::Check() {
  const Status checked = package::CheckSealedFile(*options_.fs, options_.path, options_.entry);
  if (checked.ok() || (restarted_ && used_.empty())) return Finish(checked);
  if (Status removed = options_.fs->Remove(options_.path); !removed.ok()) return Finish(removed);
  if (checked.code() != Code::kCorruptContent) return Finish(checked);
  LogWarn("agent", "{}; once more from the start", checked.message());
  // What a mirror spoilt is no fault of the next one's, nor of the server's.
  if (used_.empty()) restarted_ = true;
  may_redirect_ = false;
  if (at_mirror()) ++source_;
  wrong_mirrors_.insert(wrong_mirrors_.end(), used_.begin(), used_.end());
  used_.clear();
  Try();
}

void Download::Again(const Status& why) {
  fruitless_ = pulled_ > pulled_before_ ? 0 : fruitless_ + 1;
  if (fruitless_ == 0) backoff_.Reset();
  if (fruitless_ >= kMaxFruitlessTries) {
    return Finish(Status::Of(Code::kUnavailable, "{} tries brought nothing, the last: {}",
                             fruitless_, why.ToString()));
  }
  timer_ = options_.executor->PostAfter(backoff_.NextMs(), alive_.Guard([this] { Try(); }));
}

void Download::Finish(const Status& status) {
  // `done_` may drop this object: nothing of it is touched afterwards.
  const OnDone done = std::move(done_);
  done(status);
}

}  // namespace ferry::agent
