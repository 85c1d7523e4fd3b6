#include "tools/ferry/stream/run/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ferry::cli {
namespace {

constexpr size_t kReadBytes = 256 << 10;

}  // namespace

LineReader::LineReader(std::string path, int fd)
    : path_(std::move(path)), fd_(fd), buffer_(kMaxLineBytes + kReadBytes) {
  seekable_ = ::lseek(fd_, 0, SEEK_CUR) == 0;
}

LineReader::LineReader(LineReader&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      seekable_(other.seekable_),
      at_end_(other.at_end_),
      buffer_(std::move(other.buffer_)) {}

LineReader::~LineReader() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

Result<LineReader> LineReader::Open(const std::string& path) {
  if (path == "-") return LineReader("standard input", STDIN_FILENO);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return Status::Of(errno == ENOENT ? Code::kNotFound : Code::kIo, "opening {}: {}", path,
                      std::strerror(errno));
  return LineReader(path, fd);
}

Result<bool> LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  char* to = buffer_.data() + end_;
  const size_t room = std::min(buffer_.size() - end_, kReadBytes);
  if (replayed_ < kept_.size()) {
    const size_t count = std::min(room, kept_.size() - replayed_);
    std::memcpy(to, kept_.data() + replayed_, count);
    replayed_ += count;
    end_ += count;
    if (replayed_ == kept_.size()) Forget();
    return true;
  }
  ssize_t got = 0;
  while ((got = ::read(fd_, to, room)) < 0 && errno == EINTR) {
  }
  if (got < 0) return Status::Of(Code::kIo, "reading {}: {}", path_, std::strerror(errno));
  const auto count = static_cast<size_t>(got);
  if (keeps_ && !seekable_) {
    if (kept_.size() + count > kMaxKeptInput) lost_ = true;
    if (!lost_) kept_.append(to, count);
    replayed_ = kept_.size();
  }
  end_ += count;
  at_end_ = count == 0;
  return count > 0;
}

Result<bool> LineReader::SkipRest(Line* line) {
  const std::string start(buffer_.data() + begin_, kMaxLineBytes);
  line->bytes = 0;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const size_t size = found == nullptr ? end_ - begin_ : static_cast<size_t>(found - from);
    line->bytes += size;
    begin_ += size + (found == nullptr ? 0 : 1);
    if (found != nullptr) break;
    FERRY_ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) break;
  }
  // What was read behind it stays behind it: the line's start lies in front of the buffer's rest.
  const size_t rest = end_ - begin_;
  if (begin_ < kMaxLineBytes) {
    std::memmove(buffer_.data() + kMaxLineBytes, buffer_.data() + begin_, rest);
    begin_ = kMaxLineBytes;
    end_ = begin_ + rest;
  }
  std::memcpy(buffer_.data(), start.data(), kMaxLineBytes);
  line->text = {buffer_.data(), kMaxLineBytes};
  return true;
}

Result<bool> LineReader::Next(Line* line) {
  size_t searched = 0;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const size_t have = end_ - begin_;
    const auto* found =
        static_cast<const char*>(std::memchr(from + searched, '\n', have - searched));
    const bool is_last = found == nullptr && at_end_;
    if (is_last && have == 0) return false;
    if (found != nullptr || is_last) {
      const size_t size = found == nullptr ? have : static_cast<size_t>(found - from);
      if (size > kMaxLineBytes) return SkipRest(line);
      line->text = {from, size};
      line->bytes = size;
      begin_ += size + (found == nullptr ? 0 : 1);
      return true;
    }
    if (have > kMaxLineBytes) return SkipRest(line);
    searched = have;
    FERRY_TRY(Fill());
  }
}

Result<std::vector<std::string>> LineReader::Peek(size_t most) {
  std::vector<std::string> out;
  size_t at = 0;  // behind begin_
  while (out.size() < most) {
    const char* from = buffer_.data() + begin_ + at;
    const size_t have = end_ - begin_ - at;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', have));
    const bool full = end_ - begin_ > kMaxLineBytes;
    if (found == nullptr && !at_end_ && !full) {
      FERRY_TRY(Fill());
      continue;
    }
    if (found == nullptr && (full || have == 0)) break;
    const size_t size = found == nullptr ? have : static_cast<size_t>(found - from);
    out.emplace_back(from, size);
    at += size + (found == nullptr ? 0 : 1);
  }
  return out;
}

void LineReader::Forget() {
  keeps_ = false;
  kept_ = std::string();
  replayed_ = 0;
}

Status LineReader::Rewind() {
  begin_ = end_ = 0;
  at_end_ = false;
  keeps_ = false;
  if (!seekable_) {
    replayed_ = 0;
    if (lost_)
      return Status::Of(Code::kLimitExceeded,
                        "{} begins as what was taken before and then differs: give it as a file",
                        path_);
    return OkStatus();
  }
  if (::lseek(fd_, 0, SEEK_SET) < 0)
    return Status::Of(Code::kIo, "seeking in {}: {}", path_, std::strerror(errno));
  return OkStatus();
}

}  // namespace ferry::cli
