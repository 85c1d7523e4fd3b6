#include "device-runtime/engine/split/choose.h"

#include <algorithm>
#include <cstdlib>

#include "device-runtime/backends/list.h"
#include "device-runtime/engine/engine.h"

namespace ferry::engine {

using backends::Backend;

namespace {

constexpr std::string_view kCpu = "cpu";

// `known` one after the other, the CPU first.
std::string NamesOf(const std::vector<const Backend*>& known) {
  std::string names(kCpu);
  for (const Backend* backend : known) names += std::string(", ") + backend->name();
  return names;
}

}  // namespace

std::vector<BackendInfo> Backends() {
  std::vector<BackendInfo> all;
  const auto primitives = ir::PrimitiveNames();
  all.push_back({std::string(kCpu), OkStatus(), {primitives.begin(), primitives.end()}});
  for (const Backend* backend : backends::AllBackends()) {
    all.push_back({backend->name(), backend->Available(), backend->Primitives()});
  }
  return all;
}

Result<std::vector<const Backend*>> ChooseBackends(const std::string& names,
                                                   const std::vector<const Backend*>& given) {
  const char* forced = std::getenv("FERRY_BACKEND");
  const bool is_forced = forced != nullptr && *forced != '\0';
  const std::string wanted = is_forced ? forced : names;
  if (wanted.empty()) return given;
  std::vector<const Backend*> known = given, chosen;
  for (const Backend* backend : backends::AllBackends()) known.push_back(backend);
  for (size_t at = 0; at < wanted.size();) {
    const size_t end = std::min(wanted.find(',', at), wanted.size());
    const std::string_view name = std::string_view(wanted).substr(at, end - at);
    at = end + 1;
    if (name == kCpu) continue;
    const auto found = std::ranges::find_if(
        known, [&](const Backend* backend) { return backend->name() == name; });
    if (found == known.end()) {
      return Status::Of(Code::kUnsupported, "{}no backend '{}' in this library; it has: {}",
                        is_forced ? "FERRY_BACKEND: " : "", name, NamesOf(known));
    }
    FERRY_TRY((*found)->Available().Context("backend '{}' is not available", name));
    if (std::ranges::count(chosen, *found) == 0) chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace ferry::engine
