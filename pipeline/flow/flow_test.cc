// Cases in text, and what needs code: limits and statistics.
#include "pipeline/flow/flow.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "pipeline/flow/flow_world.h"

namespace ferry::flow {
namespace {

// Lines of a case:
//   task [OWNER] {..}      the owner's definition, as in task.json; "-" or nothing: no owner
//   refused OWNER {..}     it is refused; the next "=>" line says with what
//   remove OWNER
//   ID[@PAGE] TIME JSON    an event
//   emit OWNER SOURCE TIME JSON
//   clock NOW | time TIME | flush | commit | restart
//   => what was told, in order, all of it
class FlowCase {
 public:
  void Line(const std::string& line) {
    SCOPED_TRACE(line);
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "=>") {
      ASSERT_FALSE(world_.told().empty()) << "nothing was told";
      EXPECT_EQ("=> " + world_.told().front(), line);
      world_.told().pop_front();
      return;
    }
    ASSERT_TRUE(world_.told().empty()) << "not expected: " << world_.told().front();
    if (word == "task" || word == "refused") return Task(word == "refused", in);
    if (word == "remove") return world_.Remove(Word(in));
    if (word == "flush") return world_.Flush();
    if (word == "commit") return world_.Commit();
    if (word == "restart") {
      world_.Commit();
      return world_.Restart();
    }
    if (word == "clock") return world_.Advance(std::stoll(Word(in)));
    if (word == "time") return world_.AdvanceEventTime(std::stoll(Word(in)));
    if (word == "emit") {
      const std::string owner = Owner(Word(in)), source = Word(in);
      const int64_t time_ms = std::stoll(Word(in));
      return world_.Emit(owner, source, time_ms, Rest(in));
    }
    event::Event event;
    const size_t at = word.find('@');
    event.id = word.substr(0, at);
    if (at != word.npos) event.page = word.substr(at + 1);
    event.time_ms = std::stoll(Word(in));
    event.data = Rest(in);
    world_.OnEvent(std::move(event));
  }
  void End() { EXPECT_TRUE(world_.told().empty()) << "not expected: " << world_.told().front(); }

 private:
  static std::string Word(std::istringstream& in) {
    std::string word;
    in >> word;
    return word;
  }
  static std::string Owner(const std::string& word) { return word == "-" ? "" : word; }
  static Json Rest(std::istringstream& in) {
    std::string rest;
    std::getline(in, rest);
    if (rest.find_first_not_of(' ') == rest.npos) return Json::object();
    auto json = ParseJson(rest);
    EXPECT_TRUE(json.ok()) << rest;
    return json.value_or(Json());
  }
  void Task(bool refused, std::istringstream& in) {
    const std::string owner = Owner(Word(in));
    const Status status = world_.Use(owner, Rest(in));
    EXPECT_EQ(status.ok(), !refused) << status.ToString();
    if (!status.ok()) world_.told().push_back(status.message());
  }

  FlowWorld world_;
};

TEST(Flow, Cases) {
  size_t lines = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(FERRY_SOURCE_DIR "/pipeline/flow/cases")) {
    SCOPED_TRACE(file.path().string());
    FlowCase one;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      ++lines;
      one.Line(line);
      if (testing::Test::HasFailure()) break;
    }
    one.End();
  }
  EXPECT_GT(lines, 100u);
}

TEST(Flow, AnEventLeadsToSoManyRowsAndNoMore) {
  // Two rules that read each other's stream, twice each: a flood that doubles at every turn.
  const Json task = ParseJson(R"({
    "rules":[{"name":"r","steps":[{"name":"x","event":"s"}],"skip":"none"},
             {"name":"r2","steps":[{"name":"x","event":"s"}],"skip":"none"}],
    "streams":[{"name":"s","source":["e","r","r2"],"operators":[]}]})")
                        .value();
  FlowWorld world;
  const Status used = world.Use("", task);
  ASSERT_TRUE(used.ok()) << used.ToString();
  world.OnEvent({"e", "", 1, {}});
  const OwnerStats stats = world.flow().stats("");
  EXPECT_GT(stats.cascades, 0);
  EXPECT_LT(world.told().size(), 3 * kMaxCascade);
  EXPECT_THAT(world.told().back(), testing::HasSubstr("the limit"));
  // The next event begins with nothing left of it.
  world.told().clear();
  world.OnEvent({"other", "", 2, {}});
  EXPECT_TRUE(world.told().empty());
}

TEST(Flow, WhatDoesNotConcernAnEventTellsNothing) {
  FlowWorld world;
  ASSERT_TRUE(world.Use("", Json{{"rules", "rule r { a: a }"}}).ok());
  EXPECT_EQ(world.flow().next_tick_ms(), INT64_MAX);
  world.OnEvent({"b", "", 1, {}});
  EXPECT_TRUE(world.told().empty());
  EXPECT_EQ(world.flow().oldest(), 0u);
}

TEST(Flow, OldestIsTheFirstEventThatARunRefersTo) {
  FlowWorld world;
  ASSERT_TRUE(world.Use("", Json{{"rules", "rule r { a: a; b: b }"}}).ok());
  world.OnEvent({"b", "", 1, {}});
  world.OnEvent({"a", "", 2, {}});
  EXPECT_EQ(world.flow().oldest(), 2u);
  world.OnEvent({"b", "", 3, {}});
  EXPECT_EQ(world.flow().oldest(), 0u);
}

}  // namespace
}  // namespace ferry::flow
