// ETag and If-Match: who edits what somebody else changed meanwhile is told, and overwrites
// nothing. Private to admin.
// ---- edits.cc
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "cloud-server/admin/routes.h"

namespace ferry::server {

// The strong tag of a thing, with its quotes.
std::string TagOfThing(const Json& thing);
// Whether the value of If-Match names this tag: "*", or one of a list.
bool MatchesTag(const std::string& if_match, const std::string& tag);

// One for a server. Changes of things that are edited come one after the other, so that nobody
// changes one between the look at its tag and the change.
class Edits {
 public:
  // Holds off other edits until it is destroyed.
  using Turn = std::unique_lock<std::mutex>;
  Turn Take(const Route& route) { return route.thing ? Turn(mutex_) : Turn(); }
  // With If-Match, and the thing is another one: the answer 412 with "current". Errors of looking
  // at it are left to the call itself.
  static std::optional<HttpResponse> Refuse(const Call& call, const Route& route);
  // ETag for the answer, where the route is about a thing that there is.
  static void AddTag(const Call& call, const Route& route, HttpResponse* response);

 private:
  std::mutex mutex_;
};

}  // namespace ferry::server
