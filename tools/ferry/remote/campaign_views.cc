#include "tools/ferry/remote/campaign_views.h"

#include "common/base/json.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {

std::string CampaignLine(const Json& campaign) {
  const std::string reason = Field(campaign, "reason");
  return fmt::format("{}: {}{}\n", Field(campaign, "id"), Field(campaign, "state"),
                     reason == "-" ? "" : "; " + reason);
}

std::string CampaignsText(const Json& campaigns) {
  Table table({{"CAMPAIGN", 40}, {"STATE", 14}, {"REASON", kWordsColumns}});
  for (const Json& campaign : campaigns)
    table.Add({Field(campaign, "id"), Field(campaign, "state"), Field(campaign, "reason")});
  return table.Text();
}

std::string CampaignText(const Json& campaign) {
  std::string text = CampaignLine(campaign);
  text += fmt::format("  by {}, start {}, deadline {}, on stop {}\n", Field(campaign, "by"),
                      TimeField(campaign, "start_ms"), TimeField(campaign, "deadline_ms"),
                      Field(campaign, "on_stop"));
  const auto each = [&](std::string_view key, auto&& take) {
    const auto list = GetArrayOrNull(campaign, key);
    if (!list.ok() || *list == nullptr) return;
    for (const Json& item : **list) take(item);
  };
  Table releases({{"PACKAGE"},
                  {"VERSION", 16},
                  {"AFTER", 12},
                  {"RELEASE", 40},
                  {"STATE", 18},
                  {"OFFERED", 10, true},
                  {"CONFIRMED", 10, true},
                  {"FAILED", 10, true},
                  {"PER MINUTE", 10, true}},
                 2);
  each("releases", [&](const Json& release) {
    releases.Add({Field(release, "package"), Field(release, "version"), Field(release, "after"),
                  Field(release, "release"), Field(release, "state"), Field(release, "offered"),
                  Field(release, "confirmed"), Field(release, "failed"),
                  Field(release, "per_minute")});
  });
  text += releases.Text();
  each("events", [&](const Json& event) {
    text += fmt::format("  {} {:<12} {}\n", TimeField(event, "time_ms"), Field(event, "kind"),
                        Field(event, "text"));
  });
  return text;
}

}  // namespace ferry::cli
