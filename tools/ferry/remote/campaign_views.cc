#include "tools/ferry/remote/campaign_views.h"

#include "common/base/json.h"
#include "common/trust/time.h"
#include "tools/ferry/remote/views.h"

namespace ferry::cli {
namespace {

std::string TimeOf(const Json& object, std::string_view key) {
  const auto ms = GetIntOr(object, key, 0);
  return ms.ok() && *ms > 0 ? trust::FormatTime(*ms) : "-";
}

std::string ReleaseRow(const Json& release) {
  return fmt::format(
      "  {:<18} {:<10} after {:<12} {:<24} {:<14} offered {} confirmed {} failed {}"
      " per minute {}\n",
      Field(release, "package"), Field(release, "version"), Field(release, "after"),
      Field(release, "release"), Field(release, "state"), Field(release, "offered"),
      Field(release, "confirmed"), Field(release, "failed"), Field(release, "per_minute"));
}

}  // namespace

std::string CampaignLine(const Json& campaign) {
  return fmt::format("{:<20} {:<13} {}\n", Field(campaign, "id"), Field(campaign, "state"),
                     Field(campaign, "reason"));
}

std::string CampaignText(const Json& campaign) {
  std::string text = CampaignLine(campaign);
  text += fmt::format("  by {}, start {}, deadline {}, on stop {}\n", Field(campaign, "by"),
                      TimeOf(campaign, "start_ms"), TimeOf(campaign, "deadline_ms"),
                      Field(campaign, "on_stop"));
  const auto each = [&](std::string_view key, auto line) {
    const auto list = GetArrayOrNull(campaign, key);
    if (!list.ok() || *list == nullptr) return;
    for (const Json& item : **list) text += line(item);
  };
  each("releases", ReleaseRow);
  each("events", [](const Json& event) {
    return fmt::format("  {} {:<12} {}\n", TimeOf(event, "time_ms"), Field(event, "kind"),
                       Field(event, "text"));
  });
  return text;
}

}  // namespace ferry::cli
