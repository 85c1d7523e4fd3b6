#include "cloud-server/rollout/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "cloud-server/rollout/confine.h"

namespace ferry::server {
namespace {

constexpr int kCannotStart = 127;
constexpr int kPollMs = 50;

struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    CloseEnd(0);
    CloseEnd(1);
  }
  void CloseEnd(int which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
  Status Open() {
    if (pipe2(ends, O_CLOEXEC) == 0) return OkStatus();
    return Status::Of(Code::kIo, "pipe: {}", strerror(errno));
  }
};

void Limit(int what, uint64_t value) {
  if (value == 0) return;
  rlimit limit{value, value};
  setrlimit(what, &limit);
}

// Runs between fork and exec: calls that are safe there only.
[[noreturn]] void Become(char* const* arguments, const ChildLimits& limits,
                         const Confinement& confinement, int out, int err) {
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDONLY);
  if (null >= 0) dup2(null, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (!confinement.TakeOn()) _exit(kCannotStart);
  // Sockets and files of the server stay out of the child; with the server it ends.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Limit(RLIMIT_AS, limits.max_memory);
  Limit(RLIMIT_FSIZE, limits.max_file);
  Limit(RLIMIT_NOFILE, limits.max_open_files);
  Limit(RLIMIT_CPU, static_cast<uint64_t>(limits.timeout_ms / 1000 + 1));
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // The server's environment may hold secrets of its operator.
  char* const nothing[] = {nullptr};
  execve(arguments[0], arguments, nothing);
  _exit(kCannotStart);
}

// Reads what is there; false at the end of the stream.
bool Drain(int fd, std::string* into) {
  std::array<char, 16384> piece;
  const ssize_t size = read(fd, piece.data(), piece.size());
  if (size > 0) into->append(piece.data(), static_cast<size_t>(size));
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

// Reads both streams to their ends, or until a limit.
Status Collect(Pipe& out, Pipe& err, const ChildLimits& limits, ChildResult* result) {
  const auto start = std::chrono::steady_clock::now();
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto spent_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - start)
                              .count();
    if (spent_ms >= limits.timeout_ms)
      return Status::Of(Code::kDeadlineExceeded, "it ran for more than {} ms", limits.timeout_ms);
    pollfd waits[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    if (poll(waits, 2, kPollMs) < 0 && errno != EINTR)
      return Status::Of(Code::kIo, "poll: {}", strerror(errno));
    if (waits[0].revents != 0 && !Drain(out.ends[0], &result->output)) out.CloseEnd(0);
    if (waits[1].revents != 0 && !Drain(err.ends[0], &result->errors)) err.CloseEnd(0);
    if (result->output.size() > limits.max_output || result->errors.size() > limits.max_output)
      return Status::Of(Code::kLimitExceeded, "it wrote more than {} bytes", limits.max_output);
  }
  return OkStatus();
}

}  // namespace

Result<ChildResult> RunChild(const std::vector<std::string>& arguments, const ChildLimits& limits) {
  if (access(arguments[0].c_str(), X_OK) != 0)
    return Status::Of(Code::kNotFound, "program {}: {}", arguments[0], strerror(errno));
  std::vector<std::string> readable = limits.readable;
  readable.push_back(arguments[0]);
  FERRY_ASSIGN_OR_RETURN(const Confinement confinement, Confinement::Make(readable));
  Pipe out, err;
  FERRY_TRY(out.Open());
  FERRY_TRY(err.Open());
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return Status::Of(Code::kIo, "fork: {}", strerror(errno));
  if (child == 0) Become(raw.data(), limits, confinement, out.ends[1], err.ends[1]);
  out.CloseEnd(1);
  err.CloseEnd(1);
  ChildResult result;
  Status status = Collect(out, err, limits, &result);
  if (!status.ok() && kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  FERRY_TRY(status.Context("program {}", arguments[0]));
  result.exit_code =
      WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  if (result.exit_code == kCannotStart && result.output.empty())
    return Status::Of(Code::kNotFound, "program {} cannot be started", arguments[0]);
  return result;
}

}  // namespace ferry::server
