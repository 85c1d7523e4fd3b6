// How many devices of a search have which values: what a search can be narrowed by.
#include <algorithm>
#include <map>
#include <set>

#include "cloud-server/admin/routes.h"
#include "cloud-server/fleet/matcher.h"
#include "policy/target/predicate.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxFacetValues = 50;  // of one facet that are shown, those of most devices

// How many devices have each content of a part, with one that has it.
class PartCounts {
 public:
  explicit PartCounts(fleet::Part part) : part_(part) {}
  void Add(const fleet::Face& face, size_t i) {
    const size_t code = face.codes[part_];
    if (code >= counts_.size()) counts_.resize(code + 1);
    ++counts_[code].devices;
    counts_[code].example = i;
  }
  // `values` names what is counted of a content, each value once.
  template <typename Values>
  std::map<std::string, int64_t> Of(const fleet::Devices& devices, const Values& values) const {
    std::map<std::string, int64_t> counts;
    for (const One& one : counts_) {
      if (one.devices == 0) continue;
      for (const std::string& value : values(*devices[one.example])) counts[value] += one.devices;
    }
    return counts;
  }

 private:
  struct One {
    int64_t devices = 0;
    size_t example = 0;
  };
  const fleet::Part part_;
  std::vector<One> counts_;
};

std::vector<std::string> KnownText(const std::optional<std::string>& text) {
  return text ? std::vector{*text} : std::vector<std::string>();
}

// The word of both sides counts once.
std::set<std::string> AllTags(const fleet::Device& device) {
  std::set<std::string> tags(device.tags.begin(), device.tags.end());
  tags.insert(device.operator_tags.begin(), device.operator_tags.end());
  return tags;
}

std::vector<std::string> AllRunning(const fleet::Device& device) {
  std::vector<std::string> all;
  for (const auto& [package, version] : device.running) all.push_back(package + "/" + version);
  return all;
}

// `filter`: the search for one of the values.
Json ShowFacet(const std::map<std::string, int64_t>& counts,
               const std::function<std::string(const std::string&)>& filter) {
  std::vector<std::pair<std::string, int64_t>> values(counts.begin(), counts.end());
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (values.size() > kMaxFacetValues) values.resize(kMaxFacetValues);
  Json shown = Json::array();
  for (const auto& [value, count] : values)
    shown.push_back({{"value", value}, {"count", count}, {"filter", filter(value)}});
  return shown;
}

struct Facets {
  PartCounts os{fleet::kPartOs};
  PartCounts app_version{fleet::kPartAppVersion};
  PartCounts device_class{fleet::kPartDeviceClass};
  PartCounts tags{fleet::kPartTags};
  PartCounts running{fleet::kPartRunning};
  int64_t blocked = 0;
  int64_t total = 0;

  void Add(const fleet::Devices& devices, size_t i) {
    const fleet::Face& face = devices.faces[i];
    ++total;
    for (PartCounts* one : {&os, &app_version, &device_class, &tags, &running}) one->Add(face, i);
    blocked += face.blocked ? 1 : 0;
  }

  std::map<std::string, int64_t> Blocked() const {
    std::map<std::string, int64_t> counts;
    if (blocked > 0) counts["true"] = blocked;
    if (total > blocked) counts["false"] = total - blocked;
    return counts;
  }

  Json Show(const fleet::Devices& devices) const {
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
    using fleet::Device;
    const auto os_of = [](const Device& device) { return KnownText(device.os); };
    const auto app_of = [](const Device& device) { return KnownText(device.app_version); };
    const auto class_of = [](const Device& device) { return KnownText(device.device_class); };
    return {{"os", ShowFacet(os.Of(devices, os_of), equals("os"))},
            {"app_version", ShowFacet(app_version.Of(devices, app_of), equals("app_version"))},
            {"device_class", ShowFacet(device_class.Of(devices, class_of), equals("device_class"))},
            {"tags", ShowFacet(tags.Of(devices, AllTags), tag)},
            {"running", ShowFacet(running.Of(devices, AllRunning), runs)},
            {"blocked", ShowFacet(Blocked(), equals("blocked"))}};
  }
};

Result<Json> GetFacets(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const list::Query query,
                         list::ReadQuery(call.http.query, fleet::DeviceSpec()));
  Json json;
  FERRY_TRY(call.fleet.Look([&](const fleet::Devices& devices) {
    Facets facets;
    std::optional<fleet::Matcher> matcher;
    if (query.filter) matcher.emplace(*query.filter);
    for (size_t i = 0; i < devices.size(); ++i)
      if (!matcher || matcher->Matches(devices, i)) facets.Add(devices, i);
    json = {{"facets", facets.Show(devices)}, {"total", facets.total}};
    return OkStatus();
  }));
  return json;
}

}  // namespace

void Add_facets(Routes& routes) {
  routes.Add("GET", "/api/v1/devices/facets", GetFacets);
}

}  // namespace ferry::server
