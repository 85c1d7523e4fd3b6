// Filters over a fleet against the rules' own evaluator, on random devices and random filters.
#include "cloud-server/fleet/matcher.h"

#include <gtest/gtest.h>

#include <random>

#include "cloud-server/fleet/fleet.h"
#include "policy/target/groups.h"
#include "policy/target/predicate.h"

namespace ferry::server::fleet {
namespace {

// Of every name that filters know, some conditions.
const std::map<std::string, std::vector<const char*>>& Conditions() {
  static const auto* const all = new std::map<std::string, std::vector<const char*>>{
      {"app_version", {"app_version >= \"1.2.0\"", "app_version in \">=1.1 <2\""}},
      {"blocked", {"blocked == \"true\"", "blocked != \"true\""}},
      {"device", {"device(\"d0001\")", "device(\"d0002\", \"d0003\")"}},
      {"device_class", {"device_class in (\"high\", \"mid\")", "device_class == \"low\""}},
      {"enrolled_ms", {"enrolled_ms > 500", "enrolled_ms <= 100"}},
      {"extra", {"extra(\"region\") == \"eu\"", "extra(\"battery\") > 20"}},
      {"free_bytes", {"free_bytes > 100 MiB"}},
      {"free_space", {"free_space > 100 MiB", "free_space < 10 MiB"}},
      {"group", {"group(\"staff\")", "group(\"apps\")", "group(\"half\")"}},
      {"id", {"id == \"d0001\"", "id >= \"d01\""}},
      {"isa", {"isa == \"avx2\"", "isa in (\"neon\")"}},
      {"last_seen_ms", {"last_seen_ms > 500"}},
      {"measured_class", {"measured_class == \"high\"", "measured_class != \"low\""}},
      {"memory", {"memory >= 4 GiB"}},
      {"memory_bytes", {"memory_bytes >= 4 GiB"}},
      {"operator_tag", {"operator_tag(\"eu\")", "operator_tag(\"eu/de\")"}},
      {"os", {"os == \"linux\"", "os != \"linux\"", "os in (\"ios\", \"android\")"}},
      {"own_tag", {"own_tag(\"eu\")", "own_tag(\"beta\")"}},
      {"percent", {"percent(30)", "percent(50, \"salt\")"}},
      {"root_version", {"root_version == 1"}},
      {"runs", {"runs(\"digits\")", "runs(\"digits\") == \"1.0.0\"", "runs(\"speech\") != \"2\""}},
      {"runtime_version", {"runtime_version < \"1.2.0\""}},
      {"state", {"state == \"copied\""}},
      {"tag", {"tag(\"eu\")", "tag(\"beta\", \"lab\")"}},
      {"text", {"text(\"EU\")", "text(\"d00\")", "text(\"1.0\")", "text(\"nothing\")"}},
      {"user", {"user(\"plan\") == \"pro\"", "user(\"age\") >= 18"}},
  };
  return *all;
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : draw_(seed) {}
  size_t Below(size_t n) { return draw_() % n; }
  bool Often() { return Below(3) > 0; }
  std::string Of(std::initializer_list<const char*> texts) {
    return texts.begin()[Below(texts.size())];
  }
  std::optional<std::string> Maybe(std::initializer_list<const char*> texts) {
    return Often() ? std::optional(Of(texts)) : std::nullopt;
  }
  std::vector<std::string> Some(std::initializer_list<const char*> texts) {
    std::vector<std::string> some;
    for (const char* text : texts)
      if (Below(4) == 0) some.emplace_back(text);
    return some;
  }

 private:
  std::mt19937_64 draw_;
};

Device RandomDevice(Draw& draw, size_t i, const std::shared_ptr<const target::Groups>& groups) {
  Device device;
  device.device_id = fmt::format("d{:04}", i);
  device.os = draw.Maybe({"linux", "ios", "android"});
  device.app_version = draw.Maybe({"1.0.0", "1.2.0", "2.0.0", "none"});
  device.device_class = draw.Maybe({"high", "mid", "low"});
  device.measured_class = draw.Maybe({"high", "low"});
  device.runtime_version = draw.Maybe({"1.0.0", "1.2.0"});
  device.tags = draw.Some({"beta", "eu/de", "lab"});
  device.operator_tags = draw.Some({"eu", "eu/de/berlin", "us"});
  device.groups = draw.Some({"staff", "other"});
  device.isa = draw.Some({"avx2", "neon"});
  if (draw.Often()) device.extra["region"] = draw.Of({"eu", "us"});
  if (draw.Often()) device.extra["battery"] = draw.Of({"7", "70", "full"});
  if (draw.Often()) device.user["plan"] = draw.Of({"pro", "free"});
  if (draw.Often()) device.user["age"] = draw.Of({"17", "18"});
  if (draw.Often()) device.running["digits"] = draw.Of({"1.0.0", "1.1.0"});
  if (draw.Often()) device.running["speech"] = draw.Of({"2", "3"});
  if (draw.Often()) device.memory_bytes = int64_t{1} << (30 + draw.Below(5));
  if (draw.Often()) device.free_bytes = int64_t{1} << (22 + draw.Below(8));
  device.blocked = draw.Below(2) == 0;
  device.enrolled_ms = static_cast<int64_t>(draw.Below(1000));
  device.last_seen_ms = static_cast<int64_t>(draw.Below(1000));
  device.root_version = static_cast<int64_t>(draw.Below(3));
  device.state = draw.Of({"", "copied", "restored"});
  device.fleet_groups = groups;
  return device;
}

std::string RandomFilter(Draw& draw, int depth) {
  if (depth == 0 || draw.Below(3) == 0) {
    auto kind = Conditions().begin();
    std::advance(kind, draw.Below(Conditions().size()));
    const char* condition = kind->second[draw.Below(kind->second.size())];
    return draw.Below(4) == 0 ? fmt::format("not ({})", condition) : condition;
  }
  std::string filter = "(" + RandomFilter(draw, depth - 1);
  const char* const word = draw.Below(2) == 0 ? " and " : " or ";
  for (size_t i = draw.Below(3) + 1; i > 0; --i) filter += word + RandomFilter(draw, depth - 1);
  return filter + ")";
}

target::Rule FilterOf(const std::string& text) {
  const Result<list::Query> query = list::ReadQuery({{"filter", text}}, DeviceSpec());
  EXPECT_TRUE(query.ok()) << text << ": " << query.status().ToString();
  return query.ok() ? *query->filter : target::Rule();
}

std::shared_ptr<const target::Groups> SomeGroups() {
  return *target::Groups::Make({{"staff", std::nullopt},
                                {"apps", FilterOf("app_version >= \"1.2.0\"")},
                                {"half", FilterOf("percent(50) or tag(\"lab\")")}});
}

TEST(Matcher, HasConditionsOfEveryName) {
  for (const target::Predicate* name : DeviceVocabulary().names())
    EXPECT_TRUE(Conditions().contains(std::string(name->name()))) << name->name();
}

TEST(Matcher, AnswersAsRulesDo) {
  const auto groups = SomeGroups();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Draw draw(seed);
    PartCodes codes;
    Devices devices;
    for (size_t i = 0; i < 200; ++i) {
      devices.all.push_back(std::make_unique<Device>(RandomDevice(draw, i, groups)));
      Device& device = *devices.all.back();
      if (i % 20 == 0) device.device_id += std::string(Face::kIdBytes, 'x');
      codes.Encode(&device);
      devices.faces.emplace_back(device);
    }
    int trues = 0, falses = 0, unknowns = 0;
    for (int round = 0; round < 300; ++round) {
      const std::string text = RandomFilter(draw, 3);
      const target::Rule filter = FilterOf(text);
      Matcher matcher(filter), by_faces(filter);
      for (size_t i = 0; i < devices.size(); ++i) {
        const Device& device = *devices[i];
        const target::Truth truth = target::TruthOf(filter, device, {});
        ASSERT_EQ(matcher.TruthOf(device), truth) << text << " for " << device.device_id;
        ASSERT_EQ(by_faces.Matches(devices, i), truth == target::Truth::kTrue)
            << text << " for " << device.device_id;
        ++(truth == target::Truth::kTrue    ? trues
           : truth == target::Truth::kFalse ? falses
                                            : unknowns);
      }
    }
    EXPECT_GT(trues, 1000);
    EXPECT_GT(falses, 1000);
    EXPECT_GT(unknowns, 1000);
  }
}

TEST(PartCodes, AreEqualWhereThePartIs) {
  Draw draw(7);
  PartCodes codes;
  std::vector<Device> devices;
  for (size_t i = 0; i < 60; ++i) {
    devices.push_back(RandomDevice(draw, i, nullptr));
    codes.Encode(&devices.back());
  }
  for (const Device& a : devices) {
    for (const Device& b : devices) {
      EXPECT_EQ(a.codes[kPartOs] == b.codes[kPartOs], a.os == b.os);
      EXPECT_EQ(a.codes[kPartTags] == b.codes[kPartTags],
                a.tags == b.tags && a.operator_tags == b.operator_tags);
      EXPECT_EQ(a.codes[kPartExtra] == b.codes[kPartExtra], a.extra == b.extra);
      EXPECT_EQ(a.codes[kPartRunning] == b.codes[kPartRunning], a.running == b.running);
    }
  }
  // Texts that run into each other, and what is not there beside what is empty.
  Device one, two, none;
  one.tags = {"ab", "c"};
  two.tags = {"a", "bc"};
  two.operator_tags = {};
  none.os = std::nullopt;
  one.os = "";
  for (Device* device : {&one, &two, &none}) codes.Encode(device);
  EXPECT_NE(one.codes[kPartTags], two.codes[kPartTags]);
  EXPECT_NE(one.codes[kPartOs], none.codes[kPartOs]);
}

}  // namespace
}  // namespace ferry::server::fleet
