// What `ferry doctor` looks at. Each check is one thing that can be wrong and what to do then.
#pragma once

#include <string>
#include <vector>

#include "tools/ferry/remote/api.h"

namespace ferry::cli {

struct DoctorCheck {
  std::string name;
  bool ok = false;
  std::string text;    // what was found
  std::string remedy;  // what to do; empty when ok
};
using DoctorChecks = std::vector<DoctorCheck>;

DoctorCheck GoodCheck(std::string name, std::string text);
DoctorCheck BadCheck(std::string name, std::string text, std::string remedy);

inline constexpr uint64_t kLeastDiskBytes = uint64_t{256} << 20;
inline constexpr int64_t kMostClockMs = 60'000;
inline constexpr int kPortSeconds = 3;

// Of this machine: programs, instruction set, libraries, state folder, disk.
void CheckMachine(DoctorChecks& checks);
// Of the server: whether it can be reached and believed, clocks, login, expiry, ports of devices.
void CheckServer(const Api& api, int64_t now_ms, DoctorChecks& checks);

// The parts of them that decide, for tests.
DoctorCheck ClockCheck(int64_t now_ms, int64_t server_ms);
DoctorCheck ExpiryCheck(const Json& status);
// "Fri, 27 Nov 2026 12:00:00 GMT" as milliseconds since 1970; kMalformed.
Result<int64_t> ParseHttpDate(const std::string& text);
// kUnavailable when nothing takes a connection at "host:port" within kPortSeconds.
Status TryPort(const std::string& address);

}  // namespace ferry::cli
