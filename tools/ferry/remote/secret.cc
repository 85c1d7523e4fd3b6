#include "tools/ferry/remote/secret.h"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "tools/ferry/signals.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxSecretBytes = 4096;

// While it lives the terminal shows nothing of what is typed. Ctrl-Z does nothing meanwhile: the
// shell would come back to a terminal that shows nothing.
class Hidden {
 public:
  explicit Hidden(int descriptor) : descriptor_(descriptor) {
    ok_ = ::tcgetattr(descriptor_, &before_) == 0;
    if (!ok_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK | ECHONL);
    quiet.c_lflag |= ICANON | ISIG;
    quiet.c_cc[VSUSP] = _POSIX_VDISABLE;
    ok_ = ::tcsetattr(descriptor_, TCSAFLUSH, &quiet) == 0;
  }
  ~Hidden() {
    if (ok_) (void)::tcsetattr(descriptor_, TCSAFLUSH, &before_);
  }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;
  bool ok() const { return ok_; }

 private:
  int descriptor_;
  termios before_{};
  bool ok_ = false;
};

// The line without its end; nothing when a signal came first.
Result<std::optional<std::string>> ReadTyped(int descriptor, Signals& signals) {
  std::string line;
  for (;;) {
    pollfd ready[2] = {{descriptor, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR)
      return Status(Code::kIo, "the terminal cannot be read");
    if (signals.count() > 0) return std::optional<std::string>();
    if (ready[0].revents == 0) continue;
    char bytes[256];
    const ssize_t count = ::read(descriptor, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Status(Code::kIo, "the terminal cannot be read");
    line.append(bytes, static_cast<size_t>(count));
    const size_t end = line.find('\n');
    if (end != std::string::npos) return std::optional<std::string>(line.substr(0, end));
    if (count == 0) return std::optional<std::string>(line);
    if (line.size() > kMaxSecretBytes)
      return Status::Of(Code::kLimitExceeded, "a password has at most {} bytes", kMaxSecretBytes);
  }
}

Result<std::string> AskOnTerminal(const std::string& prompt) {
  std::optional<std::string> typed;
  int signal = 0;
  {
    FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Signals> signals,
                           Signals::Catch({SIGINT, SIGTERM, SIGHUP, SIGQUIT}));
    const Hidden hidden(STDIN_FILENO);
    if (!hidden.ok())
      return Status(Code::kIo, "this terminal cannot hide what is typed: use the variable");
    std::cerr << prompt << ": " << std::flush;
    auto read = ReadTyped(STDIN_FILENO, *signals);
    std::cerr << std::endl;
    FERRY_ASSIGN_OR_RETURN(typed, std::move(read));
    signal = signals->last();
  }
  if (typed) return *std::move(typed);
  (void)::raise(signal);  // now that the terminal is as it was: the shell sees why it ended
  return Status(Code::kCancelled, "no password");
}

}  // namespace

Result<std::string> ReadSecret(const char* variable, const std::string& prompt) {
  if (const char* value = std::getenv(variable); value != nullptr) return std::string(value);
  std::string secret;
  if (::isatty(STDIN_FILENO) != 0) {
    FERRY_ASSIGN_OR_RETURN(secret, AskOnTerminal(prompt));
  } else {
    std::cerr << prompt << ": " << std::flush;
    std::getline(std::cin, secret);
  }
  if (secret.empty()) {
    return Status::Of(Code::kInvalidArgument, "no {} on standard input or in {}", prompt, variable);
  }
  return secret;
}

}  // namespace ferry::cli
