// Which function answers which call. Resources add theirs; the dispatcher asks.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cloud-server/admin/admin.h"
#include "cloud-server/admin/http.h"
#include "cloud-server/admin/http/refusals.h"
#include "cloud-server/admin/login/login_tries.h"
#include "cloud-server/admin/rights/rights.h"
#include "cloud-server/fleet/fleet.h"
#include "cloud-server/have/door.h"
#include "common/base/json.h"

namespace ferry::server {

class Routes;

// A call after login and parsing.
struct Call {
  const AdminOptions& admin;
  const HttpRequest& http;
  LoginTries& tries;
  Refusals& refusals;
  const Routes& routes;
  const CallMetrics& calls;
  fleet::Fleet& fleet;
  HaveDoor* have;                      // null: this server answers none
  std::vector<std::string> arguments;  // what stood for {name} in the path, in order
  Json body = Json::object();          // an object; empty when there was none
  Identity who;                        // who is logged in
  std::string by;                      // its name, for history
  // Headers that the answer of a JSON route gets, errors' too; null where nobody answers by HTTP.
  std::map<std::string, std::string>* answer = nullptr;
  // What a page may do about the error that a JSON route gives: "next" beside it; so too.
  std::string* next = nullptr;

  // A member of the query; `fallback` when it is missing. kInvalidArgument when it is no number.
  std::string Query(const std::string& key, std::string fallback = {}) const;
  Result<int64_t> QueryInt(const std::string& key, int64_t fallback) const;
};

using JsonHandler = std::function<Result<Json>(const Call&)>;
using RawHandler = std::function<HttpResponse(const Call&)>;

struct Route {
  std::string method;
  std::string pattern;  // "/api/v1/devices/{id}"
  JsonHandler json;     // one of the two; with raw, the body is not read
  RawHandler raw;
  bool open = false;  // needs no login
  RouteRight right{};
  JsonHandler thing{};  // what is edited there, for ETag and If-Match; empty: nothing
  bool rest = false;    // the last {name} stands for all that is left of the path
};

class Routes {
 public:
  void Add(std::string method, std::string pattern, JsonHandler handler);
  void AddOpen(std::string method, std::string pattern, JsonHandler handler);
  void AddRaw(std::string method, std::string pattern, RawHandler handler);
  void AddOpenRaw(std::string method, std::string pattern, RawHandler handler);
  // The routes of this pattern are about a thing that several people may edit at once. After Add.
  void Edits(const std::string& pattern, const JsonHandler& thing);
  // The last {name} of this pattern stands for one part of the path or several: a file in folders.
  // After Add.
  void TakesRest(const std::string& pattern);
  // Of several that fit, the one with the fewest names. kNotFound when no pattern fits the path,
  // kUnsupported when another method would.
  Result<const Route*> Find(const std::string& method, const std::string& path,
                            std::vector<std::string>* arguments) const;
  const std::vector<Route>& all() const { return routes_; }

 private:
  void Put(Route route);

  std::vector<Route> routes_;
};

// One function for each row of resources/list.inc.
#define FERRY_RESOURCE(name) void Add_##name(Routes& routes);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
void Add_campaigns(Routes& routes);  // of campaigns/

}  // namespace ferry::server
