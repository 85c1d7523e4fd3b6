#include "pipeline/rule/rule.h"

#include <gmock/gmock.h>

#include "common/base/json.h"
#include "pipeline/event/event.h"

namespace ferry::rule {
namespace {

using testing::HasSubstr;

Result<Rule> FromText(const std::string& text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return RuleFromJson(json);
}

TEST(RuleJson, RoundTrip) {
  const std::string text = R"j({"name":"cart","per":["user","_page"],"steps":[
    {"name":"a","event":"view","page":"detail","where":"price > 10","times":[1,3],"greedy":true,
     "until":"_event == \"exit\"","inner":"any"},
    {"name":"b","event":"buy","where":"price < sum(a.price)","contiguity":"strict","optional":true,
     "times":[2,4],"until":{"event":"stop","where":"x == 1"}},
    {"name":"c","event":"cancel","not":true}],
    "within_ms":600000,"skip":"first:b","max_runs":7,"max_keys":9})j";
  auto rule = FromText(text);
  ASSERT_TRUE(rule.ok()) << rule.status().ToString();
  EXPECT_EQ(RuleToJson(*rule), *ParseJson(text));
  auto again = RuleFromJson(RuleToJson(*rule));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *rule);
}

TEST(RuleJson, Bad) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", "a rule is a JSON object"},
      {R"({"steps":[]})", "name"},
      {R"({"name":"r","steps":[]})", "without steps"},
      {R"({"name":"r","steps":[3]})", "step 1: a step is a JSON object"},
      {R"({"name":"r","steps":[{"name":"a"}],"within":3})",
       "\"within\"; did you mean \"within_ms\""},
      {R"({"name":"r","steps":[{"name":"a","wehre":"x"}]})", "\"wehre\"; did you mean \"where\""},
      {R"({"name":"r","steps":[{"name":"a","until":{"evnt":"x"}}]})", "until: there is no member"},
      {R"({"name":"r","steps":[{"name":"a","times":[2,1]}]})", "times goes from 2 down to 1"},
      {R"({"name":"r","steps":[{"name":"a","times":[-1,1]}]})", "times is negative"},
      {R"({"name":"r","steps":[{"name":"a","times":0}]})", "times has a 0"},
      {R"({"name":"r","steps":[{"name":"a","times":1001}]})", "the limit is 1000"},
      {R"({"name":"r","steps":[{"name":"a","not":true}]})", "cannot be the first"},
      {R"({"name":"r","steps":[{"name":"a"},{"name":"b","not":true}]})", "needs within_ms"},
      {R"({"name":"r","steps":[{"name":"a"},{"name":"a"}]})", "two steps have the name a"},
      {R"({"name":"r","steps":[{"name":"a"}],"skip":"last:b"})", "skip names b"},
      {R"({"name":"r","steps":[{"name":"a"}],"skip":"all"})", "skip \"all\""},
      {R"({"name":"r","steps":[{"name":"a","where":"1 +"}]})", "step a: where: column 4"},
      {R"({"name":"r","steps":[{"name":"a","where":"b.x > 1"},{"name":"b"}]})",
       "column 1: b is a later"},
      {R"({"name":"r","steps":[{"name":"a","where":"a.x > 1"}]})", "does not repeat"},
      {R"({"name":"r","steps":[{"name":"a","contiguity":"near"}]})", "contiguity \"near\""},
      {R"({"name":"r","steps":[{"name":"a","event":"x y"}]})", "event has the byte"},
      {R"({"name":"r","steps":[{"name":"a","until":{}}]})", "until fits every event"},
      {R"({"name":"r","steps":[{"name":"a"}],"max_runs":0})", "max_runs 0 is below 1"}};
  for (const auto& [text, part] : cases) {
    auto rule = FromText(text);
    ASSERT_FALSE(rule.ok()) << text;
    EXPECT_THAT(rule.status().message(), HasSubstr(part)) << text;
  }
}

EventPtr Make(uint64_t number, const std::string& id, int64_t time_ms, const char* data = "{}") {
  auto event = std::make_shared<event::Event>();
  event->id = id;
  event->time_ms = time_ms;
  event->number = number;
  event->data = *ParseJson(data);
  return event;
}

// "a:1,2 b:3 @time" for each match, by the events' numbers.
std::vector<std::string> Texts(const Rule& rule, const std::vector<Match>& matches) {
  std::vector<std::string> out;
  for (const Match& match : matches) {
    std::string text;
    for (size_t k = 0; k < match.steps(); ++k) {
      if (match.step(k).empty()) continue;
      text += rule.steps[k].name + ":";
      for (const EventPtr& event : match.step(k)) text += std::to_string(event->number) + ",";
      text.back() = ' ';
    }
    out.push_back(text + "@" + std::to_string(match.time_ms));
  }
  return out;
}

TEST(Enumerate, FollowsTheDefinition) {
  const std::vector<EventPtr> events = {
      Make(1, "a", 1, R"({"p":5})"), Make(2, "a", 2, R"({"p":7})"), Make(3, "x", 3),
      Make(4, "b", 4, R"({"p":7})"), Make(5, "b", 20, R"({"p":12})")};
  const auto matches = [&events](const std::string& steps, const std::string& rest) {
    auto rule = FromText(R"({"name":"r","steps":[)" + steps + "]" + rest + "}");
    EXPECT_TRUE(rule.ok()) << rule.status().ToString();
    return rule.ok() ? Texts(*rule, Enumerate(*rule, events)) : std::vector<std::string>();
  };
  using V = std::vector<std::string>;
  const std::string a = R"({"name":"a","event":"a"})", b = R"(,{"name":"b","event":"b"})";
  EXPECT_EQ(matches(a + b, ""), (V{"a:1 b:4 @4"}));
  EXPECT_EQ(matches(a + b, R"(,"skip":"none")"), (V{"a:1 b:4 @4", "a:2 b:4 @4"}));
  const std::string any = R"(,{"name":"b","event":"b","contiguity":"any"})";
  EXPECT_EQ(matches(a + any, R"(,"skip":"none")").size(), 4u);
  EXPECT_EQ(matches(a + any, R"(,"skip":"next")").size(), 2u);
  const std::string loop = R"({"name":"a","event":"a","times":[1,2]})";
  EXPECT_EQ(matches(loop + b, R"(,"skip":"none")"),
            (V{"a:1,2 b:4 @4", "a:1 b:4 @4", "a:2 b:4 @4"}));
  const std::string sum = R"j(,{"name":"b","event":"b","where":"p == sum(a.p)"})j";
  EXPECT_EQ(matches(loop + sum, ""), (V{"a:2 b:4 @4"}));
  const std::string never = R"(,{"name":"n","event":"b","not":true})";
  EXPECT_EQ(matches(a + never, R"(,"within_ms":10)"), V{});
  EXPECT_EQ(matches(a + never, R"(,"within_ms":1,"skip":"none")"), (V{"a:1 @2", "a:2 @3"}));
  const std::string quiet = R"(,{"name":"n","event":"x","not":true})";
  EXPECT_EQ(matches(a + quiet + b, ""), V{});
}

TEST(KeyText, EqualNumbersAreOneKey) {
  const std::string per[] = {"u", "v.w", "_event"};
  EXPECT_EQ(KeyText(per, *Make(1, "a", 1, R"({"u":1.0,"v":{"w":[2.0,"x"]}})")),
            R"([1,[2,"x"],"a"])");
  EXPECT_EQ(KeyText(per, *Make(1, "a", 1, R"({"u":1})")), R"([1,null,"a"])");
  EXPECT_EQ(KeyText(per, *Make(1, "a", 1, R"({"u":-0.0})")), R"([0,null,"a"])");
  EXPECT_EQ(KeyText({}, *Make(1, "a", 1)), "[]");
}

TEST(KeyText, IsTheJsonOfTheValues) {
  const std::string data = R"({"u":["a b~","q\"","\\","\u0001","é",7,-7,1.5,true,null,{"x":2.0}]})";
  const auto all = Make(1, "a", 1, data.c_str());
  for (const Json& value : all->data["u"]) {
    event::Event one;
    one.data["v"] = {{"w", value}};
    one.page = "p\"";
    Json whole = value;
    if (value.is_object()) whole["x"] = 2;
    EXPECT_EQ(KeyText(std::vector<std::string>{"v.w", "_page", "v.none", "v.w.x.y"}, one),
              WriteJson(Json::array({whole, "p\"", nullptr, nullptr})));
  }
}

}  // namespace
}  // namespace ferry::rule
