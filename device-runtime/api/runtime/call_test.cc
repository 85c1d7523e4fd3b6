// Functions of tasks, called by the app.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/random.h"
#include "device-runtime/api/ferry.hpp"
#include "pipeline/store/outbox.h"

namespace ferry::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kCounter[] = R"py(
from ferry import events

total = 0

def on_trigger(matched):
    global total
    total += matched[0]["data"]["n"]
    return total

def read(scale):
    return total * scale

def report(row):
    events.emit("out", row)

def fail(why):
    raise ValueError(why)

def _reset(x):
    return x
)py";

class CallTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_call_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    package::Manifest manifest;
    manifest.name = "counter";
    manifest.version = "1.0.0";
    manifest.task = *ParseJson(R"({"script":"task.py","trigger":{"sequence":[{"event":"add"}]},
      "streams":[{"name":"rows","source":"out","upload":true}]})");
    package_ = folder_ + "/counter.fpk";
    const Status written = package::WritePackageFile(sys::SystemFileSystem(), package_, manifest,
                                                     {{"task.py", AsBytes(kCounter)}});
    ASSERT_TRUE(written.ok()) << written.ToString();
    outbox_ = folder_ + "/outbox.db";
    options_.size = sizeof(options_);
    options_.outbox_path = outbox_.c_str();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  OnResult Take() {
    return [this](std::string_view json) { results_.push_back(ParseJson(json).value()); };
  }
  // {call or null, result or the error's name} of each result, in order.
  std::vector<std::string> Results() const {
    std::vector<std::string> out;
    for (const Json& one : results_) {
      const auto call = one.find("call"), error = one.find("error");
      out.push_back(
          WriteJson(Json::array({call == one.end() ? Json() : *call,
                                 error == one.end() ? one["result"] : (*error)["name"]})));
    }
    return out;
  }

  std::string folder_, package_, outbox_;
  ferry_options options_{};
  std::vector<Json> results_;
};

TEST_F(CallTest, RunsInOrderWithEvents) {
  Runtime runtime(Take());
  ASSERT_TRUE(runtime.OpenTask(package_)) << Runtime::error();
  ASSERT_TRUE(runtime.Send(R"({"id":"add","data":{"n":3}})"));
  EXPECT_EQ(runtime.Call("counter", "read", "10"), 1u) << Runtime::error();
  ASSERT_TRUE(runtime.Send(R"({"id":"add","data":{"n":4}})"));
  EXPECT_EQ(runtime.Call("counter", "read", "1"), 2u);
  ASSERT_TRUE(runtime.Flush()) << Runtime::error();
  EXPECT_THAT(Results(), ElementsAre("[null,3]", "[1,30]", "[null,7]", "[2,7]"));
  EXPECT_EQ(results_[1]["package"], "counter");
}

TEST_F(CallTest, RowsThatItEmitsGoUp) {
  {
    Runtime runtime(Take(), &options_);
    ASSERT_TRUE(runtime.OpenTask(package_)) << Runtime::error();
    ASSERT_TRUE(runtime.Call("counter", "report", R"({"n":5})")) << Runtime::error();
    ASSERT_TRUE(runtime.Flush()) << Runtime::error();
  }
  const auto outbox = store::OpenOutbox(outbox_, sys::SystemRandom());
  ASSERT_TRUE(outbox.ok());
  const auto batch = (*outbox)->Read(1, 10, 1000);
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(batch->records.size(), 1u);
  EXPECT_EQ(batch->records[0].json, R"({"n":5})");
  // Not kept over the end of the process.
  results_.clear();
  Runtime again(Take(), &options_);
  ASSERT_TRUE(again.OpenTask(package_));
  ASSERT_TRUE(again.Send(R"({"id":"add","data":{"n":1}})"));
  ASSERT_TRUE(again.Flush());
  EXPECT_THAT(Results(), ElementsAre("[null,1]"));
}

TEST_F(CallTest, FailuresAreResults) {
  Runtime runtime(Take());
  ASSERT_TRUE(runtime.OpenTask(package_)) << Runtime::error();
  ASSERT_TRUE(runtime.Call("counter", "fail", R"("because")"));
  ASSERT_TRUE(runtime.Call("counter", "absent"));
  ASSERT_TRUE(runtime.Call("counter", "read", "1"));
  ASSERT_TRUE(runtime.Flush()) << Runtime::error();
  EXPECT_THAT(Results(), ElementsAre(R"([1,"script_raised"])", R"([2,"not_found"])", "[3,0]"));
  EXPECT_THAT(WriteJson(results_[0]), HasSubstr("because"));
  EXPECT_THAT(WriteJson(results_[1]), HasSubstr(R"(task.py has no function \"absent\")"));
}

TEST_F(CallTest, WhatCannotBeCalledIsSaidAtOnce) {
  Runtime runtime(Take());
  ASSERT_TRUE(runtime.OpenTask(package_)) << Runtime::error();
  const auto fails = [&](int code, const char* package, const char* function, const char* json) {
    EXPECT_FALSE(runtime.Call(package, function, json)) << function;
    EXPECT_EQ(Runtime::code(), code) << Runtime::error();
    return Runtime::error();
  };
  EXPECT_THAT(fails(FERRY_kNotFound, "other", "read", "1"), HasSubstr("other"));
  EXPECT_THAT(fails(FERRY_kMalformed, "counter", "read", "{"), HasSubstr("argument_json"));
  for (const char* name : {"", "_reset", "a.b", "1st"})
    fails(FERRY_kInvalidArgument, "counter", name, "1");
  const std::string large = '"' + std::string(1 << 20, 'x') + '"';
  fails(FERRY_kLimitExceeded, "counter", "read", large.c_str());
  uint64_t call = 7;
  EXPECT_EQ(ferry_task_call(nullptr, "counter", "read", "1", &call), FERRY_kInvalidArgument);
  EXPECT_EQ(call, 0u);
  ferry_runtime* bare = nullptr;
  ASSERT_EQ(ferry_runtime_create(nullptr, nullptr, nullptr, &bare), FERRY_kOk);
  EXPECT_EQ(ferry_task_call(bare, nullptr, "read", "1", nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_task_call(bare, "counter", nullptr, "1", nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_task_call(bare, "counter", "read", nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_task_call(bare, "counter", "read", "1", nullptr), FERRY_kNotFound);
  ferry_runtime_destroy(bare);
  ASSERT_TRUE(runtime.Flush());
  EXPECT_TRUE(results_.empty());
}

}  // namespace
}  // namespace ferry::api
