#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/random.h"
#include "device-runtime/api/ferry.hpp"
#include "pipeline/store/outbox.h"
#include "policy/target/attributes.h"
#include "policy/text/cases_testing.h"

namespace ferry::api {
namespace {

using testing::HasSubstr;

constexpr char kScript[] = R"py(
from ferry import events

def on_trigger(matched):
    n = matched[0]["data"]["n"]
    if n < 0:
        raise ValueError("negative")
    events.emit("out", {"n": n})
    return n * 2
)py";

class ApiTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_api_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    package_ = WritePackage("t");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string WritePackage(const std::string& name, const std::string& expect = "6") {
    package::Manifest manifest;
    manifest.name = name;
    manifest.version = "1.0.0";
    auto task = ParseJson(R"({"script":"task.py","trigger":{"sequence":[{"event":"do"}]},
      "streams":[{"name":"rows","source":"out","upload":true}]})");
    auto probe = ParseJson(R"({"events":[{"id":"do","data":{"n":3}}],"expect":)" + expect + "}");
    manifest.task = *task;
    manifest.probe = *probe;
    const std::string path = folder_ + "/" + name + ".fpk";
    const Status written = package::WritePackageFile(sys::SystemFileSystem(), path, manifest,
                                                     {{"task.py", AsBytes(kScript)}});
    EXPECT_TRUE(written.ok()) << written.ToString();
    return path;
  }

  std::string folder_, package_;
};

std::string Do(int n) {
  return R"({"id":"do","data":{"n":)" + std::to_string(n) + "}}";
}

TEST_F(ApiTest, LocalOnlyFromAFile) {
  std::vector<std::string> results;
  Runtime runtime([&](std::string_view json) { results.emplace_back(json); });
  ASSERT_TRUE(runtime.OpenTask(package_)) << Runtime::error();
  ASSERT_TRUE(runtime.Send(Do(5)));
  ASSERT_TRUE(runtime.Send(R"({"id":"other"})"));
  ASSERT_TRUE(runtime.Send(Do(-1)));
  ASSERT_TRUE(runtime.Flush()) << Runtime::error();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(results[0], HasSubstr("\"result\":10"));
  EXPECT_THAT(results[0], HasSubstr("\"package\":\"t\""));
  EXPECT_THAT(results[1], HasSubstr("script_raised"));
  EXPECT_THAT(results[1], HasSubstr("negative"));
  auto status = ParseJson(runtime.StatusJson());
  ASSERT_TRUE(status.ok());
  EXPECT_EQ((*status)["tasks"]["t"]["fired"], 2);
  EXPECT_EQ((*status)["tasks"]["t"]["errors"], 1);
  EXPECT_TRUE((*status)["agent"].is_null());
}

TEST_F(ApiTest, FilesOfATask) {
  Runtime runtime;
  EXPECT_FALSE(runtime.ReadFile("t", "task.py"));
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  ASSERT_TRUE(runtime.OpenTask(package_)) << Runtime::error();
  EXPECT_EQ(runtime.ReadFile("t", "task.py"), kScript) << Runtime::error();
  EXPECT_FALSE(runtime.ReadFile("t", "other.bin"));
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  EXPECT_THAT(Runtime::error(), HasSubstr("other.bin"));
}

TEST_F(ApiTest, RowsStayInTheOutboxFile) {
  const std::string path = folder_ + "/outbox.db";
  {
    ferry_options options{};
    options.size = sizeof(options);
    options.threads = 1;
    options.outbox_path = path.c_str();
    Runtime runtime({}, &options);
    ASSERT_TRUE(runtime.ok()) << Runtime::error();
    ASSERT_TRUE(runtime.OpenTask(package_));
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(runtime.Send(Do(k)));
    ASSERT_TRUE(runtime.Flush());
  }
  auto outbox = store::OpenOutbox(path, sys::SystemRandom());
  ASSERT_TRUE(outbox.ok());
  EXPECT_EQ((*outbox)->stats().waiting, 3);
}

TEST_F(ApiTest, ErrorsNameThePlace) {
  Runtime runtime;
  EXPECT_FALSE(runtime.OpenTask(folder_ + "/none.fpk"));
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  EXPECT_THAT(Runtime::error(), HasSubstr("none.fpk"));
  EXPECT_FALSE(runtime.OpenTask(WritePackage("wrong", "7")));
  EXPECT_EQ(Runtime::code(), FERRY_kProbeFailed);
  EXPECT_THAT(Runtime::error(), HasSubstr("expected 7, got 6"));
  EXPECT_FALSE(runtime.Send("{"));
  EXPECT_EQ(Runtime::code(), FERRY_kMalformed);
  EXPECT_FALSE(runtime.Send(R"({"id":""})"));
  EXPECT_THAT(Runtime::error(), HasSubstr("event: id is empty"));
  EXPECT_FALSE(runtime.SetConditions(R"({"charging":1})"));
  EXPECT_EQ(Runtime::code(), FERRY_kMalformed);
  EXPECT_FALSE(runtime.SetConditions(R"({"charging":true})"));
  EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);  // there is no agent
  EXPECT_EQ(runtime.HaveText(), "");
  EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
  EXPECT_FALSE(runtime.TakeText("take1.30."));
  EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
  EXPECT_FALSE(runtime.StartAgent({folder_ + "/state", "", ""}));  // never joined, no token
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  EXPECT_FALSE(runtime.StartAgent({folder_ + "/state", "nonsense", ""}));
  EXPECT_THAT(Runtime::error(), HasSubstr("join token"));
  EXPECT_FALSE(runtime.StartAgent({folder_ + "/state", "", "[]"}));
  EXPECT_THAT(Runtime::error(), HasSubstr("profile"));
}

// The key of what lies sealed comes of the app's key store, which may refuse.
TEST_F(ApiTest, AKeyAtRestIsAskedForOnce) {
  Runtime runtime([](std::string_view) {});
  Agent agent{folder_ + "/state", "", ""};
  agent.at_rest_key = "short";
  EXPECT_FALSE(runtime.StartAgent(agent));
  EXPECT_EQ(Runtime::code(), FERRY_kInvalidArgument);
  EXPECT_THAT(Runtime::error(), HasSubstr("at_rest_key"));
  agent.at_rest_key.assign(32, 'k');
  EXPECT_FALSE(runtime.StartAgent(agent));  // never joined: that is what is wrong with it
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
}

TEST_F(ApiTest, NullArgumentsAreErrors) {
  EXPECT_EQ(ferry_runtime_create(nullptr, nullptr, nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_task_open(nullptr, "x"), FERRY_kInvalidArgument);
  EXPECT_STREQ(ferry_error_text(), "runtime is NULL");
  EXPECT_EQ(ferry_agent_start(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_event_send(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_conditions_set(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_have_text(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_take_text(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_consent_set(nullptr, 1), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_data_erase(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_flush(nullptr, 1), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_status(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_file_read(nullptr, nullptr, nullptr, nullptr, nullptr), FERRY_kInvalidArgument);
  ferry_bytes_free(nullptr);
  EXPECT_EQ(ferry_policy_matches(nullptr, nullptr, nullptr, nullptr, nullptr),
            FERRY_kInvalidArgument);
  ferry_runtime_destroy(nullptr);
  ferry_string_free(nullptr);
  ferry_runtime* runtime = nullptr;
  ASSERT_EQ(ferry_runtime_create(nullptr, nullptr, nullptr, &runtime), FERRY_kOk);
  EXPECT_EQ(ferry_task_open(runtime, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_event_send(runtime, nullptr), FERRY_kInvalidArgument);
  ferry_agent_options options{};  // a size of 0: nothing was set
  EXPECT_EQ(ferry_agent_start(runtime, &options), FERRY_kInvalidArgument);
  EXPECT_STREQ(ferry_error_text(), "directory is NULL");
  ferry_runtime_destroy(runtime);
  EXPECT_STREQ(ferry_code_name(FERRY_kDiskFull), "disk_full");
  EXPECT_STREQ(ferry_code_name(-5), "internal");
}

TEST_F(ApiTest, ManyThreadsSendAndCallbacksMaySend) {
  std::atomic<int> results = 0;
  Runtime* self = nullptr;
  Runtime runtime([&](std::string_view) {
    if (results.fetch_add(1) < 10) {
      EXPECT_TRUE(self->Send(Do(1)));
      EXPECT_FALSE(self->StatusJson().empty());
      EXPECT_FALSE(self->Flush());
      EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
    }
  });
  self = &runtime;
  ASSERT_TRUE(runtime.OpenTask(package_));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) EXPECT_TRUE(runtime.Send(Do(k)));
    });
  for (std::thread& thread : threads) thread.join();
  while (results < 410) ASSERT_TRUE(runtime.Flush());
  EXPECT_EQ(results, 410);
}

TEST(Policy, TheSharedCasesThroughTheCInterface) {
  for (const text::RuleCase& one : text::ReadRuleCases(FERRY_SOURCE_DIR "/policy/cases")) {
    SCOPED_TRACE(one.place + ": " + one.rule);
    const auto reach = PolicyMatches(one.rule, one.device.empty() ? "{}" : one.device, one.salt);
    if (!one.error.empty()) {
      EXPECT_FALSE(reach.has_value());
      EXPECT_EQ(Runtime::code(), FERRY_kBadRule);
      EXPECT_THAT(Runtime::error(), HasSubstr(one.error));
      continue;
    }
    ASSERT_TRUE(reach.has_value()) << Runtime::error();
    EXPECT_EQ(reach->matches, one.matches);
    EXPECT_THAT(reach->reason, HasSubstr(one.reason));
  }
  EXPECT_FALSE(PolicyMatches("all", "[]", "").has_value());
  EXPECT_THAT(Runtime::error(), HasSubstr("attributes"));
}

}  // namespace
}  // namespace ferry::api
