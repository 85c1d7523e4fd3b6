// Ids from what people give: any prefix that only one thing has. A whole id is taken even where it
// begins another one (release sums-1.0.0-1 beside sums-1.0.0-10).
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {

inline constexpr size_t kDeviceIdLetters = 32;
inline constexpr size_t kShownCandidates = 5;  // in the error for a prefix of several

// Each gives the id that begins with `text`, and `text` itself where none does or the server lists
// none to this user: the call that follows says what is wrong. kInvalidArgument names the
// candidates of a prefix of several.
Result<std::string> DeviceId(const Api& api, const std::string& text);
Status ToDeviceIds(const Api& api, std::vector<std::string>& texts);
Result<std::string> ReleaseId(const Api& api, const std::string& text);
Result<std::string> CampaignId(const Api& api, const std::string& text);
Result<std::string> ApprovalId(const Api& api, const std::string& text);
Result<std::string> WebhookId(const Api& api, const std::string& text);
Result<std::string> TokenId(const Api& api, const std::string& user, const std::string& text);

// The rule of all of them: `kind` is for the error, `rows` have an "id".
Result<std::string> PickId(std::string_view kind, const std::string& text, const Json& rows);

}  // namespace ferry::cli
