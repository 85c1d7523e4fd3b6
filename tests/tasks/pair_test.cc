// tasks/pair as devices run it: packed by `ferry pack`'s code, opened by the task host and the SDK.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "common/sys/random.h"
#include "device-runtime/api/ferry.hpp"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/store/outbox.h"
#include "tools/ferry/local/pack.h"

namespace ferry {
namespace {

using testing::HasSubstr;

constexpr char kPrompt[] = "It was a dark night, and the";

class PairTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "ferry_pair_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    package_ = folder_ + "/pair.fpk";
    cli::PackRequest request;
    request.source = FERRY_SOURCE_DIR "/tasks/pair";
    request.out = package_;
    const auto packed = cli::Pack(request);
    ASSERT_TRUE(packed.ok()) << packed.status().ToString();
    EXPECT_EQ((*packed)["models"]["draft"]["architecture"], "qwen3");
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static event::Event Ask(const Json& data) {
    event::Event event;
    event.id = "ask";
    event.data = data;
    return event;
  }
  // What the model of the package says greedily.
  static std::string Greedy(const llm::Model& model, int64_t max_new) {
    const llm::Tokenizer& tokenizer = **model.tokenizer();
    auto session = llm::Session::Create(
        std::shared_ptr<const llm::Model>(std::shared_ptr<const void>(), &model));
    EXPECT_TRUE((*session)->Append(tokenizer.Encode(kPrompt).value()).ok());
    llm::Sampler sampler({}, {}, model.config().vocabulary);
    llm::GenerateOptions options;
    options.max_new = max_new;
    return llm::Decode(tokenizer, llm::Generate(**session, sampler, options)->ids, true);
  }

  static inline std::string folder_, package_;
};

TEST_F(PairTest, AnswersEventsWithTheDraftsText) {
  auto outbox = store::OpenOutbox(":memory:", sys::SystemRandom());
  ASSERT_TRUE(outbox.ok());
  task::HostOptions options;
  options.outbox = outbox->get();
  auto host = task::TaskHost::LoadFile(sys::SystemFileSystem(), package_, options);
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  EXPECT_TRUE((*host)->Probe().ok()) << (*host)->Probe().ToString();
  const task::EventOutcome outcome = (*host)->OnEvent(Ask({{"prompt", kPrompt}, {"max_new", 20}}));
  ASSERT_TRUE(outcome.error.ok()) << outcome.error.ToString();
  const auto model = (*host)->LanguageModel("draft");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(outcome.result["text"], Greedy(**model, 20));
  EXPECT_GT(outcome.result["tokens"].get<int>(), 10);
  // Lengths go up the tunnel, no texts.
  const auto rows = (*outbox)->Read(1, 10, 1 << 20);
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->records.size(), 1u);
  EXPECT_THAT(rows->records[0].json, HasSubstr("prompt_tokens"));
  EXPECT_THAT(rows->records[0].json, testing::Not(HasSubstr("night")));
}

TEST_F(PairTest, SimulationPasses) {
  auto host = task::TaskHost::LoadFile(sys::SystemFileSystem(), package_, {});
  ASSERT_TRUE(host.ok());
  const Json report = (*host)->Simulate();
  EXPECT_EQ(report["passed"], true) << WriteJson(report);
  EXPECT_GE(report["cases"].get<int>(), 4);
}

TEST_F(PairTest, BadEventsCostOneRun) {
  auto host = task::TaskHost::LoadFile(sys::SystemFileSystem(), package_, {});
  ASSERT_TRUE(host.ok());
  const Json bad[] = {Json::object(),
                      {{"prompt", ""}},
                      {{"prompt", 5}},
                      {{"prompt", "x"}, {"max_new", -1}},
                      {{"prompt", "x"}, {"temperature", "hot"}},
                      {{"prompt", "x"}, {"stop", {""}}}};
  for (const Json& data : bad) {
    const task::EventOutcome outcome = (*host)->OnEvent(Ask(data));
    EXPECT_TRUE(outcome.fired);
    EXPECT_EQ(outcome.error.code(), Code::kScriptRaised) << data;
  }
  std::string huge;
  for (int k = 0; k < 5000; ++k) huge += "word ";
  const task::EventOutcome outcome = (*host)->OnEvent(Ask({{"prompt", huge}, {"max_new", 200}}));
  EXPECT_TRUE(outcome.error.ok()) << outcome.error.ToString();
}

// A task and a session of the app use one copy of the model.
TEST_F(PairTest, TheSdkSharesTheTasksModel) {
  std::vector<std::string> results;
  api::Runtime runtime([&](std::string_view json) { results.emplace_back(json); });
  ASSERT_TRUE(runtime.OpenTask(package_)) << api::Runtime::error();
  ASSERT_TRUE(
      runtime.Send(WriteJson({{"id", "ask"}, {"data", {{"prompt", kPrompt}, {"max_new", 12}}}})));
  ASSERT_TRUE(runtime.Flush());
  ASSERT_EQ(results.size(), 1u);
  const auto model = api::Model::Open(runtime, "pair:draft");
  ASSERT_TRUE(model.has_value()) << api::Runtime::error();
  std::string text;
  api::SessionEvents events;
  events.on_tokens = [&](std::string_view piece, const int32_t*, size_t, ferry_source) {
    text += piece;
  };
  api::Session session(*model, {.max_new = 12}, events);
  ASSERT_TRUE(session.Start(kPrompt));
  ASSERT_TRUE(session.Wait());
  const auto result = ParseJson(results[0]);
  EXPECT_EQ((*result)["result"]["text"], text);
}

}  // namespace
}  // namespace ferry
