// What happens to a simulated fleet: who its devices are, what is released to them, how that turns
// out, what goes wrong. README.md shows a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace ferry::fleetsim {

inline constexpr int64_t kMinuteMs = 60'000;
inline constexpr int64_t kHourMs = 60 * kMinuteMs;
inline constexpr int64_t kDayMs = 24 * kHourMs;
inline constexpr size_t kMaxProfiles = 1'000;
inline constexpr size_t kMaxVersions = 30;  // small devices keep a set of them in one number
inline constexpr int64_t kMaxDevices = 10'000'000;
inline constexpr char kPackage[] = "digits";

// Devices that are alike.
struct Profile {
  double share = 0;  // of the fleet
  std::string os = "android", app_version = "1.4.0", device_class = "mid";
  std::vector<std::string> tags;
  int64_t utc_offset_minutes = 0;
  int64_t online_from = 0, online_to = 24;  // hours of local time, the whole day where equal
  int64_t latency_ms = 60;
  int64_t kbit_s = 20'000;
  bool push = false;           // its line is open while it is online
  int64_t poll_minutes = 360;  // each wait is between half and one and a half of it
};

// What a person does to a release.
struct Act {
  int64_t at_ms = 0;  // from the start of the scenario
  enum class Kind { kPause, kResume, kPromote, kRollback, kHalt, kKill } kind = Kind::kPause;
};

struct ReleasePlan {
  std::string version;
  std::string fallback;  // a version that is signed as the way back; empty: none
  int64_t at_ms = 0;     // when it is started
  Json plan;             // as stage::PlanFromJson; null: the usual stages
  Json settings;         // as gate::SettingsFromJson
  int64_t bytes = 2'000'000;
  bool fails_simulation = false;
  std::vector<Act> acts;
};

// How a version does on the devices of one slice.
struct Truth {
  std::string version;
  std::string slice = "all";  // "os=ios", as gates name it
  double fails = 0;           // share of devices on which its task fails
  double silent = 0;          // share of devices of which nothing is heard after they switched
  int64_t after_ms = 60'000;  // from the switch to the first run, in the mean
  double latency_ms = 0;      // measured and reported; 0: nothing is
};

// What a scenario says must come of one release.
struct Expectation {
  std::string version;
  std::vector<std::string> states;      // one of them at the end
  int64_t offered_at_most = INT64_MAX;  // devices
  int64_t offered_at_least = 0;
  std::string stopped_slice;  // this one alone
};

struct Scenario {
  std::string name = "default";
  int64_t devices = 10'000;
  int64_t agents = 200;
  int64_t hours = 72;            // of virtual time at most
  int64_t faults_end_hours = 0;  // after them nothing goes wrong any more; 0: two thirds of `hours`
  std::string runs;              // the version that small devices have from the start
  std::vector<Profile> profiles;
  std::vector<ReleasePlan> releases;
  std::vector<Truth> truths;
  std::map<std::string, double> faults;  // by name; in place of the rates that were asked for
  std::vector<Expectation> expects;
};

// kInvalidArgument and kMalformed name line and column.
Result<Scenario> ScenarioFromText(std::string_view text);
// What `ferry simulate` runs without a file: one release over the usual stages to devices that run
// the version before.
Scenario DefaultScenario();
// In the form that ScenarioFromText reads; a violation prints it.
std::string ScenarioToText(const Scenario& scenario);

}  // namespace ferry::fleetsim
