#include "tools/ferry/stream/run/event_line.h"

#include <gtest/gtest.h>

#include <random>

#include "common/base/json.h"

namespace ferry::cli {
namespace {

// Both readers must agree on every line.
void ExpectSame(const std::string& line) {
  SCOPED_TRACE(line);
  event::Event got;
  bool timed = false;
  const Status status = ParseEventLine(line, &got, &timed);
  const Result<event::Event> expected = event::ParseEvent(line);
  ASSERT_EQ(status.ok(), expected.ok()) << status.ToString() << expected.status().ToString();
  if (!status.ok()) return;
  EXPECT_EQ(got.id, expected->id);
  EXPECT_EQ(got.page, expected->page);
  EXPECT_EQ(got.time_ms, expected->time_ms);
  EXPECT_EQ(got.bytes, expected->bytes);
  EXPECT_EQ(WriteJson(got.data), WriteJson(expected->data));
  EXPECT_EQ(got.data, expected->data);
}

TEST(EventLine, ReadsWhatTheParserReads) {
  const char* const lines[] = {
      R"({"id":"a"})",
      R"( { "id" : "a" , "page" : "p", "time_ms" : 12 , "data" : { "x" : [ 1 , -2 , 3.5e2 ] } } )",
      R"({"id":"a","data":{"a":true,"b":false,"c":null,"d":{},"e":[],"f":"text"}})",
      R"({"id":"a","data":{"x":1,"x":2}})",
      R"({"id":"a","id":"b"})",
      R"({"id":"a","other":{"deep":[1]}})",
      R"({"id":"a","page":null,"time_ms":null,"data":null})",
      R"({"id":"a","data":"\u00e9\n"})",
      "{\"id\":\"a\",\"data\":\"\xc3\xa9\"}",
      "{\"id\":\"a\",\"data\":\"\xff\"}",
      R"({"id":"a","data":18446744073709551615})",
      R"({"id":"a","data":-9223372036854775808})",
      R"({"id":"a","data":123456789012345678})",
      R"({"id":"a","data":[0,-0,0.0,-0.0,1e308,1e-320,0.1,-7]})",
      R"({"id":"a","data":1e999})",
      R"({"id":"a","data":01})",
      R"({"id":"a","data":1.})",
      R"({"id":"a","data":tru})",
      R"({"id":"a","time_ms":-1})",
      R"({"id":"a","time_ms":1.5})",
      R"({"id":"a","time_ms":9007199254740993})",
      R"({"id":"","time_ms":1})",
      R"({"id":"a b"})",
      R"({"page":"p"})",
      R"({"id":"a",})",
      R"({"id":"a"}x)",
      R"({"id":"a")",
      R"([])",
      "",
      "{",
  };
  for (const char* line : lines) ExpectSame(line);
  ExpectSame(R"({"id":"a","data":)" + std::string(40, '[') + std::string(40, ']') + "}");
  ExpectSame(R"({"id":"a","data":)" + std::string(80, '[') + std::string(80, ']') + "}");
}

TEST(EventLine, AgreesOnChangedLines) {
  const std::string seed =
      R"({"id":"click","page":"p/1","time_ms":170,"data":{"n":-12.25e1,"t":"x","l":[true,null]}})";
  std::mt19937_64 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string line = seed;
    for (size_t changes = 1 + random() % 2; changes > 0; --changes) {
      const size_t at = random() % line.size();
      static constexpr std::string_view kBytes = "{}[]\",:\\-+.eE0123tfn \tx";
      if (random() % 3 == 0)
        line.erase(at, 1 + random() % 3);
      else if (random() % 2 == 0)
        line[at] = kBytes[random() % kBytes.size()];
      else
        line.insert(at, 1, kBytes[random() % kBytes.size()]);
    }
    ExpectSame(line);
    if (HasFatalFailure()) return;
  }
}

TEST(EventLine, SaysWhetherThereIsATime) {
  event::Event event;
  bool timed = true;
  EXPECT_TRUE(ParseEventLine(R"({"id":"a"})", &event, &timed).ok());
  EXPECT_FALSE(timed);
  EXPECT_TRUE(ParseEventLine(R"({"id":"a","time_ms":0})", &event, &timed).ok());
  EXPECT_TRUE(timed);
  EXPECT_TRUE(ParseEventLine(R"({"id":"a","time_ms":null,"x":1})", &event, &timed).ok());
  EXPECT_FALSE(timed);
}

}  // namespace
}  // namespace ferry::cli
