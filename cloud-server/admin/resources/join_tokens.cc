#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Result<Json> PostJoinToken(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t uses, GetIntOr(call.body, "uses", 1));
  FERRY_ASSIGN_OR_RETURN(int64_t valid_ms, GetIntOr(call.body, "valid_ms", kJoinTokenLifeMs));
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> tags, GetStringsOr(call.body, "tags"));
  FERRY_ASSIGN_OR_RETURN(NewJoinToken made,
                         MakeJoinToken(call.admin, uses, valid_ms, std::move(tags)));
  return Json{{"id", made.row.id},
              {"secret", made.secret},
              {"token", made.text},
              {"tags", made.row.tags},
              {"expires_ms", made.row.expires_ms}};
}

Result<Json> ListJoinTokens(const Call& call) {
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<JoinTokenRow> tokens, tx.access().JoinTokens());
    for (const JoinTokenRow& token : tokens)
      rows.push_back({{"id", token.id},
                      {"created_ms", token.created_ms},
                      {"expires_ms", token.expires_ms},
                      {"tags", token.tags},
                      {"uses", token.uses},
                      {"uses_left", token.uses_left}});
    return OkStatus();
  }));
  return Json{{"join_tokens", std::move(rows)}};
}

}  // namespace

void Add_join_tokens(Routes& routes) {
  routes.Add("GET", "/api/v1/join-tokens", ListJoinTokens);
  routes.Add("POST", "/api/v1/join-tokens", PostJoinToken);
}

}  // namespace ferry::server
