// A made-up fleet in a server's directory, to look at the console and to measure it: devices,
// groups, packages and releases as rows. None of it is signed or has content: nothing reaches a
// device. The same seed makes the same fleet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cloud-server/have/door.h"
#include "cloud-server/store/store.h"
#include "common/base/status.h"

namespace ferry::server {

struct FillCommand {
  std::string directory;
  int64_t devices = 1000;
  uint64_t seed = 1;
  std::string have;  // file for texts as ferry_have_text gives, a line each; empty: none
  bool json = false;
};
inline constexpr int64_t kMaxFillDevices = 10'000'000;

// Where no server lives one is made, and its password printed.
Status RunFill(const FillCommand& command);

struct Filled {
  int64_t devices = 0;
  int64_t members = 0;
  std::vector<std::string> some;  // of the devices, spread over all, at most kMaxHaveTexts
};
// kFailedPrecondition where there are devices already.
Result<Filled> FillStore(Store& store, const std::string& tenant, int64_t devices, uint64_t seed,
                         int64_t now_ms);

}  // namespace ferry::server
