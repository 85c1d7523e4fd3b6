#include "tools/ferry/remote/views.h"

#include "common/trust/time.h"

namespace ferry::cli {
namespace {

// Calls `each` for the items of an array member, if it is there.
template <typename Each>
void ForEach(const Json& object, std::string_view key, Each&& each) {
  const auto list = GetArrayOrNull(object, key);
  if (!list.ok() || *list == nullptr) return;
  for (const Json& item : **list) each(item);
}

std::string TimeField(const Json& object, std::string_view key) {
  const auto ms = GetIntOr(object, key, 0);
  return ms.ok() && *ms > 0 ? trust::FormatTime(*ms) : "-";
}

std::string Joined(const Json& object, std::string_view key) {
  std::string out;
  ForEach(object, key, [&](const Json& item) {
    if (!out.empty()) out += ",";
    out += item.is_string() ? item.get<std::string>() : WriteJson(item);
  });
  return out.empty() ? "-" : out;
}

// "corrupt_content: <what and where>" of a member or report, "-" when it went well.
std::string ErrorField(const Json& object) {
  const std::string name = Field(object, "error_name"), text = Field(object, "error_text");
  return name == "-" || text == "-" ? text : name + ": " + text;
}

// What a simulation found on one kind of device.
std::string ProfileLine(const Json& profile) {
  std::string out = fmt::format("    {:<24} devices {:<8} ", Field(profile, "profile"),
                                Field(profile, "devices"));
  if (Field(profile, "not_here") != "-")
    return out + fmt::format("not runnable here: {}\n", Field(profile, "not_here"));
  if (Field(profile, "skipped") == "true") return out + "skipped\n";
  const double mib = GetNumberOr(profile, "peak_bytes", 0).value_or(0) / (1 << 20);
  return out + fmt::format("cases {} failed {} {} ms {:.1f} MiB\n", Field(profile, "cases"),
                           Field(profile, "failed"), Field(profile, "ms"), mib);
}

// The figures of a simulation's event, below its sentence.
std::string SimulationText(const Json& event) {
  const auto numbers = GetObjectOrNull(event, "numbers");
  if (!numbers.ok() || *numbers == nullptr) return {};
  std::string out;
  ForEach(**numbers, "profiles", [&](const Json& profile) { out += ProfileLine(profile); });
  ForEach(**numbers, "differences", [&](const Json& difference) {
    out += fmt::format("    case {}: was {}, is {}\n", Field(difference, "case"),
                       Field(difference, "was"), Field(difference, "is"));
  });
  return out;
}

std::string StageLine(const Json& stage) {
  return fmt::format("  stage {} {:<12} entered {} left {} members {}\n", Field(stage, "index"),
                     Field(stage, "name") == "-" ? Field(stage, "kind") : Field(stage, "name"),
                     TimeField(stage, "entered_ms"), TimeField(stage, "left_ms"),
                     Field(stage, "members"));
}

}  // namespace

std::string Field(const Json& object, std::string_view key) {
  if (!object.is_object()) return "-";
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "-";
  if (!found->is_string()) return WriteJson(*found);
  const std::string text = found->get<std::string>();
  return text.empty() ? "-" : text;
}

std::string ReleaseLine(const Json& release) {
  return fmt::format("{:<12} {:<18} {:<12} {:<18} {}\n", Field(release, "id"),
                     Field(release, "package"), Field(release, "version"), Field(release, "state"),
                     Field(release, "reason"));
}

std::string ReleaseText(const Json& release) {
  std::string out =
      fmt::format("{} {} {}: {}\n  rule   {}\n  salt   {}\n  reason {}\n  counts {}\n",
                  Field(release, "id"), Field(release, "package"), Field(release, "version"),
                  Field(release, "state"), Field(release, "rule"), Field(release, "salt"),
                  Field(release, "reason"), Field(release, "counts"));
  ForEach(release, "stages", [&](const Json& stage) { out += StageLine(stage); });
  ForEach(release, "gates", [&](const Json& gate) {
    out += fmt::format("  gate {:<28} failed {} healthy {} evidence {} of {}{}\n",
                       Field(gate, "slice"), Field(gate, "failed"), Field(gate, "healthy"),
                       Field(gate, "evidence"), Field(gate, "threshold"),
                       Field(gate, "stop") == "true" ? "  STOP" : "");
  });
  ForEach(release, "members", [&](const Json& member) {
    out += fmt::format("  device {:.16} stage {} {} {} {}\n", Field(member, "device"),
                       Field(member, "stage"), Field(member, "outcome"), Field(member, "step"),
                       ErrorField(member));
  });
  ForEach(release, "events", [&](const Json& event) {
    out += fmt::format("  {} [{}] {}\n", TimeField(event, "time_ms"), Field(event, "kind"),
                       Field(event, "text"));
    out += SimulationText(event);
  });
  return out;
}

std::string PreviewText(const Json& preview) {
  std::string out = fmt::format("{} devices match\n", Field(preview, "matched"));
  ForEach(preview, "stages", [&](const Json& stage) {
    out += fmt::format("  stage {} {:<12} planned {} adds {}\n", Field(stage, "index"),
                       Field(stage, "name"), Field(stage, "planned"), Joined(stage, "adds"));
  });
  ForEach(preview, "outside", [&](const Json& device) {
    out += fmt::format("  outside {:.16}: {}\n", Field(device, "device"), Field(device, "why"));
  });
  return out;
}

std::string DeviceLine(const Json& device) {
  return fmt::format("{:<34} {:<8} {:<10} {:<6} {:<16} {}\n", Field(device, "id"),
                     Field(device, "os"), Field(device, "app_version"),
                     Field(device, "device_class"), Joined(device, "tags"),
                     Field(device, "running"));
}

std::string DeviceText(const Json& device) {
  std::string out = DeviceLine(device);
  out += fmt::format("  the operator's tags: {}\n", Joined(device, "operator_tags"));
  out += fmt::format("  enrolled {} last seen {} runtime {} blocked {}\n",
                     TimeField(device, "enrolled_ms"), TimeField(device, "last_seen_ms"),
                     Field(device, "runtime_version"), Field(device, "blocked"));
  ForEach(device, "members", [&](const Json& member) {
    out += fmt::format("  release {} stage {} {} {} {}\n", Field(member, "release"),
                       Field(member, "stage"), Field(member, "outcome"), Field(member, "step"),
                       ErrorField(member));
  });
  ForEach(device, "reports", [&](const Json& report) {
    out += fmt::format("  {} {} {} {} {}\n", TimeField(report, "time_ms"), Field(report, "step"),
                       Field(report, "package"), Field(report, "version"), ErrorField(report));
  });
  return out;
}

std::string LossesText(const Json& answer) {
  std::string out;
  ForEach(answer, "losses", [&](const Json& loss) {
    out += fmt::format("{:.16} lost rows {} to {} ({}), noted {}\n", Field(loss, "device"),
                       Field(loss, "first_seq"), Field(loss, "last_seq"), Field(loss, "records"),
                       TimeField(loss, "noted_ms"));
  });
  ForEach(answer, "refusals", [&](const Json& row) {
    out += fmt::format("{:.16} refused row {} of {}: {}: {}\n", Field(row, "device"),
                       Field(row, "seq"), Field(row, "stream"), Field(row, "error_name"),
                       Field(row, "reason"));
  });
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
