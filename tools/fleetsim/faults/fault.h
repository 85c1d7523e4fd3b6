// What can go wrong, each with a rate: one file for each under faults/, one row in list.inc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::fleetsim {

class Sim;

// At what a fault strikes, and what its rate is a share of (or how often an hour it comes).
enum class Strikes { kMessage, kDownload, kInstall, kDeviceHour, kServerHour };

inline constexpr double kMaxHourlyFaults = 3'600;

// A message between a device and the server.
struct Delivery {
  bool lost = false;         // it does not arrive
  bool answer_lost = false;  // the server has it, and the device does not hear so
  bool doubled = false;      // it arrives twice
  bool late = false;         // and the second time after messages that were sent later
  bool forged = false;       // who holds the stolen online key answers instead
  int64_t delay_ms = 0;      // beside what the link takes
};
struct Download {
  bool stale = false;    // the bytes of another version
  bool corrupt = false;  // some bits differ
};
// What becomes of the writes of an install.
struct Install {
  bool torn = false;         // a write ends early
  bool sync_failed = false;  // the device is told so
  bool power_cut = false;    // at one of the writes
};

// What a fault works on; what it does not strike at is null.
struct Moment {
  Sim& sim;
  int64_t device = -1;  // number in the fleet: small ones first, then whole agents
  Delivery* message = nullptr;
  Download* download = nullptr;
  Install* install = nullptr;
};

struct Fault {
  const char* name;
  Strikes strikes;
  double standard;  // rates of --faults
  double harsh;
  void (*apply)(Moment& moment);
};

bool IsShare(const Fault& fault);
const std::vector<const Fault*>& AllFaults();
// Null: none is called so.
const Fault* FaultCalled(std::string_view name);

enum class FaultLevel { kNone, kStandard, kHarsh };

}  // namespace ferry::fleetsim
