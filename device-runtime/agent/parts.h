// What the pieces of one agent share.
#pragma once

#include <functional>
#include <string>

#include "common/package/at_rest.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "common/sys/net.h"
#include "common/sys/random.h"
#include "device-runtime/agent/line/backoff.h"
#include "device-runtime/agent/line/link.h"
#include "device-runtime/agent/run/tasks.h"
#include "device-runtime/agent/state/identity.h"
#include "device-runtime/agent/state/journal.h"
#include "device-runtime/agent/state/slots.h"
#include "device-runtime/agent/state/trust_store.h"
#include "policy/when/when.h"

namespace ferry::agent {

// All borrowed from the agent, all used on its executor.
struct Parts {
  sys::Executor* executor;
  sys::Clock* clock;
  sys::Random* random;
  sys::FileSystem* fs;
  sys::Dialer* dialer;
  std::string directory;
  BackoffOptions backoff;
  Identity* identity;
  Journal* journal;
  TrustStore* trust;
  Slots* slots;
  Tasks* tasks;
  Link* link;
  // What the host is at, for installs with conditions; empty: all of them hold, in UTC.
  std::function<when::Host()> host;
  package::AtRest* at_rest;  // null: nothing can be sealed at rest
};

inline constexpr uint64_t kSpareBytes = 1 << 20;  // left free on the disk for journals and reports

// An install that a full disk stopped is tried again after a full-jitter wait within these two, and
// as soon as a look each kRoomCheckMs finds the room that was missing.
inline constexpr int64_t kRoomRetryMs = 60'000;
inline constexpr int64_t kMaxRoomRetryMs = 3'600'000;
inline constexpr int64_t kRoomCheckMs = 10'000;

// Signed metadata that is too old, as after the restore of a backup, is right again as soon as the
// operators publish, and the server wakes nobody for that.
inline constexpr int64_t kStaleRetryMs = 2'000;
inline constexpr int64_t kMaxStaleRetryMs = 600'000;

// A clock that is further ahead of the server's is the cause when metadata seems to have expired.
inline constexpr int64_t kMaxClockSkewMs = 300'000;

// Whether trying again later may help, without anyone changing the release: the line or the server
// was at fault.
bool IsTransient(const Status& status);

// Whether the metadata was refused for its age, by its version or by the clock.
bool IsStale(const Status& status);

}  // namespace ferry::agent
