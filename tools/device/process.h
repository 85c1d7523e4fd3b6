// The parts of one device process, in the order in which they live.
#pragma once

#include <memory>
#include <string>

#include "common/net/client.h"
#include "common/package/at_rest.h"
#include "common/sys/executor.h"
#include "device-runtime/agent/agent.h"
#include "tools/device/commands.h"
#include "tools/device/event_source.h"
#include "tools/device/output.h"

namespace ferry::device {

inline constexpr int64_t kReadMs = 50;     // how often new events are looked for
inline constexpr int64_t kStatusMs = 500;  // how often the status file may change
inline constexpr size_t kMaxLinesATurn = 256;

class Process {
 public:
  // Opens everything and starts the agent. Errors name the file or the option.
  static Result<std::unique_ptr<Process>> Start(const RunOptions& options);
  // Closes windows, says good-bye to the server and stops; at most some seconds.
  ~Process();

 private:
  explicit Process(const RunOptions& options);
  Status Open();
  Result<target::Attributes> Profile(sys::FileSystem& fs, std::string* damage) const;
  void ReadEvents();
  void WriteStatus();
  void OnLine(const std::string& line, uint64_t number);
  void OnOutcome(const agent::TaskOutcome& outcome);

  RunOptions options_;
  int lock_ = -1;
  bool stopping_ = false;
  std::string last_status_;
  std::unique_ptr<package::AtRest> at_rest_;
  std::unique_ptr<ResultSink> results_;
  std::unique_ptr<EventSource> events_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<net::IoThreads> io_;
  std::unique_ptr<sys::Executor> executor_;
  std::unique_ptr<sys::Executor> worker_;
  std::unique_ptr<task::TaskSet> tasks_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<agent::Agent> agent_;
};

}  // namespace ferry::device
