#include "tools/ferry/remote/list.h"

namespace ferry::cli {
namespace {

constexpr int kItemsOfPage = 1000;  // the most that a server gives at once

}  // namespace

Result<Json> GetList(const Api& api, const std::string& path, const char* member) {
  const std::string first = fmt::format("{}?limit={}", path, kItemsOfPage);
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(first));
  FERRY_ASSIGN_OR_RETURN(std::string cursor, GetStringOr(answer, "next_cursor", ""));
  while (!cursor.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Json page, api.Get(first + "&cursor=" + cursor));
    FERRY_ASSIGN_OR_RETURN(const Json* items, GetArray(page, member));
    answer[member].insert(answer[member].end(), items->begin(), items->end());
    FERRY_ASSIGN_OR_RETURN(const std::string next, GetStringOr(page, "next_cursor", ""));
    if (next == cursor) break;
    cursor = next;
  }
  answer.erase("next");
  answer.erase("next_cursor");
  return answer;
}

}  // namespace ferry::cli
