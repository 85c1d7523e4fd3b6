#include "tools/device/forbidden_call.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace ferry::device {
namespace {

// In a signal handler: nothing is allocated.
void OnForbiddenCall(int, siginfo_t* info, void*) {
  char text[80] = "ferry-device: system call ";
  char* end = text + std::strlen(text);
  end = std::to_chars(end, text + sizeof text, info->si_syscall).ptr;
  constexpr std::string_view kRest = " is forbidden here\n";
  std::memcpy(end, kRest.data(), kRest.size());
  (void)!write(STDERR_FILENO, text, static_cast<size_t>(end - text) + kRest.size());
  _exit(128 + SIGSYS);
}

}  // namespace

void NameForbiddenCalls() {
  struct sigaction action = {};
  action.sa_sigaction = &OnForbiddenCall;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
}

}  // namespace ferry::device
