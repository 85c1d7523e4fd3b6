#include "pipeline/event/event.h"

#include <gmock/gmock.h>

#include <random>

namespace ferry::event {
namespace {

using testing::HasSubstr;

TEST(Event, JsonRoundTrip) {
  auto event = ParseEvent(R"({"id":"image","page":"scan","time_ms":12,"data":{"n":[1,2]}})");
  ASSERT_TRUE(event.ok()) << event.status().ToString();
  EXPECT_EQ(event->id, "image");
  EXPECT_EQ(event->page, "scan");
  EXPECT_EQ(event->time_ms, 12);
  auto again = EventFromJson(EventToJson(*event));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(EventToJson(*again), EventToJson(*event));
}

TEST(Event, OnlyTheIdIsNeeded) {
  auto event = ParseEvent(R"({"id":"tick"})");
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->time_ms, 0);
  EXPECT_EQ(event->data, Json::object());
}

TEST(Event, Bad) {
  const std::pair<const char*, const char*> cases[] = {{"[]", "JSON object"},
                                                       {"{}", "id"},
                                                       {R"({"id":""})", "id is empty"},
                                                       {R"({"id":"a b"})", "id has the byte 0x20"},
                                                       {R"({"id":"a","page":3})", "page"},
                                                       {R"({"id":"a","page":"\n"})", "page has"},
                                                       {R"({"id":"a","time_ms":-1})", "time_ms"},
                                                       {R"({"id":"a","time_ms":"x"})", "time_ms"},
                                                       {R"({"id":"a")", ""}};
  for (const auto& [text, part] : cases) {
    auto event = ParseEvent(text);
    ASSERT_FALSE(event.ok()) << text;
    EXPECT_EQ(event.code(), Code::kMalformed) << text;
    EXPECT_THAT(event.status().message(), HasSubstr(part));
  }
}

TEST(Event, Limits) {
  EXPECT_TRUE(CheckName("id", std::string(kMaxNameBytes, 'x')).ok());
  EXPECT_EQ(CheckName("id", std::string(kMaxNameBytes + 1, 'x')).code(), Code::kLimitExceeded);
  std::string text = R"({"id":"a","data":")";
  text += std::string(kMaxEventBytes - text.size() - 2, 'x') + "\"}";
  EXPECT_TRUE(ParseEvent(text).ok());
  EXPECT_EQ(ParseEvent(text + " ").code(), Code::kLimitExceeded);
  EXPECT_FALSE(EventFromJson({{"id", "a"}, {"time_ms", kMaxTimeMs + 1}}).ok());
}

TEST(Event, ItsRowHasItsDataAndWhereItCameFrom) {
  Row row = RowOfEvent({"click", "item", 7, {{"n", 1}}});
  EXPECT_EQ(row.time_ms, 7);
  EXPECT_EQ(row.fields, (Json{{"n", 1}}));
  EXPECT_EQ(row.origin->event, "click");
  EXPECT_EQ(row.origin->page, "item");
  row = RowOfEvent({"click", "", 7, Json::array({1, 2})});
  EXPECT_EQ(row.fields, (Json{{"value", {1, 2}}}));
}

TEST(Event, MutatedTextGivesErrorsOnly) {
  const std::string base = R"({"id":"image","page":"scan","time_ms":12,"data":{"n":[1,2.5e3]}})";
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text = base;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    auto event = ParseEvent(text);
    if (!event.ok())
      EXPECT_FALSE(event.status().message().empty());
    else
      EXPECT_TRUE(EventFromJson(EventToJson(*event)).ok());
  }
}

TEST(Event, OneDatedFarAheadGetsTheTimeOfItsArrival) {
  const int64_t now_ms = 1'800'000'000'000;
  Event event;
  EXPECT_FALSE(StampArrival(now_ms, &event));
  EXPECT_EQ(event.time_ms, now_ms);
  event.time_ms = now_ms + kMaxAheadMs;
  EXPECT_FALSE(StampArrival(now_ms, &event));
  EXPECT_EQ(event.time_ms, now_ms + kMaxAheadMs);
  ++event.time_ms;
  EXPECT_TRUE(StampArrival(now_ms, &event));
  EXPECT_EQ(event.time_ms, now_ms);
}

}  // namespace
}  // namespace ferry::event
