// What the starts of a device's process say: each sends an id of its own and that of the start
// before it, as its state directory knows it. Pure.
#pragma once

#include <string>
#include <vector>

namespace ferry::server {

enum class StartFinding {
  kKnown,     // the latest start comes again, or a device that says nothing of its starts
  kNext,      // the first, or the one after the latest
  kUnknown,   // the one before never came here: this server is restored, or the device was alone
  kRestored,  // the one before is older than the latest: the state is that of then
  kCopied,    // an older start is alive beside a later one: two processes on copies of one state
};

// `known`: the starts of this device, the latest first.
StartFinding JudgeStart(const std::vector<std::string>& known, const std::string& start,
                        const std::string& previous);

}  // namespace ferry::server
