// How many devices of a search have which values: what a search can be narrowed by.
#include <algorithm>
#include <unordered_map>

#include "cloud-server/admin/routes.h"
#include "policy/target/predicate.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxFacetValues = 50;  // of one facet that are shown, those of most devices

using FacetCounts = std::unordered_map<std::string, int64_t>;

struct Facet {
  FacetCounts counts;

  void Add(const std::string& value) { ++counts[value]; }
  void AddKnown(const std::optional<std::string>& value) {
    if (value) ++counts[*value];
  }

  // `filter`: the search for one of the values.
  Json Show(const std::function<std::string(const std::string&)>& filter) const {
    std::vector<std::pair<std::string, int64_t>> values(counts.begin(), counts.end());
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (values.size() > kMaxFacetValues) values.resize(kMaxFacetValues);
    Json shown = Json::array();
    for (const auto& [value, count] : values)
      shown.push_back({{"value", value}, {"count", count}, {"filter", filter(value)}});
    return shown;
  }
};

struct Facets {
  Facet os, app_version, device_class, tags, running, blocked;
  int64_t total = 0;

  void Add(const fleet::Device& device) {
    ++total;
    os.AddKnown(device.os);
    app_version.AddKnown(device.app_version);
    device_class.AddKnown(device.device_class);
    // The word of both sides counts once.
    for (const std::string& tag : device.tags) tags.Add(tag);
    for (const std::string& tag : device.operator_tags)
      if (std::find(device.tags.begin(), device.tags.end(), tag) == device.tags.end())
        tags.Add(tag);
    for (const auto& [package, version] : device.running) running.Add(package + "/" + version);
    blocked.Add(device.blocked ? "true" : "false");
  }

  Json Show() const {
    const auto equals = [](const char* name) {
      return [name](const std::string& value) {
        return fmt::format("{} == {}", name, target::Quote(value));
      };
    };
    const auto tag = [](const std::string& value) {
      return fmt::format("tag({})", target::Quote(value));
    };
    const auto runs = [](const std::string& value) {
      const size_t slash = value.find('/');
      return fmt::format("runs({}) == {}", target::Quote(value.substr(0, slash)),
                         target::Quote(value.substr(slash + 1)));
    };
    return {{"os", os.Show(equals("os"))},
            {"app_version", app_version.Show(equals("app_version"))},
            {"device_class", device_class.Show(equals("device_class"))},
            {"tags", tags.Show(tag)},
            {"running", running.Show(runs)},
            {"blocked", blocked.Show(equals("blocked"))}};
  }
};

Result<Json> GetFacets(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const list::Query query,
                         list::ReadQuery(call.http.query, fleet::DeviceSpec()));
  Facets facets;
  FERRY_TRY(call.fleet.Look([&](const fleet::Devices& devices) {
    for (const auto& device : devices)
      if (!query.filter || target::Matches(*query.filter, *device, {})) facets.Add(*device);
    return OkStatus();
  }));
  return Json{{"facets", facets.Show()}, {"total", facets.total}};
}

}  // namespace

void Add_facets(Routes& routes) {
  routes.Add("GET", "/api/v1/devices/facets", GetFacets);
}

}  // namespace ferry::server
