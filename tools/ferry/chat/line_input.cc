#include "tools/ferry/chat/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ferry::cli {

Result<LineInput::Got> LineInput::Next(std::string* line) {
  for (;;) {
    if (const size_t end = held_.find('\n'); end != std::string::npos) {
      *line = held_.substr(0, end);
      if (line->ends_with('\r')) line->pop_back();
      held_.erase(0, end + 1);
      return Got::kLine;
    }
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
    if ((ready[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) == 0) continue;
    char bytes[4096];
    const ssize_t count = ::read(descriptor_, bytes, sizeof bytes);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      return Status(Code::kIo, "standard input cannot be read");
    if (count == 0) ended_ = true;
    if (count > 0) held_.append(bytes, static_cast<size_t>(count));
  }
}

}  // namespace ferry::cli
