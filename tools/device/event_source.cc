#include "tools/device/event_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/buffers.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "device-runtime/agent/state/twin_file.h"

namespace ferry::device {

namespace {

constexpr uint64_t kMaxPositionBytes = 4096;

Result<uint64_t> OffsetIn(ByteView text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  FERRY_ASSIGN_OR_RETURN(const int64_t offset, GetInt(json, "offset"));
  if (offset < 0) return Status::Of(Code::kMalformed, "offset {} is no position", offset);
  return static_cast<uint64_t>(offset);
}

}  // namespace

EventSource::EventSource(sys::FileSystem& fs, std::string path, std::string position_file,
                         store::Outbox& outbox)
    : fs_(fs), path_(std::move(path)), position_file_(std::move(position_file)), outbox_(outbox) {}

EventSource::~EventSource() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

Status EventSource::Open() {
  if (fd_ >= 0) return OkStatus();
  if (path_ == "-") {
    FERRY_TRY(OpenSpool());
    fd_ = STDIN_FILENO;
    return OkStatus();
  }
  const int fd = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return OkStatus();  // it will come
    return Status::Of(Code::kIo, "{}: {}", path_, std::strerror(errno));
  }
  struct stat info {};
  regular_ = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  const Status opened = regular_ ? OpenFile(static_cast<uint64_t>(info.st_size)) : OpenSpool();
  if (opened.ok())
    fd_ = fd;
  else
    ::close(fd);
  return opened;
}

Status EventSource::OpenFile(uint64_t size) {
  FERRY_ASSIGN_OR_RETURN(const auto saved, outbox_.OpenLog(path_));
  if (saved) {
    position_ = *saved;
  } else {
    FERRY_ASSIGN_OR_RETURN(position_, OldPosition(size));
    FERRY_TRY(outbox_.ResetLog(position_));
    for (const std::string& copy : {position_file_, position_file_ + agent::kSecondCopy})
      if (sys::Exists(fs_, copy)) FERRY_TRY(fs_.Remove(copy));
  }
  if (position_ > size) {
    LogWarn("device", "{} is shorter than what was read of it; reading from its start", path_);
    position_ = 0;
    FERRY_TRY(outbox_.ResetLog(0));
  }
  return OkStatus();
}

Status EventSource::OpenSpool() {
  FERRY_ASSIGN_OR_RETURN(const auto saved, outbox_.OpenLog(store::kSpoolLog));
  given_ = saved.value_or(0);
  all_given_ = false;
  return OkStatus();
}

Result<uint64_t> EventSource::OldPosition(uint64_t size) {
  agent::TwinFile file(fs_, position_file_);
  const auto text =
      file.Read(kMaxPositionBytes, [](ByteView candidate) { return OffsetIn(candidate).status(); });
  if (!file.damage().empty()) LogWarn("device", "{}", file.damage());
  if (text.code() == Code::kNotFound) return uint64_t{0};
  if (text.code() == Code::kCorruptContent) {
    LogError("device", "no position in {} is left; reading on from its end", path_);
    return size;
  }
  FERRY_TRY(text);
  return OffsetIn(*text);
}

Result<size_t> EventSource::ReadPiece() {
  char piece[64 << 10];
  const size_t size = BufferBytes(sizeof piece);
  ssize_t count = 0;
  if (regular_) {
    count = ::pread(fd_, piece, size, static_cast<off_t>(position_ + pending_.size()));
  } else {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return size_t{0};
    count = ::read(fd_, piece, size);
  }
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return size_t{0};
    return Status::Of(Code::kIo, "{}: {}", path_, std::strerror(errno));
  }
  pending_.append(piece, static_cast<size_t>(count));
  return static_cast<size_t>(count);
}

Result<std::optional<EventSource::Line>> EventSource::NextLine() {
  while (true) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      Line line{pending_.substr(0, skipping_ ? 0 : end), position_ + end + 1};
      skipping_ = false;
      pending_.erase(0, end + 1);
      position_ += end + 1;
      return std::optional(std::move(line));
    }
    if (pending_.size() > kMaxLineBytes) {
      if (!skipping_)
        LogWarn("device", "{}: a line over {} bytes is skipped", path_, kMaxLineBytes);
      skipping_ = true;
      position_ += pending_.size();
      pending_.clear();
    }
    FERRY_ASSIGN_OR_RETURN(const size_t count, ReadPiece());
    if (count == 0) return std::optional<Line>();
  }
}

Status EventSource::Read(size_t max_lines, const Take& take) {
  FERRY_TRY(Open());
  if (fd_ < 0) return OkStatus();
  if (regular_) return ReadFileLines(max_lines, take);
  const Status spooled = SpoolLines(max_lines);
  FERRY_TRY(GiveSpooled(max_lines, take));
  return spooled;
}

Status EventSource::ReadFileLines(size_t max_lines, const Take& take) {
  for (size_t lines = 0; lines < max_lines;) {
    FERRY_ASSIGN_OR_RETURN(const auto line, NextLine());
    if (!line) break;
    if (line->text.empty()) continue;
    take(line->text, line->end);
    ++lines;
  }
  return OkStatus();
}

// A pipe does not give its lines again: the spool has them before anyone sees them. While it is
// full, the pipe is not read.
Status EventSource::SpoolLines(size_t max_lines) {
  size_t bytes = 0;
  while (unspooled_.size() < max_lines && bytes < kMaxSpoolBytes) {
    FERRY_ASSIGN_OR_RETURN(auto line, NextLine());
    if (!line) break;
    if (line->text.empty()) continue;
    bytes += line->text.size();
    unspooled_.push_back(std::move(line->text));
  }
  if (unspooled_.empty()) return OkStatus();
  const auto first = outbox_.Spool(unspooled_);
  if (first.code() == Code::kLimitExceeded) return OkStatus();
  FERRY_TRY(first);
  unspooled_.clear();
  all_given_ = false;
  return OkStatus();
}

Status EventSource::GiveSpooled(size_t max_lines, const Take& take) {
  if (all_given_) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const auto events, outbox_.ReadSpool(given_, max_lines, kMaxSpoolBytes));
  all_given_ = events.empty();
  for (const store::SpooledEvent& event : events) {
    given_ = event.number;
    take(event.json, event.number);
  }
  return OkStatus();
}

}  // namespace ferry::device
