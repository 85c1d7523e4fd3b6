// Language models through the SDK, without a server; the split over TLS is in tests/split_tls.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "device-runtime/api/ferry.hpp"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/random_adapter.h"
#include "device-runtime/llm/testing/tiny_model.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::api {
namespace {

using testing::HasSubstr;

constexpr char kScript[] = R"py(
def on_trigger(matched):
    return 1
)py";

// What a session told its app.
struct Heard {
  std::string text;
  std::vector<int32_t> ids;
  std::vector<ferry_source> sources;
  int code = -1;
  Json stats;
  int ends = 0;

  SessionEvents Events() {
    return {
        .on_tokens =
            [this](std::string_view piece, const int32_t* more, size_t count, ferry_source source) {
              text += piece;
              ids.insert(ids.end(), more, more + count);
              if (count > 0) sources.push_back(source);
            },
        .on_end =
            [this](int ended, std::string_view json) {
              code = ended;
              stats = *ParseJson(json);
              ++ends;
            }};
  }
};

class SessionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "ferry_session_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    sys::FileSystem& fs = sys::SystemFileSystem();
    ASSERT_TRUE(llm::testing::WriteTinyModel(fs, folder_ + "/tiny").ok());
    auto model = llm::Model::Load(fs, folder_ + "/tiny");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = *model;
    const std::string flm = folder_ + "/tiny.flm";
    ASSERT_TRUE(llm::WriteModelFile(fs, *model_, flm, kernels::WeightType::kBF16).ok());
    const Bytes file = sys::ReadFile(fs, flm).value();
    ASSERT_TRUE(llm::testing::WriteTinyModel(fs, folder_ + "/another", {.seed = 2}).ok());
    for (const uint64_t seed : {1, 2}) {
      const llm::testing::RandomAdapterOptions options{.seed = seed, .spread = 1};
      ASSERT_TRUE(
          llm::testing::WriteAdapterFolder(fs, folder_ + (seed == 1 ? "/style" : "/other"),
                                           llm::testing::PeftConfigOf(options),
                                           llm::testing::RandomAdapterTensors(*model_, options))
              .ok());
    }
    const auto style = llm::Adapter::Load(fs, folder_ + "/style", model_);
    ASSERT_TRUE(style.ok()) << style.status().ToString();
    ASSERT_TRUE(llm::WriteAdapterFile(fs, **style, folder_ + "/style.fla").ok());
    const Bytes adapter = sys::ReadFile(fs, folder_ + "/style.fla").value();
    package::Manifest manifest;
    manifest.name = "pair";
    manifest.version = "1.2.0";
    manifest.task = *ParseJson(R"({"script":"task.py","models":{"draft":"draft.flm"},
      "trigger":{"sequence":[{"event":"ask"}]}})");
    ASSERT_TRUE(package::WritePackageFile(
                    fs, folder_ + "/pair.fpk", manifest,
                    {{"task.py", AsBytes(kScript)}, {"draft.flm", file}, {"style.fla", adapter}})
                    .ok());
  }
  static void TearDownTestSuite() {
    model_.reset();
    std::filesystem::remove_all(folder_);
  }

  Model Open(const std::string& name = folder_ + "/tiny.flm") {
    auto model = Model::Open(runtime_, name);
    EXPECT_TRUE(model.has_value()) << Runtime::error();
    return *model;
  }
  // What the runtime below the SDK says.
  static std::vector<int32_t> Reference(const std::string& prompt, uint64_t seed,
                                        const llm::SamplerOptions& sampler, int64_t max_new,
                                        std::shared_ptr<const llm::AdapterSet> adapters = {}) {
    auto session = llm::Session::Create(model_, {.adapters = std::move(adapters)});
    EXPECT_TRUE((*session)->Append((*model_->tokenizer())->Encode(prompt).value()).ok());
    llm::Sampler chooser(sampler, llm::PrfKey::FromSeed(seed), model_->config().vocabulary);
    llm::GenerateOptions options;
    options.max_new = max_new;
    return llm::Generate(**session, chooser, options)->ids;
  }

  static inline std::string folder_;
  static inline std::shared_ptr<const llm::Model> model_;
  Runtime runtime_;
};

size_t Threads() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

// The naive path: the runtime's own tokenizer, and a session read anew for each question.
TEST_F(SessionTest, TokensOfATextAndBack) {
  const Model model = Open();
  const auto& tokenizer = **model_->tokenizer();
  for (const std::string text : {"", "once upon", "na\xc3\xafve \xe2\x98\x83 <|endoftext|>"}) {
    for (const bool as_text : {false, true}) {
      const auto kind = as_text ? llm::Specials::kAsText : llm::Specials::kParse;
      const auto ids = model.Encode(text, as_text);
      ASSERT_TRUE(ids.has_value()) << Runtime::error();
      EXPECT_EQ(*ids, tokenizer.Encode(text, kind).value());
      EXPECT_EQ(model.Decode(*ids), llm::Decode(tokenizer, *ids, false));
    }
  }
  EXPECT_FALSE(model.Decode({1, -1}).has_value());
  EXPECT_THAT(Runtime::error(), HasSubstr("-1"));
  const auto info = ParseJson(model.InfoJson());
  EXPECT_EQ(info->at("end_tokens"), Json(model_->config().end_tokens));
}

TEST_F(SessionTest, ASequenceIsReadCutAndGoneOnWith) {
  const Model model = Open();
  const auto prompt = *model.Encode("once upon a time");
  auto sequence = Sequence::Create(model);
  ASSERT_TRUE(sequence.has_value()) << Runtime::error();
  std::vector<float> logits(static_cast<size_t>(model_->config().vocabulary));
  EXPECT_FALSE(sequence->Logits(logits.data(), logits.size()));
  EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
  ASSERT_TRUE(sequence->Append(prompt)) << Runtime::error();
  const SessionOptions options{.seed = 9, .temperature = 1, .max_new = 12};
  std::vector<int32_t> heard;
  std::string reason;
  const auto text = sequence->Generate(
      options,
      [&](std::string_view, const int32_t* ids, size_t count) {
        heard.insert(heard.end(), ids, ids + count);
        return true;
      },
      &reason);
  ASSERT_TRUE(text.has_value()) << Runtime::error();
  EXPECT_EQ(heard, Reference("once upon a time", 9, {.temperature = 1}, 12));
  EXPECT_EQ(sequence->Tokens().size(), prompt.size() + heard.size() - 1);
  // Cut back, what follows is what followed then, also after another branch.
  ASSERT_TRUE(sequence->Truncate(prompt.size()));
  ASSERT_TRUE(sequence->Append({3, 4}));
  ASSERT_TRUE(sequence->Truncate(prompt.size()));
  EXPECT_EQ(sequence->Generate(options), text);
  ASSERT_TRUE(sequence->Truncate(prompt.size()));
  ASSERT_TRUE(sequence->Logits(logits.data(), logits.size())) << Runtime::error();
  auto fresh = Sequence::Create(model);
  ASSERT_TRUE(fresh.has_value() && fresh->Append(prompt)) << Runtime::error();
  std::vector<float> wanted(logits.size());
  ASSERT_TRUE(fresh->Logits(wanted.data(), wanted.size())) << Runtime::error();
  EXPECT_EQ(logits, wanted);
  EXPECT_GT(std::ranges::max(wanted), std::ranges::min(wanted));
}

TEST_F(SessionTest, WrongCallsOfASequenceLeaveItAsItWas) {
  const Model model = Open();
  auto sequence = Sequence::Create(model, 8);
  ASSERT_TRUE(sequence.has_value()) << Runtime::error();
  ASSERT_TRUE(sequence->Append({1, 2, 3}));
  EXPECT_FALSE(sequence->Append({5, static_cast<int32_t>(model_->config().vocabulary)}));
  EXPECT_EQ(Runtime::code(), FERRY_kInvalidArgument);
  EXPECT_FALSE(sequence->Append({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Runtime::code(), FERRY_kLimitExceeded);
  EXPECT_FALSE(sequence->Truncate(4));
  float one = 0;
  EXPECT_FALSE(sequence->Logits(&one, 1));
  EXPECT_FALSE(sequence->Generate({.mode = FERRY_MODE_SPLIT}).has_value());
  EXPECT_THAT(Runtime::error(), HasSubstr("mode"));
  EXPECT_EQ(sequence->Tokens(), (std::vector<int32_t>{1, 2, 3}));
  // Amid a generation the sequence is taken; what its callback asks for is refused.
  int calls = 0;
  std::string reason;
  ASSERT_TRUE(sequence
                  ->Generate(
                      {.ignore_end = true},
                      [&](std::string_view, const int32_t*, size_t) {
                        EXPECT_FALSE(sequence->Truncate(0));
                        EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
                        return ++calls < 2;
                      },
                      &reason)
                  .has_value());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(reason, "cancelled");
  ASSERT_TRUE(sequence->Generate({.ignore_end = true}, {}, &reason).has_value());
  EXPECT_EQ(reason, "context");
  EXPECT_FALSE(Sequence::Create(model, model_->config().context + 1).has_value());
}

// Where sessions run and where their callbacks run, but no second pool for kernels.
TEST_F(SessionTest, SessionsShareThePoolOfTheTasks) {
  ferry_options options{};
  options.size = sizeof(options);
  options.threads = 4;
  Runtime runtime({}, &options);
  ASSERT_TRUE(runtime.OpenTask(folder_ + "/pair.fpk")) << Runtime::error();
  const size_t before = Threads();
  const auto model = Model::Open(runtime, "pair:draft");
  ASSERT_TRUE(model.has_value()) << Runtime::error();
  Heard heard;
  Session session(*model, {.seed = 5, .max_new = 24}, heard.Events());
  ASSERT_TRUE(session.Start("once upon")) << Runtime::error();
  ASSERT_TRUE(session.Wait(std::chrono::seconds(30))) << Runtime::error();
  EXPECT_EQ(Threads(), before + 2);
  EXPECT_EQ(heard.ids, Reference("once upon", 5, {}, 24));
}

// Two adapters of one model at once, one of them closed amid its generation.
TEST_F(SessionTest, EachSessionHasItsOwnAdapters) {
  ASSERT_TRUE(runtime_.OpenTask(folder_ + "/pair.fpk")) << Runtime::error();
  const Model model = Open("pair:draft");
  auto style = Adapter::Open(runtime_, model, "pair:style");
  ASSERT_TRUE(style.has_value()) << Runtime::error();
  const auto info = ParseJson(style->InfoJson());
  EXPECT_EQ((*info)["rank"], 4);
  EXPECT_EQ((*info)["base"], ToHex(model_->digest()));
  const auto folder = Adapter::Open(runtime_, model, folder_ + "/other");
  ASSERT_TRUE(folder.has_value()) << Runtime::error();
  const SessionOptions plain{.seed = 5, .max_new = 48};
  SessionOptions styled = plain;
  styled.adapters = {{*style, 1.0f}};
  SessionOptions both = plain;
  both.adapters = {{*style, 0.5f}, {*folder, -1.0f}};
  Heard heard[3];
  std::vector<Session> sessions;
  const SessionOptions* const options[] = {&plain, &styled, &both};
  for (size_t i = 0; i < 3; ++i) {
    sessions.emplace_back(model, *options[i], heard[i].Events());
    ASSERT_TRUE(sessions.back().ok()) << Runtime::error();
  }
  for (Session& session : sessions) ASSERT_TRUE(session.Start("once upon")) << Runtime::error();
  styled.adapters.clear();
  both.adapters.clear();
  style.reset();
  for (Session& session : sessions) {
    ASSERT_TRUE(session.Wait(std::chrono::seconds(30))) << Runtime::error();
  }
  const auto one = llm::Adapter::Load(sys::SystemFileSystem(), folder_ + "/style", model_).value();
  const auto two = llm::Adapter::Load(sys::SystemFileSystem(), folder_ + "/other", model_).value();
  const std::vector<llm::AdapterSet::Part> sets[] = {
      {}, {{one, 1.0f}}, {{one, 0.5f}, {two, -1.0f}}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(heard[i].code, FERRY_kOk);
    EXPECT_EQ(heard[i].ids,
              Reference("once upon", 5, {}, 48, llm::AdapterSet::Create(model_, sets[i]).value()));
  }
  EXPECT_NE(heard[0].ids, heard[1].ids);
  EXPECT_NE(heard[1].ids, heard[2].ids);
}

TEST_F(SessionTest, AdaptersThatDoNotFitAreRefused) {
  ASSERT_TRUE(runtime_.OpenTask(folder_ + "/pair.fpk")) << Runtime::error();
  const Model model = Open("pair:draft");
  EXPECT_FALSE(Adapter::Open(runtime_, model, "pair:nothing").has_value());
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  EXPECT_THAT(Runtime::error(), HasSubstr("nothing"));
  EXPECT_FALSE(Adapter::Open(runtime_, model, "absent:style").has_value());
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  // A base that differs: both are named.
  const Model other = Open(folder_ + "/another");
  EXPECT_FALSE(Adapter::Open(runtime_, other, "pair:style").has_value());
  EXPECT_EQ(Runtime::code(), FERRY_kBadModel);
  EXPECT_THAT(Runtime::error(), HasSubstr(ToHex(model_->digest())));
  EXPECT_THAT(Runtime::error(), HasSubstr("pair:style"));
  const auto style = Adapter::Open(runtime_, model, "pair:style");
  ASSERT_TRUE(style.has_value()) << Runtime::error();
  const Session session(other, {.adapters = {{*style, 1.0f}}});
  EXPECT_FALSE(session.ok());
  EXPECT_EQ(Runtime::code(), FERRY_kInvalidArgument);
}

TEST_F(SessionTest, DeviceOnlyGivesWhatTheModelGives) {
  const Model model = Open();
  auto info = ParseJson(model.InfoJson());
  EXPECT_EQ((*info)["architecture"], "qwen3");
  EXPECT_EQ((*info)["chat"], true);
  for (const float temperature : {0.0f, 1.0f}) {
    Heard heard;
    Session session(model, {.seed = 5, .temperature = temperature, .max_new = 24}, heard.Events());
    ASSERT_TRUE(session.ok()) << Runtime::error();
    ASSERT_TRUE(session.Start("once upon")) << Runtime::error();
    ASSERT_TRUE(session.Wait(std::chrono::seconds(30))) << Runtime::error();
    EXPECT_EQ(heard.code, FERRY_kOk);
    llm::SamplerOptions sampler;
    sampler.temperature = temperature;
    EXPECT_EQ(heard.ids, Reference("once upon", 5, sampler, 24));
    EXPECT_EQ(heard.text, llm::Decode(**model_->tokenizer(), heard.ids, true));
    EXPECT_THAT(heard.sources, testing::Each(FERRY_SOURCE_DEVICE));
    EXPECT_EQ(heard.stats["emitted"], heard.ids.size());
    EXPECT_EQ(heard.stats["tokens"]["device"], heard.ids.size());
    EXPECT_EQ(heard.stats["mode"], "device-only");
    EXPECT_EQ(heard.stats["bytes_up"], 0);
    EXPECT_EQ(heard.ends, 1);
  }
}

TEST_F(SessionTest, ASessionStartsAgainAndTakesIdsAndConversations) {
  const Model model = Open(folder_ + "/tiny");
  Heard heard;
  Session session(model, {.max_new = 6}, heard.Events());
  ASSERT_TRUE(session.StartIds({1, 2, 3}));
  ASSERT_TRUE(session.Wait());
  const std::vector<int32_t> first = std::exchange(heard.ids, {});
  ASSERT_TRUE(session.StartIds({1, 2, 3}));
  ASSERT_TRUE(session.Wait());
  EXPECT_EQ(heard.ids, first);
  heard.ids.clear();
  ASSERT_TRUE(session.StartChat(R"([{"role":"user","content":"hi <|im_end|>"}])"))
      << Runtime::error();
  ASSERT_TRUE(session.Wait());
  EXPECT_EQ(heard.code, FERRY_kOk);
  EXPECT_FALSE(heard.ids.empty());
  EXPECT_EQ(heard.ends, 3);
}

TEST_F(SessionTest, SeveralSessionsRunAtOnce) {
  const Model model = Open();
  constexpr int kSessions = 6;
  std::vector<Heard> heard(kSessions);
  std::vector<std::unique_ptr<Session>> sessions;
  llm::SamplerOptions sampler;
  sampler.temperature = 1;
  for (int k = 0; k < kSessions; ++k) {
    SessionOptions options{.seed = static_cast<uint64_t>(k), .temperature = 1, .max_new = 20};
    sessions.push_back(std::make_unique<Session>(model, options, heard[k].Events()));
    ASSERT_TRUE(sessions.back()->Start("once"));
  }
  for (auto& session : sessions) ASSERT_TRUE(session->Wait());
  for (int k = 0; k < kSessions; ++k)
    EXPECT_EQ(heard[k].ids, Reference("once", static_cast<uint64_t>(k), sampler, 20)) << k;
}

TEST_F(SessionTest, ModelsOfOpenedPackages) {
  EXPECT_FALSE(Model::Open(runtime_, "pair:draft").has_value());
  EXPECT_EQ(Runtime::code(), FERRY_kNotFound);
  ASSERT_TRUE(runtime_.OpenTask(folder_ + "/pair.fpk")) << Runtime::error();
  EXPECT_FALSE(Model::Open(runtime_, "pair:other").has_value());
  EXPECT_THAT(Runtime::error(), HasSubstr("it has: draft"));
  const Model model = Open("pair:draft");
  EXPECT_THAT(model.InfoJson(), HasSubstr(R"("version":"1.2.0")"));
  Heard heard;
  Session session(model, {.max_new = 5}, heard.Events());
  ASSERT_TRUE(session.Start("x"));
  ASSERT_TRUE(session.Wait());
  EXPECT_EQ(heard.ids, Reference("x", 0, {}, 5));
}

// A text so long that callbacks and calls come amid it on a busy machine too.
TEST_F(SessionTest, CancelAndCallsFromCallbacks) {
  constexpr int kLong = 60'000;
  const std::string folder = folder_ + "/long";
  ASSERT_TRUE(
      llm::testing::WriteTinyModel(sys::SystemFileSystem(), folder, {.context = 65'536}).ok());
  const Model model = Open(folder);
  Session* self = nullptr;
  std::atomic<int> tokens = 0, code = -1;
  SessionEvents events;
  events.on_tokens = [&](std::string_view, const int32_t*, size_t count, ferry_source) {
    if (tokens.fetch_add(static_cast<int>(count)) != 3) return;
    EXPECT_FALSE(self->Wait());
    EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
    EXPECT_FALSE(self->StatsJson().empty());
    EXPECT_FALSE(self->Start("again"));  // one runs
    EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
    EXPECT_FALSE(self->SetMode(FERRY_MODE_SPLIT));  // no server
    EXPECT_TRUE(self->SetMode(FERRY_MODE_DEVICE_ONLY));
    EXPECT_TRUE(self->Cancel());
  };
  events.on_end = [&](int ended, std::string_view) { code = ended; };
  Session session(model, {.ignore_end = true, .max_new = kLong}, events);
  self = &session;
  ASSERT_TRUE(session.Start("x"));
  ASSERT_TRUE(session.Wait(std::chrono::seconds(30))) << Runtime::error();
  EXPECT_EQ(code, FERRY_kCancelled);
  EXPECT_LT(tokens, kLong);
  EXPECT_TRUE(session.Cancel());  // of nothing
  ASSERT_TRUE(session.Start("x"));
  EXPECT_FALSE(session.Wait(std::chrono::milliseconds(0)));
  EXPECT_EQ(Runtime::code(), FERRY_kDeadlineExceeded);
}  // dropped amid the second

TEST_F(SessionTest, ErrorsNameTheThing) {
  EXPECT_FALSE(Model::Open(runtime_, folder_ + "/none.flm").has_value());
  EXPECT_THAT(Runtime::error(), HasSubstr("none.flm"));
  const Model model = Open();
  const auto refused = [&](const SessionOptions& options, int code, const char* text) {
    Session session(model, options);
    EXPECT_FALSE(session.ok());
    EXPECT_EQ(Runtime::code(), code);
    EXPECT_THAT(Runtime::error(), HasSubstr(text));
  };
  refused({.mode = FERRY_MODE_SPLIT}, FERRY_kFailedPrecondition, "start the agent");
  refused({.mode = FERRY_MODE_CLOUD_ONLY}, FERRY_kFailedPrecondition, "start the agent");
  // The largest number that the bits of C's enum hold, and no mode.
  refused({.mode = static_cast<ferry_mode>(3)}, FERRY_kInvalidArgument, "mode 3");
  refused({.temperature = -1}, FERRY_kInvalidArgument, "temperature");
  refused({.top_k = -1}, FERRY_kInvalidArgument, "top_k");
  refused({.top_p = 2}, FERRY_kInvalidArgument, "top_p");
  refused({.max_new = -1}, FERRY_kInvalidArgument, "max_new");
  refused({.draft_tokens = 65}, FERRY_kInvalidArgument, "draft_tokens");
  Session session(model);
  EXPECT_FALSE(session.Start(""));
  EXPECT_THAT(Runtime::error(), HasSubstr("no tokens"));
  EXPECT_FALSE(session.Start("\xff\xfe"));
  EXPECT_EQ(Runtime::code(), FERRY_kMalformed);
  EXPECT_FALSE(session.StartIds({100'000}));
  EXPECT_THAT(Runtime::error(), HasSubstr("100000"));
  EXPECT_FALSE(session.StartIds({-1}));
  EXPECT_FALSE(session.StartIds(std::vector<int32_t>(600, 1)));
  EXPECT_EQ(Runtime::code(), FERRY_kLimitExceeded);
  for (const char* messages :
       {"{", "{}", "[]", "[1]", R"([{"role":"user"}])", R"([{"role":"god","content":"x"}])"}) {
    EXPECT_FALSE(session.StartChat(messages)) << messages;
  }
  // After all that it still works.
  ASSERT_TRUE(session.Start("x"));
  EXPECT_TRUE(session.Wait());
}

TEST_F(SessionTest, TheMemoryLimitIsASessionsOwn) {
  const Model model = Open();
  Heard heard, other;
  // Room for some tokens, not for all: two layers of keys and values of 2 x 16 floats.
  Session small(model, {.ignore_end = true, .max_new = 400, .memory_bytes = 64 << 10},
                heard.Events());
  Session large(model, {.ignore_end = true, .max_new = 400}, other.Events());
  ASSERT_TRUE(small.Start("x"));
  ASSERT_TRUE(large.Start("x"));
  ASSERT_TRUE(small.Wait(std::chrono::seconds(60)));
  ASSERT_TRUE(large.Wait(std::chrono::seconds(60)));
  EXPECT_EQ(heard.code, FERRY_kOutOfMemory) << heard.stats;
  EXPECT_LT(heard.ids.size(), 400u);
  EXPECT_EQ(other.code, FERRY_kOk);
  EXPECT_EQ(other.ids.size(), 400u);
}

TEST_F(SessionTest, SessionsMayOutliveTheirModelAndTheRuntime) {
  Heard heard;
  std::unique_ptr<Session> session;
  {
    Runtime runtime;
    const auto model = Model::Open(runtime, folder_ + "/tiny.flm");
    ASSERT_TRUE(model.has_value());
    session = std::make_unique<Session>(*model, SessionOptions{.max_new = 100}, heard.Events());
    ASSERT_TRUE(session->Start("x"));
  }
  EXPECT_TRUE(session->Wait());
  EXPECT_EQ(heard.code, FERRY_kOk);
  EXPECT_FALSE(session->Start("x"));
  EXPECT_EQ(Runtime::code(), FERRY_kUnavailable);
}

TEST_F(SessionTest, NullArgumentsAndShortStructs) {
  EXPECT_EQ(ferry_model_open(nullptr, "x", nullptr), FERRY_kInvalidArgument);
  ferry_model* model = nullptr;
  EXPECT_EQ(ferry_model_open(nullptr, "x", &model), FERRY_kInvalidArgument);
  EXPECT_STREQ(ferry_error_text(), "runtime is NULL");
  EXPECT_EQ(ferry_model_info(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_create(nullptr, nullptr, nullptr, nullptr), FERRY_kInvalidArgument);
  ferry_session* session = nullptr;
  EXPECT_EQ(ferry_session_create(nullptr, nullptr, nullptr, &session), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_start_text(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_start_chat(nullptr, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_start_ids(nullptr, nullptr, 1), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_set_mode(nullptr, 0), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_cancel(nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_wait(nullptr, 0), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_stats(nullptr, nullptr), FERRY_kInvalidArgument);
  ferry_model_close(nullptr);
  ferry_session_destroy(nullptr);
  ferry_runtime* runtime = nullptr;
  ASSERT_EQ(ferry_runtime_create(nullptr, nullptr, nullptr, &runtime), FERRY_kOk);
  EXPECT_EQ(ferry_model_open(runtime, nullptr, &model), FERRY_kInvalidArgument);
  ASSERT_EQ(ferry_model_open(runtime, (folder_ + "/tiny.flm").c_str(), &model), FERRY_kOk);
  // A caller of an older version: everything past its size has its default.
  ferry_session_options options{};
  options.size = offsetof(ferry_session_options, seed);
  options.temperature = -5;
  ferry_session_callbacks callbacks{};  // a size of 0: none
  ASSERT_EQ(ferry_session_create(model, &options, &callbacks, &session), FERRY_kOk)
      << ferry_error_text();
  ferry_model_close(model);
  EXPECT_EQ(ferry_session_start_text(session, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_start_chat(session, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_start_ids(session, nullptr, 3), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_set_mode(session, 77), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_stats(session, nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_session_start_text(session, "x"), FERRY_kOk);
  EXPECT_EQ(ferry_session_wait(session, -1), FERRY_kOk);
  ferry_session_destroy(session);
  ferry_runtime_destroy(runtime);
}

}  // namespace
}  // namespace ferry::api
