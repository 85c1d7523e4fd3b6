#include "tools/ferry/remote/views.h"

#include "common/trust/time.h"
#include "policy/stage/rate.h"
#include "tools/ferry/text/table.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr size_t kWhyColumns = 60;
constexpr size_t kTimeColumns = 20;

// Calls `each` for the items of an array member, if it is there.
template <typename Each>
void ForEach(const Json& object, std::string_view key, Each&& each) {
  const auto list = GetArrayOrNull(object, key);
  if (!list.ok() || *list == nullptr) return;
  for (const Json& item : **list) each(item);
}

size_t CountOf(const Json& object, std::string_view key) {
  size_t count = 0;
  ForEach(object, key, [&](const Json&) { ++count; });
  return count;
}

// "corrupt_content: <what and where>" of a member or report, "-" when it went well.
std::string ErrorField(const Json& object) {
  const std::string name = Field(object, "error_name"), text = Field(object, "error_text");
  return name == "-" || text == "-" ? text : name + ": " + text;
}

// What a simulation found, a row a kind of device.
std::string ProfilesText(const Json& numbers) {
  Table table({{"PROFILE"},
               {"DEVICES", 10, true},
               {"CASES", 8, true},
               {"FAILED", 8, true},
               {"MS", 10, true},
               {"MIB", 10, true},
               {"NOTE", kWhyColumns}},
              4);
  ForEach(numbers, "profiles", [&](const Json& profile) {
    const std::string not_here = Field(profile, "not_here");
    const double mib = GetNumberOr(profile, "peak_bytes", 0).value_or(0) / (1 << 20);
    std::string note;
    if (Field(profile, "skipped") == "true") note = "skipped";
    if (not_here != "-") note = "not runnable here: " + not_here;
    const bool ran = note.empty();
    table.Add({Field(profile, "profile"), Field(profile, "devices"),
               ran ? Field(profile, "cases") : "", ran ? Field(profile, "failed") : "",
               ran ? Field(profile, "ms") : "", ran ? fmt::format("{:.1f}", mib) : "", note});
  });
  return table.Text();
}

// The figures of a simulation's event, below its sentence.
std::string SimulationText(const Json& event) {
  const auto numbers = GetObjectOrNull(event, "numbers");
  if (!numbers.ok() || *numbers == nullptr) return {};
  std::string out = ProfilesText(**numbers);
  ForEach(**numbers, "differences", [&](const Json& difference) {
    out += fmt::format("    case {}: was {}, is {}\n", Field(difference, "case"),
                       Field(difference, "was"), Field(difference, "is"));
  });
  return out;
}

std::string StageName(const Json& stage) {
  const std::string name = Field(stage, "name");
  return name == "-" ? Field(stage, "kind") : name;
}

std::string StagesText(const Json& release) {
  const size_t count = CountOf(release, "stages");
  Table table({{"STAGE"},
               {"NAME"},
               {"ENTERED", kTimeColumns},
               {"LEFT", kTimeColumns},
               {"MEMBERS", 10, true},
               {"CONFIRMED", 10, true},
               {"FAILED", 10, true}},
              2);
  ForEach(release, "stages", [&](const Json& stage) {
    table.Add({StageField(stage, "index", count), StageName(stage), TimeField(stage, "entered_ms"),
               TimeField(stage, "left_ms"), Field(stage, "members"), Field(stage, "confirmed"),
               Field(stage, "failed")});
  });
  return table.Text();
}

std::string GatesText(const Json& release) {
  Table table({{"GATE"},
               {"FAILED", 10, true},
               {"HEALTHY", 10, true},
               {"EVIDENCE", 12, true},
               {"OF", 12, true},
               {"SAYS", 6}},
              2);
  ForEach(release, "gates", [&](const Json& gate) {
    table.Add({Field(gate, "slice"), Field(gate, "failed"), Field(gate, "healthy"),
               Field(gate, "evidence"), Field(gate, "threshold"),
               Field(gate, "stop") == "true" ? "STOP" : ""});
  });
  return table.Text();
}

std::string ReportsText(const Json& device) {
  Table table({{"TIME", kTimeColumns},
               {"STEP", 16},
               {"PACKAGE"},
               {"VERSION", 16},
               {"ERROR", kWordsColumns}},
              2);
  ForEach(device, "reports", [&](const Json& report) {
    table.Add({TimeField(report, "time_ms"), Field(report, "step"), Field(report, "package"),
               Field(report, "version"), ErrorField(report)});
  });
  return table.Text();
}

std::string WordsOf(const Json& value) {
  if (value.is_string()) return Visible(value.get<std::string>());
  if (value.is_null()) return "-";
  if (!value.is_object() && !value.is_array()) return WriteJson(value);
  std::string out;
  for (const auto& [key, item] : value.items()) {
    if (!out.empty()) out += value.is_array() ? "," : ", ";
    if (value.is_object()) out += Visible(key) + " ";
    const bool nested = item.is_object() || item.is_array();
    out += nested && !item.empty() ? "(" + WordsOf(item) + ")" : WordsOf(item);
  }
  return out.empty() ? "-" : out;
}

}  // namespace

std::string Field(const Json& object, std::string_view key) {
  if (!object.is_object()) return "-";
  const auto found = object.find(key);
  if (found == object.end()) return "-";
  std::string text = WordsOf(*found);
  return text.empty() ? "-" : text;
}

std::string TimeField(const Json& object, std::string_view key) {
  const auto ms = object.is_object() ? GetIntOr(object, key, 0) : Result<int64_t>(0);
  return ms.ok() && *ms > 0 ? trust::FormatTime(*ms) : "-";
}

std::string StageField(const Json& object, std::string_view key, size_t count) {
  const auto index = object.is_object() ? GetIntOr(object, key, -1) : Result<int64_t>(-1);
  if (!index.ok() || *index < 0) return "-";
  return count == 0 ? fmt::format("{}", *index + 1) : fmt::format("{} of {}", *index + 1, count);
}

std::string ReleaseLine(const Json& release) {
  const std::string reason = Field(release, "reason");
  return fmt::format("{} ({} {}): {}{}\n", Field(release, "id"), Field(release, "package"),
                     Field(release, "version"), Field(release, "state"),
                     reason == "-" ? "" : "; " + reason);
}

std::string ReleasesText(const Json& releases) {
  Table table(
      {{"RELEASE", 40}, {"PACKAGE"}, {"VERSION", 16}, {"STATE", 18}, {"REASON", kWordsColumns}});
  for (const Json& release : releases)
    table.Add({Field(release, "id"), Field(release, "package"), Field(release, "version"),
               Field(release, "state"), Field(release, "reason")});
  return table.Text();
}

std::string MembersText(const Json& release) {
  const size_t count = CountOf(release, "stages");
  Table table({{"DEVICE", kIdColumns},
               {"STAGE", 8},
               {"OUTCOME", 14},
               {"STEP", 16},
               {"ERROR", kWordsColumns}},
              2);
  ForEach(release, "members", [&](const Json& member) {
    table.Add({Field(member, "device"), StageField(member, "stage", count),
               Field(member, "outcome"), Field(member, "step"), ErrorField(member)});
  });
  return table.Text();
}

// As fast as it has grown: "100 new devices a minute, 400 now".
std::string RateText(const Json& release) {
  if (!release.contains("rate")) return "";
  const auto shown = [](int64_t per_minute) {
    return per_minute < stage::kMaxPerMinute ? fmt::format("{}", per_minute) : "without limit";
  };
  const int64_t first = GetIntOr(release["rate"], "per_minute", 0).value_or(0);
  const int64_t now = GetIntOr(release, "per_minute", first).value_or(first);
  std::string out =
      first < stage::kMaxPerMinute ? shown(first) + " new devices a minute" : shown(first);
  if (now > first) out += fmt::format(", {} now", shown(now));
  return fmt::format("  rate   {}\n", out);
}

std::string ReleaseText(const Json& release) {
  std::string out =
      fmt::format("{} {} {}: {}\n  rule   {}\n  salt   {}\n  reason {}\n  counts {}\n",
                  Field(release, "id"), Field(release, "package"), Field(release, "version"),
                  Field(release, "state"), Field(release, "rule"), Field(release, "salt"),
                  Field(release, "reason"), Field(release, "counts"));
  out += RateText(release);
  out += StagesText(release) + GatesText(release) + MembersText(release);
  ForEach(release, "events", [&](const Json& event) {
    out += fmt::format("  {} [{}] {}\n", TimeField(event, "time_ms"), Field(event, "kind"),
                       Field(event, "text"));
    out += SimulationText(event);
  });
  return out;
}

std::string PreviewText(const Json& preview) {
  std::string out = fmt::format("{} devices match\n", Field(preview, "matched"));
  const size_t count = CountOf(preview, "stages");
  Table table({{"STAGE"}, {"NAME"}, {"PLANNED", 10, true}, {"ADDS", kWordsColumns}}, 2);
  ForEach(preview, "stages", [&](const Json& stage) {
    table.Add({StageField(stage, "index", count), StageName(stage), Field(stage, "planned"),
               Field(stage, "adds")});
  });
  out += table.Text();
  ForEach(preview, "outside", [&](const Json& device) {
    out += fmt::format("  outside {}: {}\n", Field(device, "device"), Field(device, "why"));
  });
  const int64_t left_out = GetIntOr(preview, "left_out", 0).value_or(0);
  const auto shown = static_cast<int64_t>(CountOf(preview, "outside"));
  if (left_out > shown) out += fmt::format("  and {} more outside\n", left_out - shown);
  return out;
}

std::string DevicesText(const Json& devices) {
  Table table({{"DEVICE", kIdColumns},
               {"OS", 10},
               {"APP", 16},
               {"CLASS", 10},
               {"TAGS"},
               {"STATE", 8},
               {"RUNNING", kWhyColumns}});
  for (const Json& device : devices)
    table.Add({Field(device, "id"), Field(device, "os"), Field(device, "app_version"),
               Field(device, "device_class"), Field(device, "tags"),
               Field(device, "blocked") == "true" ? "blocked" : "", Field(device, "running")});
  return table.Text();
}

std::string DeviceText(const Json& device) {
  std::string out = DevicesText(Json::array({device}));
  out += fmt::format("  the operator's tags: {}\n", Field(device, "operator_tags"));
  out += fmt::format("  enrolled {} last seen {} runtime {} blocked {}\n",
                     TimeField(device, "enrolled_ms"), TimeField(device, "last_seen_ms"),
                     Field(device, "runtime_version"), Field(device, "blocked"));
  Table members(
      {{"RELEASE", 40}, {"STAGE", 8}, {"OUTCOME", 14}, {"STEP", 16}, {"ERROR", kWordsColumns}}, 2);
  ForEach(device, "members", [&](const Json& member) {
    members.Add({Field(member, "release"), StageField(member, "stage", 0), Field(member, "outcome"),
                 Field(member, "step"), ErrorField(member)});
  });
  return out + members.Text() + ReportsText(device);
}

std::string LossesText(const Json& answer) {
  Table losses({{"DEVICE", kIdColumns},
                {"LOST FROM", 20, true},
                {"TO", 20, true},
                {"ROWS", 20, true},
                {"NOTED", kTimeColumns}});
  ForEach(answer, "losses", [&](const Json& loss) {
    losses.Add({Field(loss, "device"), Field(loss, "first_seq"), Field(loss, "last_seq"),
                Field(loss, "records"), TimeField(loss, "noted_ms")});
  });
  Table refused({{"DEVICE", kIdColumns},
                 {"REFUSED ROW", 20, true},
                 {"STREAM"},
                 {"ERROR"},
                 {"REASON", kWordsColumns}});
  ForEach(answer, "refusals", [&](const Json& row) {
    refused.Add({Field(row, "device"), Field(row, "seq"), Field(row, "stream"),
                 Field(row, "error_name"), Field(row, "reason")});
  });
  const std::string out = losses.Text() + refused.Text();
  return out.empty() ? "nothing was lost or refused\n" : out;
}

std::string RecordsText(const Json& status) {
  std::string out;
  if (const auto restored = GetObjectOrNull(status, "restored"); restored.ok() && *restored)
    out += fmt::format("restored at {} from a backup of {}\n", TimeField(**restored, "restored_ms"),
                       TimeField(**restored, "backup_ms"));
  const auto records = GetObjectOrNull(status, "records");
  if (!records.ok() || *records == nullptr) return out;
  const std::string lost = Field(**records, "lost"), refused = Field(**records, "refused");
  if (lost != "0" || refused != "0")
    out += fmt::format("rows lost {}, refused {}: ferry device losses\n", lost, refused);
  return out;
}

}  // namespace ferry::cli
