// Searches that a user keeps by a name.
#include "cloud-server/admin/routes.h"
#include "cloud-server/list/query.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxSearches = 100;  // of one user
constexpr size_t kMaxSearchName = 64;
constexpr size_t kMaxSearchList = 32;
constexpr size_t kMaxSearchSort = 256;

// {name:{"list","filter","sort"}}
Result<Json> SearchesOf(Transaction& tx, const std::string& account) {
  FERRY_TRY(AsStatus(tx.accounts().Get(account)));
  FERRY_ASSIGN_OR_RETURN(const auto text, tx.access().Setting("searches." + account));
  if (!text) return Json(Json::object());
  return ParseJson(*text).Context("searches of {}", account);
}

Status PutSearches(Transaction& tx, const std::string& account, const Json& searches) {
  return tx.access().PutSetting("searches." + account, WriteJson(searches));
}

Json SearchToJson(const std::string& name, const Json& search) {
  Json json = search;
  json["name"] = name;
  return json;
}

Result<Json> ListSearches(const Call& call) {
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const Json searches, SearchesOf(tx, call.arguments[0]));
    for (const auto& [name, search] : searches.items()) rows.push_back(SearchToJson(name, search));
    return OkStatus();
  }));
  return Json{{"searches", std::move(rows)}};
}

Status CheckSize(const std::string& text, const char* what, size_t most) {
  if (text.size() <= most) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "{}: {} bytes, at most {}", what, text.size(), most);
}

Result<Json> PutSearch(const Call& call) {
  const std::string& name = call.arguments[1];
  FERRY_TRY(CheckSize(name, "name", kMaxSearchName));
  FERRY_ASSIGN_OR_RETURN(const std::string list, GetStringOr(call.body, "list", "devices"));
  FERRY_ASSIGN_OR_RETURN(const std::string filter, GetString(call.body, "filter"));
  FERRY_ASSIGN_OR_RETURN(const std::string sort, GetStringOr(call.body, "sort", ""));
  FERRY_TRY(CheckSize(list, "list", kMaxSearchList));
  FERRY_TRY(CheckSize(sort, "sort", kMaxSearchSort));
  // Other lists say so when they are searched.
  if (list == "devices")
    FERRY_TRY(AsStatus(list::ReadQuery({{"filter", filter}, {"sort", sort}}, fleet::DeviceSpec())));
  Json json;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(Json searches, SearchesOf(tx, call.arguments[0]));
    searches[name] = {{"list", list}, {"filter", filter}, {"sort", sort}};
    if (searches.size() > kMaxSearches)
      return Status::Of(Code::kLimitExceeded, "{} keeps {} searches already", call.arguments[0],
                        kMaxSearches);
    json = SearchToJson(name, searches[name]);
    return PutSearches(tx, call.arguments[0], searches);
  }));
  return json;
}

Result<Json> RemoveSearch(const Call& call) {
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(Json searches, SearchesOf(tx, call.arguments[0]));
    if (searches.erase(call.arguments[1]) == 0)
      return Status::Of(Code::kNotFound, "{} keeps no search {}", call.arguments[0],
                        call.arguments[1].substr(0, kMaxSearchName));
    return PutSearches(tx, call.arguments[0], searches);
  }));
  return Json(Json::object());
}

}  // namespace

void Add_searches(Routes& routes) {
  routes.Add("GET", "/api/v1/users/{name}/searches", ListSearches);
  routes.Add("PUT", "/api/v1/users/{name}/searches/{search}", PutSearch);
  routes.Add("DELETE", "/api/v1/users/{name}/searches/{search}", RemoveSearch);
}

}  // namespace ferry::server
