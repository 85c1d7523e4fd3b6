#include "cloud-server/rollout/child/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "cloud-server/rollout/child/become.h"

namespace ferry::server {
namespace {

constexpr int kPollMs = 50;

// A descriptor above all that the child uses.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  // Takes `fd` over; kIo also when it is none.
  Status Take(int fd, const std::string& name) {
    Close();
    fd_ = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, kProgramDescriptor + 1);
    const int error = errno;
    if (fd >= 0) close(fd);
    if (fd_ >= 0) return OkStatus();
    return Status::Of(Code::kIo, "{}: {}", name, strerror(error));
  }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor reading, writing;
  Status Open() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return Status::Of(Code::kIo, "pipe: {}", strerror(errno));
    Status first = reading.Take(ends[0], "pipe");
    Status second = writing.Take(ends[1], "pipe");
    return first.ok() ? second : first;
  }
};

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
  while (out.reading.get() >= 0 || err.reading.get() >= 0) {
    const auto spent_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - start)
                              .count();
    if (spent_ms >= limits.timeout_ms)
      return Status::Of(Code::kDeadlineExceeded, "it ran for more than {} ms", limits.timeout_ms);
    pollfd waits[2] = {{out.reading.get(), POLLIN, 0}, {err.reading.get(), POLLIN, 0}};
    if (poll(waits, 2, kPollMs) < 0 && errno != EINTR)
      return Status::Of(Code::kIo, "poll: {}", strerror(errno));
    if (waits[0].revents != 0 && !Drain(out.reading.get(), &result->output)) out.reading.Close();
    if (waits[1].revents != 0 && !Drain(err.reading.get(), &result->errors)) err.reading.Close();
    if (result->output.size() > limits.max_output || result->errors.size() > limits.max_output)
      return Status::Of(Code::kLimitExceeded, "it wrote more than {} bytes", limits.max_output);
  }
  return OkStatus();
}

int Wait(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// All that must be open, and made, before the fork.
struct Start {
  Pipe out, err, failed;
  Descriptor program, input, second_input;
  ChildParts parts;

  Status Prepare(const std::string& path, const ChildLimits& limits) {
    parts.user = ChildUser::Choose();
    parts.limits = limits;
    std::vector<std::string> readable = {path};
    FERRY_TRY(HandOver(limits.input, &input, &readable));
    FERRY_TRY(HandOver(limits.second_input, &second_input, &readable));
    FERRY_TRY(program.Take(open(path.c_str(), O_RDONLY | O_CLOEXEC), path));
    // The interpreter of a script would be a second program.
    char begin[2] = {};
    if (pread(program.get(), begin, 2, 0) == 2 && begin[0] == '#' && begin[1] == '!')
      return Status::Of(Code::kFailedPrecondition, "program {} is a script", path);
    FERRY_TRY(out.Open());
    FERRY_TRY(err.Open());
    FERRY_TRY(failed.Open());
    FERRY_ASSIGN_OR_RETURN(parts.files, FileRules::Make(readable));
    FERRY_ASSIGN_OR_RETURN(parts.calls, CallRules::Make());
    parts.output = out.writing.get();
    parts.errors = err.writing.get();
    parts.failed = failed.writing.get();
    parts.program = program.get();
    parts.input = input.get();
    parts.second_input = second_input.get();
    return OkStatus();
  }
  Status HandOver(const std::string& path, Descriptor* to, std::vector<std::string>* readable) {
    if (path.empty()) return OkStatus();
    readable->push_back(path);
    FERRY_TRY(to->Take(open(path.c_str(), O_RDONLY | O_CLOEXEC), path));
    return parts.user.Own(to->get()).Context("{}", path);
  }
  // The step that failed, if one did.
  Status Failure(const std::string& path) {
    StartFailure failure;
    if (read(failed.reading.get(), &failure, sizeof failure) != sizeof failure) return OkStatus();
    return Status::Of(Code::kIo, "program {} cannot be started: {}: {}", path, failure.step,
                      strerror(failure.error));
  }
};

}  // namespace

bool ChildrenCannotReadFiles() {
  const Result<FileRules> rules = FileRules::Make({});
  return ChildUser::Choose().chosen() || (rules.ok() && rules->holds());
}

Result<ChildResult> RunChild(const std::vector<std::string>& arguments, const ChildLimits& limits) {
  const std::string& path = arguments[0];
  if (access(path.c_str(), X_OK) != 0)
    return Status::Of(Code::kNotFound, "program {}: {}", path, strerror(errno));
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  Start start;
  FERRY_TRY(start.Prepare(path, limits));
  start.parts.arguments = raw.data();
  const pid_t child = fork();
  if (child < 0) return Status::Of(Code::kIo, "fork: {}", strerror(errno));
  if (child == 0) BecomeChild(start.parts);
  start.out.writing.Close();
  start.err.writing.Close();
  start.failed.writing.Close();
  ChildResult result;
  Status status = Collect(start.out, start.err, limits, &result);
  if (!status.ok() && kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
  result.exit_code = Wait(child);
  FERRY_TRY(start.Failure(path));
  FERRY_TRY(status.Context("program {}", path));
  return result;
}

}  // namespace ferry::server
