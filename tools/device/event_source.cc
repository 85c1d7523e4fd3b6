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

EventSource::EventSource(sys::FileSystem& fs, std::string path, std::string position_file)
    : path_(std::move(path)), position_file_(fs, std::move(position_file)) {}

EventSource::~EventSource() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

Status EventSource::Open() {
  if (fd_ >= 0) return OkStatus();
  if (path_ == "-") {
    fd_ = STDIN_FILENO;
    return OkStatus();
  }
  const int fd = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return OkStatus();  // it will come
    return Status::Of(Code::kIo, "{}: {}", path_, std::strerror(errno));
  }
  fd_ = fd;
  struct stat info {};
  regular_ = ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
  if (!regular_) return OkStatus();
  const auto text = position_file_.Read(
      kMaxPositionBytes, [](ByteView candidate) { return OffsetIn(candidate).status(); });
  if (!position_file_.damage().empty()) LogWarn("device", "{}", position_file_.damage());
  if (text.code() == Code::kNotFound) return OkStatus();
  if (text.code() == Code::kCorruptContent) {
    LogError("device", "no position in {} is left; reading on from its end", path_);
    position_ = static_cast<uint64_t>(info.st_size);
    return OkStatus();
  }
  if (!text.ok()) return text.status();
  FERRY_ASSIGN_OR_RETURN(position_, OffsetIn(*text));
  saved_ = position_;
  if (position_ > static_cast<uint64_t>(info.st_size)) {
    LogWarn("device", "{} is shorter than what was read of it; reading from its start", path_);
    position_ = 0;
  }
  return OkStatus();
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

Status EventSource::Read(size_t max_lines,
                         const std::function<void(const std::string& line)>& take) {
  FERRY_TRY(Open());
  if (fd_ < 0) return OkStatus();
  for (size_t lines = 0; lines < max_lines;) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      if (!skipping_ && end > 0) {
        take(pending_.substr(0, end));
        ++lines;
      }
      skipping_ = false;
      pending_.erase(0, end + 1);
      position_ += end + 1;
      continue;
    }
    if (pending_.size() > kMaxLineBytes) {
      if (!skipping_)
        LogWarn("device", "{}: a line over {} bytes is skipped", path_, kMaxLineBytes);
      skipping_ = true;
      position_ += pending_.size();
      pending_.clear();
    }
    FERRY_ASSIGN_OR_RETURN(const size_t count, ReadPiece());
    if (count == 0) break;
  }
  return SavePosition();
}

Status EventSource::SavePosition() {
  if (!regular_ || position_ == saved_ || skipping_) return OkStatus();
  const Json json = {{"offset", position_}};
  FERRY_TRY(position_file_.Write(AsBytes(WriteJson(json))));
  saved_ = position_;
  return OkStatus();
}

}  // namespace ferry::device
