#include "tools/ferry/chat/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ferry::cli {

bool LineInput::TakeHeld(std::string* line) {
  const size_t end = held_.find('\n');
  if (end == std::string::npos) return false;
  *line = held_.substr(0, end);
  if (line->ends_with('\r')) line->pop_back();
  held_.erase(0, end + 1);
  return true;
}

// What is there, once poll says that something is.
Status LineInput::Read() {
  char bytes[4096];
  const ssize_t count = ::read(descriptor_, bytes, sizeof bytes);
  if (count < 0 && errno != EINTR && errno != EAGAIN)
    return Status(Code::kIo, "standard input cannot be read");
  if (count == 0) ended_ = true;
  if (count > 0) held_.append(bytes, static_cast<size_t>(count));
  return OkStatus();
}

bool LineInput::TakeIf(std::string_view prefix, std::string* line) {
  pollfd ready{descriptor_, POLLIN, 0};
  // An error shows at the next Next.
  if (!ended_ && held_.size() <= kMaxLineBytes && ::poll(&ready, 1, 0) > 0 &&
      (ready.revents & POLLIN) != 0 && !Read().ok())
    return false;
  return held_.starts_with(prefix) && TakeHeld(line);
}

Result<LineInput::Got> LineInput::Next(std::string* line) {
  for (;;) {
    if (TakeHeld(line)) return Got::kLine;
    if (held_.size() > kMaxLineBytes)
      return Status::Of(Code::kLimitExceeded, "a line has at most {} bytes", kMaxLineBytes);
    if (ended_) {
      if (held_.empty()) return Got::kEnd;
      *line = std::exchange(held_, {});
      return Got::kLine;
    }
    pollfd ready[2] = {{descriptor_, POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR)
      return Status(Code::kIo, "waiting for standard input failed");
    if ((ready[1].revents & POLLIN) != 0) {
      signals_.Drain();
      return Got::kSignal;
    }
    if ((ready[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0) FERRY_TRY(Read());
  }
}

}  // namespace ferry::cli
