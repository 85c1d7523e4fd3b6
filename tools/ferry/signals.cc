#include "tools/ferry/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace ferry::cli {
namespace {

// A handler has no argument of its own: the one Signals alive writes here.
std::atomic<int> signal_count{0};
std::atomic<int> last_signal{0};
int pipe_ends[2] = {-1, -1};

void Handle(int signal) {
  const int error = errno;
  last_signal.store(signal);
  signal_count.fetch_add(1);
  const char byte = 0;
  [[maybe_unused]] const ssize_t ignored = ::write(pipe_ends[1], &byte, 1);
  errno = error;
}

}  // namespace

struct Signals::Saved {
  int signal;
  struct sigaction before;
};

Result<std::unique_ptr<Signals>> Signals::Catch(std::initializer_list<int> signals) {
  if (pipe_ends[0] >= 0) return Status(Code::kInternal, "signals are caught already");
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Status(Code::kIo, "a pipe for signals cannot be had");
  signal_count = 0;
  last_signal = 0;
  std::unique_ptr<Signals> caught(new Signals());
  for (const int signal : signals) {
    struct sigaction action {};
    action.sa_handler = Handle;
    ::sigemptyset(&action.sa_mask);
    Saved saved{signal, {}};
    if (::sigaction(signal, &action, &saved.before) != 0)
      return Status::Of(Code::kInternal, "signal {} cannot be caught", signal);
    caught->saved_.push_back(saved);
  }
  return caught;
}

Signals::~Signals() {
  for (const Saved& saved : saved_) ::sigaction(saved.signal, &saved.before, nullptr);
  for (int& end : pipe_ends) {
    ::close(end);
    end = -1;
  }
}

int Signals::count() const {
  return signal_count.load();
}

int Signals::last() const {
  return last_signal.load();
}

int Signals::descriptor() const {
  return pipe_ends[0];
}

void Signals::Reset() {
  signal_count = 0;
  Drain();
}

void Signals::Drain() {
  char bytes[64];
  while (::read(pipe_ends[0], bytes, sizeof bytes) > 0) {
  }
}

void Signals::Wait() {
  while (count() == 0) {
    pollfd ready{pipe_ends[0], POLLIN, 0};
    ::poll(&ready, 1, -1);
  }
}

}  // namespace ferry::cli
