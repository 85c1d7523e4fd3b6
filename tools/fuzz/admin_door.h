// The calls of the operators' door on a whole server, past login and rights.
#pragma once

#include <string_view>

#include "cloud-server/admin/metrics/metrics.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/fleet/fleet.h"
#include "tools/fuzz/server.h"

namespace ferry::fuzz {

// What comes before `end`; that and `end` are taken off.
std::string_view TakeUpTo(std::string_view* text, std::string_view end);

class AdminDoor {
 public:
  // Borrowed.
  explicit AdminDoor(FuzzServer& server);
  // "METHOD path?query", a line's end, the body. Its answer is JSON that can be read again, or an
  // error with a code that is no fault of the server.
  void Ask(std::string_view text);

 private:
  server::AdminOptions options_;
  server::Routes routes_;
  server::LoginTries tries_;
  server::Refusals refusals_;
  server::CallMetrics metrics_;
  server::fleet::Fleet fleet_;
  server::HaveDoor have_;
};

}  // namespace ferry::fuzz
