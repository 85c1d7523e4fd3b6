#include "cloud-server/fleet/device.h"

#include <algorithm>

#include "cloud-server/core/apply.h"
#include "common/base/json.h"

namespace ferry::server::fleet {
namespace {

using list::ColumnKind;
using list::Value;
using target::Comparison;
using target::Condition;
using target::Truth;

enum DeviceColumn : size_t {
  kId,
  kOs,
  kAppVersion,
  kDeviceClass,
  kMeasuredClass,
  kRuntimeVersion,
  kMemoryBytes,
  kFreeBytes,
  kEnrolledMs,
  kLastSeenMs,
  kRootVersion,
  kBlocked,
  kState,
};
// In that order.
const std::vector<list::Column> kDeviceColumns = {
    {"id", ColumnKind::kText},
    {"os", ColumnKind::kText},
    {"app_version", ColumnKind::kVersion},
    {"device_class", ColumnKind::kText},
    {"measured_class", ColumnKind::kText},
    {"runtime_version", ColumnKind::kVersion},
    {"memory_bytes", ColumnKind::kNumber},
    {"free_bytes", ColumnKind::kNumber},
    {"enrolled_ms", ColumnKind::kNumber},
    {"last_seen_ms", ColumnKind::kNumber},
    {"root_version", ColumnKind::kNumber},
    {"blocked", ColumnKind::kFlag},
    {"state", ColumnKind::kText},
};

Value TextOrNone(const std::optional<std::string>& text) {
  return text ? Value::Of(std::string_view(*text)) : Value();
}

Value NumberOrNone(const std::optional<int64_t>& number) {
  return number ? Value::Of(*number) : Value();
}

Truth TruthFrom(bool value) {
  return value ? Truth::kTrue : Truth::kFalse;
}

// runs("digits"): any version of it; runs("digits") == "1.0.0", != , in (..).
class Runs : public target::Predicate {
 public:
  std::string_view name() const override { return "runs"; }
  Form form() const override { return Form::kKeyed; }

  Status Check(const Condition& condition) const override {
    const bool plain =
        condition.comparison == Comparison::kCall || condition.comparison == Comparison::kEqual ||
        condition.comparison == Comparison::kNotEqual || condition.comparison == Comparison::kIn;
    if (plain && !condition.number) return OkStatus();
    return Status(Code::kBadRule,
                  "runs takes a package, and ==, != or in with versions: runs(\"digits\") == "
                  "\"1.0.0\"");
  }

  target::Outcome Test(const Condition& condition, const target::Attributes& device,
                       std::string_view) const override {
    const auto& running = static_cast<const Device&>(device).running;
    const auto found = running.find(condition.values[0]);
    if (found == running.end())
      return {TruthFrom(condition.comparison == Comparison::kNotEqual), {}};
    if (condition.values.size() == 1) return {Truth::kTrue, {}};
    const bool listed = std::find(condition.values.begin() + 1, condition.values.end(),
                                  found->second) != condition.values.end();
    return {TruthFrom(listed != (condition.comparison == Comparison::kNotEqual)), {}};
  }
};

class DeviceText : public target::Predicate {
 public:
  std::string_view name() const override { return "text"; }
  Form form() const override { return Form::kCall; }

  Status Check(const Condition& condition) const override {
    if (condition.values.size() == 1 && !condition.values[0].empty()) return OkStatus();
    return Status(Code::kBadRule, "text takes one part of a text: text(\"berlin\")");
  }

  target::Outcome Test(const Condition& condition, const target::Attributes& attributes,
                       std::string_view) const override {
    const auto& device = static_cast<const Device&>(attributes);
    const std::string& text = condition.values[0];
    if (list::ContainsText(device.device_id, text)) return {Truth::kTrue, {}};
    for (size_t part = 0; part < kParts; ++part)
      if (PartHasText(device, part, text)) return {Truth::kTrue, {}};
    return {Truth::kFalse, {}};
  }
};

bool HasText(const std::optional<std::string>& word, std::string_view text) {
  return word && list::ContainsText(*word, text);
}
bool HasText(const std::vector<std::string>& words, std::string_view text) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return list::ContainsText(word, text); });
}
bool HasText(const std::map<std::string, std::string>& words, std::string_view text) {
  return std::any_of(words.begin(), words.end(), [&](const auto& word) {
    return list::ContainsText(word.first, text) || list::ContainsText(word.second, text);
  });
}

}  // namespace

Value Device::At(size_t column) const {
  switch (column) {
    case kId:
      return Value::Of(std::string_view(device_id));
    case kOs:
      return TextOrNone(os);
    case kAppVersion:
      return TextOrNone(app_version);
    case kDeviceClass:
      return TextOrNone(device_class);
    case kMeasuredClass:
      return TextOrNone(measured_class);
    case kRuntimeVersion:
      return TextOrNone(runtime_version);
    case kMemoryBytes:
      return NumberOrNone(memory_bytes);
    case kFreeBytes:
      return NumberOrNone(free_bytes);
    case kEnrolledMs:
      return Value::Of(enrolled_ms);
    case kLastSeenMs:
      return Value::Of(last_seen_ms);
    case kRootVersion:
      return root_version == 0 ? Value() : Value::Of(root_version);
    case kBlocked:
      return Value::Of(int64_t{blocked});
    default:
      return state.empty() ? Value() : Value::Of(std::string_view(state));
  }
}

std::optional<Part> PartOfColumn(size_t column) {
  switch (column) {
    case kOs:
      return kPartOs;
    case kAppVersion:
      return kPartAppVersion;
    case kDeviceClass:
      return kPartDeviceClass;
    case kMeasuredClass:
      return kPartMeasuredClass;
    case kRuntimeVersion:
      return kPartRuntimeVersion;
    case kState:
      return kPartState;
    default:
      return std::nullopt;
  }
}

Device DeviceFrom(const DeviceRow& row) {
  Device device;
  static_cast<target::Attributes&>(device) = AttributesOf(row);
  if (row.utc_offset_minutes != kOffsetUnknown)
    device.utc_offset_minutes = static_cast<int>(row.utc_offset_minutes);
  device.blocked = row.blocked;
  device.enrolled_ms = row.enrolled_ms;
  device.last_seen_ms = row.last_seen_ms;
  device.root_version = row.root_version;
  return device;
}

Json ToJson(const Device& device) {
  const auto number = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json json = {{"id", device.device_id},
               {"os", device.os.value_or("")},
               {"app_version", device.app_version.value_or("")},
               {"device_class", device.device_class.value_or("")},
               {"tags", device.tags},
               {"operator_tags", device.operator_tags},
               {"extra", device.extra},
               {"runtime_version", device.runtime_version.value_or("")},
               {"memory_bytes", number(device.memory_bytes)},
               {"free_bytes", number(device.free_bytes)},
               {"isa", device.isa},
               {"measured_class", device.measured_class.value_or("")},
               {"utc_offset_minutes", number(device.utc_offset_minutes)},
               {"user", device.user},
               {"at_rest", device.at_rest},
               {"root_version", device.root_version == 0 ? Json() : Json(device.root_version)},
               {"groups", device.groups},
               {"enrolled_ms", device.enrolled_ms},
               {"last_seen_ms", device.last_seen_ms},
               {"blocked", device.blocked},
               {"running", device.running}};
  if (device.state.empty()) return json;
  json["state"] = device.state;
  json["state_ms"] = device.state_ms;
  return json;
}

bool PartHasText(const Device& device, size_t part, std::string_view text) {
  switch (part) {
    case kPartOs:
      return HasText(device.os, text);
    case kPartAppVersion:
      return HasText(device.app_version, text);
    case kPartDeviceClass:
      return HasText(device.device_class, text);
    case kPartMeasuredClass:
      return HasText(device.measured_class, text);
    case kPartRuntimeVersion:
      return HasText(device.runtime_version, text);
    case kPartTags:
      return HasText(device.operator_tags, text) || HasText(device.tags, text);
    case kPartGroups:
      return HasText(device.groups, text);
    case kPartExtra:
      return HasText(device.extra, text);
    case kPartUser:
      return HasText(device.user, text);
    case kPartRunning:
      return HasText(device.running, text);
    case kPartState:
      return list::ContainsText(device.state, text);
    default:
      return false;  // nobody searches for what a processor runs
  }
}

const target::Predicate* DeviceTextPredicate() {
  static const auto* const predicate = new DeviceText;
  return predicate;
}

const list::Vocabulary& DeviceVocabulary() {
  static const auto* const vocabulary = [] {
    std::vector<const target::Predicate*> names = target::AllPredicates();
    names.push_back(new Runs);
    names.push_back(DeviceTextPredicate());
    return new list::Vocabulary(kDeviceColumns, std::move(names));
  }();
  return *vocabulary;
}

}  // namespace ferry::server::fleet
