#include "device-runtime/task/rehearse/cases.h"

#include <cmath>

#include "device-runtime/task/host.h"

namespace ferry::task {
namespace {

Status ReadFunctions(const Json& json, Case* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* functions, GetObjectOrNull(json, "functions"));
  if (functions == nullptr) return OkStatus();
  for (const auto& [name, results] : functions->items()) {
    if (!results.is_array())
      return Status::Of(Code::kMalformed, "functions: {}: a list of results is needed", name);
    out->functions[name] = std::vector<Json>(results.begin(), results.end());
  }
  return OkStatus();
}

Result<Case> CaseFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "not an object");
  Case out;
  FERRY_ASSIGN_OR_RETURN(out.name, GetStringOr(json, "name", ""));
  FERRY_ASSIGN_OR_RETURN(const Json* events, GetArray(json, "events"));
  if (events->empty()) return Status(Code::kMalformed, "events is empty");
  if (events->size() > kMaxEventsPerCase)
    return Status::Of(Code::kLimitExceeded, "{} events, the limit is {}", events->size(),
                      kMaxEventsPerCase);
  for (const Json& item : *events) {
    auto event = event::EventFromJson(item).Context("event {}", out.events.size() + 1);
    FERRY_ASSIGN_OR_RETURN(event::Event value, std::move(event));
    out.events.push_back(std::move(value));
  }
  FERRY_ASSIGN_OR_RETURN(out.error, GetStringOr(json, "error", ""));
  const auto expect = json.find("expect");
  if (expect != json.end()) out.expect = *expect;
  FERRY_TRY(ReadFunctions(json, &out));
  const bool expects = expect != json.end();
  FERRY_ASSIGN_OR_RETURN(const bool any, GetBoolOr(json, "any", false));
  if (any && (expects || !out.error.empty() || !out.functions.empty()))
    return Status(Code::kMalformed, "any stands alone: nothing else is expected with it");
  if (expects && !out.error.empty())
    return Status(Code::kMalformed, "one of expect and error is needed");
  if (!expects && !any && out.error.empty() && out.functions.empty())
    return Status(Code::kMalformed, "one of expect, error, functions and any is needed");
  out.expects = expects;
  FERRY_ASSIGN_OR_RETURN(out.tolerance, GetNumberOr(json, "tolerance", 0));
  if (!(out.tolerance >= 0)) return Status(Code::kMalformed, "tolerance is negative");
  return out;
}

std::string Short(const Json& json) {
  constexpr size_t kShown = 80;
  std::string text = WriteJson(json);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

Status Differs(const std::string& place, const Json& expected, const Json& got) {
  return Status::Of(Code::kInvalidArgument, "{}: expected {}, got {}",
                    place.empty() ? "result" : place, Short(expected), Short(got));
}

Status CompareAt(const std::string& place, const Json& expected, const Json& got,
                 double tolerance) {
  if (expected.is_number() && got.is_number()) {
    const double off = std::fabs(expected.get<double>() - got.get<double>());
    if (expected == got || off <= tolerance) return OkStatus();
    return Differs(place, expected, got);
  }
  if (expected.is_object() && got.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      const std::string inner = place.empty() ? key : place + "." + key;
      const auto found = got.find(key);
      if (found == got.end())
        return Status::Of(Code::kInvalidArgument, "{}: expected {}, but it is missing", inner,
                          Short(value));
      FERRY_TRY(CompareAt(inner, value, *found, tolerance));
    }
    return OkStatus();
  }
  if (expected.is_array() && got.is_array() && expected.size() == got.size()) {
    size_t k = 0;
    for (auto left = expected.begin(), right = got.begin(); left != expected.end(); ++left, ++right)
      FERRY_TRY(CompareAt(fmt::format("{}[{}]", place, k++), *left, *right, tolerance));
    return OkStatus();
  }
  return expected == got ? OkStatus() : Differs(place, expected, got);
}

}  // namespace

Result<std::vector<Case>> CasesFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "not an object with cases");
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(json, "cases"));
  if (list->size() > kMaxCases)
    return Status::Of(Code::kLimitExceeded, "{} cases, the limit is {}", list->size(), kMaxCases);
  std::vector<Case> out;
  for (const Json& item : *list) {
    auto one = CaseFromJson(item).Context("case {}", out.size() + 1);
    FERRY_ASSIGN_OR_RETURN(Case value, std::move(one));
    if (value.name.empty()) value.name = fmt::format("case {}", out.size() + 1);
    out.push_back(std::move(value));
  }
  return out;
}

Result<std::vector<Case>> ReadCases(const package::Package& package, const Json& spec) {
  std::vector<Case> out;
  if (spec.empty()) return out;
  if (spec.contains("events")) {
    FERRY_ASSIGN_OR_RETURN(Case one, CaseFromJson(spec));
    if (one.name.empty()) one.name = "probe";
    out.push_back(std::move(one));
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(std::string file, GetString(spec, "cases"));
  FERRY_ASSIGN_OR_RETURN(int64_t count, GetIntOr(spec, "count", static_cast<int64_t>(kMaxCases)));
  if (count < 1) return Status::Of(Code::kMalformed, "count {} is not positive", count);
  FERRY_ASSIGN_OR_RETURN(ByteView bytes, package.VerifiedFile(file));
  auto json = ParseJson(AsText(bytes)).Context("{}", file);
  if (!json.ok()) return json.status();
  auto cases = CasesFromJson(*json).Context("{}", file);
  FERRY_ASSIGN_OR_RETURN(out, std::move(cases));
  if (out.size() > static_cast<size_t>(count)) out.erase(out.begin() + count, out.end());
  return out;
}

Status CompareExpected(const Json& expected, const Json& got, double tolerance) {
  return CompareAt("", expected, got, tolerance);
}

}  // namespace ferry::task
