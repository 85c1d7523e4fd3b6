// Campaigns as the server describes them, as text for people.
#pragma once

#include <string>

#include "common/base/json_fwd.h"

namespace ferry::cli {

std::string CampaignLine(const Json& campaign);
std::string CampaignsText(const Json& campaigns);  // an array, as a table; empty for none
std::string CampaignText(const Json& campaign);    // with its releases and its history

}  // namespace ferry::cli
