#include "pipeline/event/members.h"

#include <gmock/gmock.h>

#include "common/base/json.h"

namespace ferry::event {
namespace {

TEST(CheckMembers, NamesTheNearest) {
  constexpr std::string_view kKnown[] = {"event", "page", "within_ms"};
  EXPECT_TRUE(CheckMembers(Json::object(), kKnown).ok());
  EXPECT_TRUE(CheckMembers({{"page", 1}, {"event", 2}}, kKnown).ok());
  const std::pair<const char*, const char*> cases[] = {
      {"within", "within_ms"}, {"pgae", "page"}, {"Event", "event"}, {"", "event"}};
  for (const auto& [name, nearest] : cases) {
    const Status status = CheckMembers({{name, 1}}, kKnown);
    EXPECT_EQ(status.code(), Code::kMalformed);
    EXPECT_EQ(status.message(),
              fmt::format("there is no member \"{}\"; did you mean \"{}\"?", name, nearest));
  }
  const Status longest = CheckMembers({{std::string(100'000, 'x'), 1}}, kKnown);
  EXPECT_LT(longest.message().size(), 200u);
}

}  // namespace
}  // namespace ferry::event
