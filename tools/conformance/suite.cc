#include "tools/conformance/suite.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <list>
#include <optional>
#include <thread>
#include <vector>

namespace ferry::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxCaseReason = 400;
constexpr size_t kMaxOutput = size_t{1} << 16;
// Before the result in what a process writes; all else is what it printed before it crashed.
constexpr char kResultMark = '\x01';

// One line of printable text.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  text = text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  if (text.size() > kMaxCaseReason) text = text.substr(0, kMaxCaseReason) + "...";
  return text;
}

void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// Of the child process: never returns.
[[noreturn]] void RunChild(const Case& c, const SuiteOptions& options, int out) {
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (!options.run.isa.empty()) setenv("FERRY_ISA", options.run.isa.c_str(), 1);
  const Status status = options.run_case(c, options.run);
  WriteAll(out, kResultMark + (status.ok() ? std::string() : status.ToString()));
  _exit(status.ok() ? 0 : 1);
}

struct Job {
  size_t index = 0;
  pid_t pid = 0;
  int pipe = -1;
  Clock::time_point deadline;
  bool late = false;
  std::string output;
};

Result<Job> Start(const Case& c, size_t index, const SuiteOptions& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Status::Of(Code::kUnavailable, "no pipe: {}", std::strerror(errno));
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    RunChild(c, options, ends[1]);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return Status::Of(Code::kUnavailable, "no process: {}", std::strerror(errno));
  }
  return Job{index, pid, ends[0], Clock::now() + std::chrono::seconds(options.limit_seconds),
             false, {}};
}

// Reads what is there; false at the end.
bool ReadSome(Job& job) {
  char buffer[4096];
  const ssize_t got = read(job.pipe, buffer, sizeof(buffer));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  job.output.append(buffer, static_cast<size_t>(got));
  // The result comes last: what is printed before it goes when it is too much.
  if (job.output.size() > 2 * kMaxOutput) job.output.erase(0, job.output.size() - kMaxOutput);
  return got > 0;
}

CaseResult Finish(Job& job, const Case& c, int limit_seconds) {
  close(job.pipe);
  int status = 0;
  while (waitpid(job.pid, &status, 0) < 0 && errno == EINTR) {
  }
  CaseResult result{c.name, false, ""};
  const size_t mark = job.output.rfind(kResultMark);
  if (job.late) {
    result.reason = fmt::format("took more than {} s", limit_seconds);
  } else if (WIFSIGNALED(status) || mark == std::string::npos) {
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("signal {}", strsignal(WTERMSIG(status)))
                                : fmt::format("exit status {}", WEXITSTATUS(status));
    const std::string said = OneLine(job.output);
    result.reason = fmt::format("crashed ({}){}{}", how, said.empty() ? "" : ": ", said);
  } else {
    result.reason = OneLine(job.output.substr(mark + 1));
    result.passed = result.reason.empty() && WEXITSTATUS(status) == 0;
  }
  return result;
}

class Suite {
 public:
  Suite(std::span<const Case> cases, const SuiteOptions& options,
        const std::function<void(const CaseResult&)>& on_result)
      : cases_(cases), options_(options), on_result_(on_result), results_(cases.size()) {
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    jobs_ = static_cast<size_t>(std::clamp(options.jobs > 0 ? options.jobs : cores, 1, kMaxJobs));
  }
  ~Suite() {
    for (Job& job : running_) {  // only after an error
      kill(job.pid, SIGKILL);
      Finish(job, cases_[job.index], 0);
    }
  }

  Status Run() {
    while (next_ < cases_.size() || !running_.empty()) {
      while (next_ < cases_.size() && running_.size() < jobs_) {
        FERRY_ASSIGN_OR_RETURN(Job job, Start(cases_[next_], next_, options_));
        running_.push_back(std::move(job));
        ++next_;
      }
      Wait();
    }
    return OkStatus();
  }

 private:
  void Wait() {
    std::vector<pollfd> files;
    auto first = Clock::time_point::max();
    for (const Job& job : running_) {
      files.push_back({job.pipe, POLLIN, 0});
      if (!job.late) first = std::min(first, job.deadline);
    }
    int wait_ms = -1;
    if (first != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
      wait_ms = static_cast<int>(std::max<int64_t>(0, left.count()));
    }
    poll(files.data(), files.size(), wait_ms);
    size_t i = 0;
    for (auto job = running_.begin(); job != running_.end(); ++i) {
      if (files[i].revents != 0 && !ReadSome(*job)) {
        Done(Finish(*job, cases_[job->index], options_.limit_seconds), job->index);
        job = running_.erase(job);
        continue;
      }
      if (!job->late && Clock::now() >= job->deadline) {
        job->late = true;
        kill(job->pid, SIGKILL);
      }
      ++job;
    }
  }

  void Done(CaseResult result, size_t index) {
    results_[index] = std::move(result);
    for (; told_ < results_.size() && results_[told_]; ++told_) on_result_(*results_[told_]);
  }

  std::span<const Case> cases_;
  const SuiteOptions& options_;
  const std::function<void(const CaseResult&)>& on_result_;
  std::vector<std::optional<CaseResult>> results_;
  std::list<Job> running_;
  size_t jobs_ = 1;
  size_t next_ = 0;  // the next to start
  size_t told_ = 0;  // results that on_result_ has seen
};

}  // namespace

std::string ResultLine(const CaseResult& result) {
  if (result.passed) return "pass " + result.name;
  return fmt::format("fail {}: {}", result.name, result.reason);
}

Status RunSuite(std::span<const Case> cases, const SuiteOptions& options,
                const std::function<void(const CaseResult&)>& on_result) {
  FERRY_TRY(CheckIsa(options.run.isa));
  return Suite(cases, options, on_result).Run();
}

}  // namespace ferry::conformance
