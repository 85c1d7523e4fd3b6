#include <csignal>
#include <cstdio>

#include "common/base/log.h"
#include "tools/device/commands.h"
#include "tools/device/process.h"

namespace ferry::device {

int Run(const RunOptions& options) {
  // Blocked before any thread starts, so that only the wait below takes them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  auto process = Process::Start(options);
  if (!process.ok()) {
    std::fprintf(stderr, "ferry-device: %s\n", process.status().ToString().c_str());
    return 1;
  }
  int signal = 0;
  sigwait(&signals, &signal);
  LogInfo("device", "signal {}: stopping", signal);
  return 0;
}

}  // namespace ferry::device
