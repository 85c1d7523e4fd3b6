// ferry_stream_*: a graph of streams without a package and without a runtime.
#include <gtest/gtest.h>

#include <string>

#include "common/base/json.h"
#include "device-runtime/api/ferry.h"
#include "device-runtime/api/ferry.hpp"

namespace ferry::api {
namespace {

constexpr const char* kWindows = R"([
  {"name": "warm", "source": "sensor", "operators": [
     {"op": "filter", "where": "celsius > 20"},
     {"op": "window", "size_ms": 1000, "key": ["room"],
      "aggregates": [{"op": "count", "as": "count"}, {"op": "mean", "field": "celsius", "as": "mean"}]}],
   "app": true},
  {"name": "kept", "source": "sensor", "operators": []}])";

class StreamApi : public testing::Test {
 protected:
  void Open(const char* streams) {
    auto opened = Stream::Open(streams);
    ASSERT_TRUE(opened.ok()) << opened.error().text;
    stream = std::make_unique<Stream>(std::move(*opened));
  }
  Json Read(size_t most = 0) { return ParseJson(*stream->Read(most)).value(); }
  std::unique_ptr<Stream> stream;
};

TEST_F(StreamApi, RowsOfTheAppsStreamsAreRead) {
  Open(kWindows);
  for (int i = 0; i < 6; ++i) {
    const std::string row = R"({"room":"hall","celsius":)" + std::to_string(18 + i) +
                            R"(,"time_ms":)" + std::to_string(1'000'000 + i * 100) + "}";
    ASSERT_TRUE(stream->Send("sensor", row).ok()) << ferry_error_text();
  }
  EXPECT_EQ(Read(), Json::array());
  ASSERT_TRUE(stream->Advance(1'001'000).ok());
  const Json rows = Read();
  ASSERT_EQ(rows.size(), 1U) << WriteJson(rows);
  EXPECT_EQ(rows[0]["stream"], "warm");
  EXPECT_EQ(rows[0]["row"]["count"], 3);
  EXPECT_EQ(rows[0]["row"]["mean"], 22.0);
  EXPECT_EQ(rows[0]["row"]["room"], "hall");
  EXPECT_EQ(Read(), Json::array());
  const Json status = ParseJson(*stream->StatusJson()).value();
  EXPECT_EQ(status["warm"]["rows_in"], 6);
  EXPECT_EQ(status["kept"]["rows_out"], 6);
}

TEST_F(StreamApi, EventsAreRowsUnderTheirIdAndTheEndClosesWindows) {
  Open(R"([{"name":"all","source":"tap","operators":[
      {"op":"window","size_ms":60000,"key":["x"],"aggregates":[{"op":"count","as":"n"}]}],"app":true}])");
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(stream->SendEvent(R"({"id":"tap","data":{"x":1}})").ok()) << ferry_error_text();
  ASSERT_TRUE(stream->Advance(-1).ok());
  int64_t count = 0;
  for (const Json& row : Read()) count += row["row"]["n"].get<int64_t>();
  EXPECT_EQ(count, 3);
}

TEST_F(StreamApi, AtMostAsManyAsAreAskedFor) {
  Open(R"([{"name":"all","source":"tap","operators":[],"app":true}])");
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(stream->Send("tap", R"({"i":)" + std::to_string(i) + "}").ok());
  EXPECT_EQ(Read(2).size(), 2U);
  const Json rest = Read();
  ASSERT_EQ(rest.size(), 3U);
  EXPECT_EQ(rest[0]["row"]["i"], 2);
}

TEST_F(StreamApi, WhatIsWrongIsNamed) {
  EXPECT_EQ(Stream::Open("[").error().code, FERRY_kMalformed);
  EXPECT_EQ(Stream::Open("[]").error().code, FERRY_kMalformed);
  const auto unknown =
      Stream::Open(R"([{"name":"a","source":"b","operators":[{"op":"windo"}],"app":true}])");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, FERRY_kMalformed);
  EXPECT_NE(unknown.error().text.find("windo"), std::string::npos) << unknown.error().text;
  Open(kWindows);
  EXPECT_EQ(stream->Send("other", "{}").error().code, FERRY_kNotFound);
  EXPECT_EQ(stream->Send("sensor", "[1]").error().code, FERRY_kMalformed);
  EXPECT_EQ(stream->Send("sensor", R"({"time_ms":"noon"})").error().code, FERRY_kMalformed);
  EXPECT_EQ(stream->SendEvent("{}").error().code, FERRY_kMalformed);
  EXPECT_EQ(ferry_stream_open(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_stream_advance(nullptr, 0), FERRY_kInvalidArgument);
  ferry_stream* closed = nullptr;
  ASSERT_EQ(ferry_stream_open(kWindows, &closed), FERRY_kOk);
  ferry_stream_close(closed);
  ferry_stream_close(closed);
  EXPECT_EQ(ferry_stream_send(closed, "sensor", "{}"), FERRY_kInvalidArgument);
}

TEST(RuntimeHandles, AreCheckedAndEachOfItsOwnKind) {
  ferry_runtime* runtime = nullptr;
  ASSERT_EQ(ferry_runtime_create(nullptr, nullptr, nullptr, &runtime), FERRY_kOk);
  char* json = nullptr;
  EXPECT_EQ(ferry_stream_status(reinterpret_cast<ferry_stream*>(runtime), &json),
            FERRY_kInvalidArgument);
  EXPECT_NE(std::string(ferry_error_text()).find("is a ferry_runtime"), std::string::npos);
  ferry_runtime_destroy(runtime);
  ferry_runtime_destroy(runtime);
  EXPECT_EQ(ferry_status(runtime, &json), FERRY_kInvalidArgument);
  ferry_engine* engine = nullptr;
  EXPECT_EQ(ferry_engine_open_package(runtime, "a:b", nullptr, &engine), FERRY_kInvalidArgument);
}

TEST(RuntimeHandles, ModelsOfOpenTasksRun) {
  auto made = Runtime();
  ASSERT_TRUE(made.ok());
  const auto none = made.OpenEngine("digits:digits");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, FERRY_kNotFound);
  EXPECT_EQ(made.OpenEngine("digits").error().code, FERRY_kInvalidArgument);
}

}  // namespace
}  // namespace ferry::api
