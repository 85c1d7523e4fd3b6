// ferry_engine_*: what a run does, and what it answers to everything that is wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/api/ferry.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

namespace ferry::api {
namespace {

constexpr const char* kAdd = R"(graph add
input x f32 [n,4]
input b f32 [4]
node Add add (x, b) -> (y)
output y
)";
// Long enough to be cancelled amid: products that depend on each other.
constexpr const char* kLong = R"(graph long
input x f32 [256,256]
node MatMul a (x, x) -> (a)
node MatMul b (a, x) -> (b)
node MatMul c (b, x) -> (c)
node MatMul d (c, x) -> (d)
node MatMul e (d, x) -> (e)
node MatMul f (e, x) -> (f)
node MatMul g (f, x) -> (g)
node MatMul h (g, x) -> (y)
output y
)";

Bytes FileOf(const char* text) {
  return engine::Compile(ir::Parse(text).value(), {"test"}).value();
}

struct Opened {
  explicit Opened(const char* text, ferry_engine_session_options options = {sizeof(options)})
      : bytes(FileOf(text)) {
    EXPECT_EQ(
        ferry_engine_open_memory(bytes.data(), bytes.size(), nullptr, nullptr, nullptr, &engine),
        FERRY_kOk)
        << ferry_error_text();
    if (options.threads == 0) options.threads = 1;
    EXPECT_EQ(ferry_engine_session_create(engine, &options, &session), FERRY_kOk)
        << ferry_error_text();
  }
  ~Opened() {
    ferry_engine_session_destroy(session);
    ferry_engine_close(engine);
  }
  Bytes bytes;
  ferry_engine* engine = nullptr;
  ferry_engine_session* session = nullptr;
};

ferry_tensor Floats(const char* name, std::vector<int64_t> shape, std::vector<float>& values) {
  ferry_tensor out = {sizeof(out), name, FERRY_TYPE_F32, static_cast<int>(shape.size())};
  std::ranges::copy(shape, out.shape);
  out.data = values.data();
  out.bytes = values.size() * sizeof(float);
  return out;
}
ferry_tensor Output(const char* name, void* data = nullptr, size_t bytes = 0) {
  ferry_tensor out = {sizeof(out), name};
  out.data = data;
  out.bytes = bytes;
  return out;
}

class EngineApi : public testing::Test {
 protected:
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, b = {10, 20, 30, 40};
  std::vector<ferry_tensor> inputs = {Floats("x", {2, 4}, x), Floats("b", {4}, b)};
  const std::vector<float> sum = {11, 22, 33, 44, 15, 26, 37, 48};

  // Runs and looks for the code and what the text must say.
  void ExpectRefused(ferry_engine_session* session, int code, const char* text,
                     ferry_tensor output = Output("y")) {
    EXPECT_EQ(ferry_engine_run(session, inputs.data(), inputs.size(), &output, 1), code);
    EXPECT_NE(std::string(ferry_error_text()).find(text), std::string::npos) << ferry_error_text();
  }
};

TEST_F(EngineApi, RunsOnTheCallersMemory) {
  const Opened add(kAdd);
  std::vector<float> y(8, -1);
  ferry_tensor out = Output("y", y.data(), y.size() * sizeof(float));
  ASSERT_EQ(ferry_engine_run(add.session, inputs.data(), 2, &out, 1), FERRY_kOk);
  EXPECT_EQ(out.data, y.data());
  EXPECT_EQ(y, sum);
  EXPECT_EQ(out.type, FERRY_TYPE_F32);
  EXPECT_EQ(out.rank, 2);
  EXPECT_EQ(out.shape[0], 2);
  EXPECT_EQ(out.bytes, 32U);
  EXPECT_STREQ(ferry_error_text(), "");
}

TEST_F(EngineApi, OutputsWithoutMemoryAreTheSessions) {
  const Opened add(kAdd);
  ferry_tensor out = Output(nullptr);
  ASSERT_EQ(ferry_engine_run(add.session, inputs.data(), 2, &out, 1), FERRY_kOk);
  EXPECT_STREQ(out.name, "y");
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits
  EXPECT_EQ(std::memcmp(out.data, sum.data(), 32), 0);
}

TEST_F(EngineApi, InputsGoByPlaceOrByName) {
  const Opened add(kAdd);
  std::swap(inputs[0], inputs[1]);
  ferry_tensor out = Output("y");
  ASSERT_EQ(ferry_engine_run(add.session, inputs.data(), 2, &out, 1), FERRY_kOk);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits
  EXPECT_EQ(std::memcmp(out.data, sum.data(), 32), 0);
  inputs[0].name = inputs[1].name = nullptr;
  ExpectRefused(add.session, FERRY_kShapeMismatch, "");  // b and x the wrong way round
}

TEST_F(EngineApi, WrongInputsAreNamed) {
  const Opened add(kAdd);
  const std::vector<ferry_tensor> right = inputs;
  inputs[1].name = "c";
  ExpectRefused(add.session, FERRY_kInvalidArgument, "no input 'c'; it has 'x', 'b'");
  inputs = {right[0]};
  ExpectRefused(add.session, FERRY_kInvalidArgument, "input 'b' is missing");
  inputs = {right[0], right[0]};
  ExpectRefused(add.session, FERRY_kInvalidArgument, "input 'x' is given twice");
  inputs = right;
  inputs[0].type = FERRY_TYPE_I32;
  ExpectRefused(add.session, FERRY_kShapeMismatch, "input 'x': must be f32, i32 is given");
  inputs[0].type = 99;
  ExpectRefused(add.session, FERRY_kInvalidArgument, "input 'x': there is no type 99");
  inputs = right;
  inputs[0].bytes = 31;
  ExpectRefused(add.session, FERRY_kShapeMismatch, "f32 [2,4] has 32 bytes, 31 are given");
  inputs = right;
  inputs[0].shape[1] = -4;
  ExpectRefused(add.session, FERRY_kShapeMismatch, "input 'x'");
  inputs = right;
  inputs[0].rank = 9;
  ExpectRefused(add.session, FERRY_kShapeMismatch, "rank 9");
  inputs = right;
  inputs[0].data = reinterpret_cast<char*>(x.data()) + 1;
  ExpectRefused(add.session, FERRY_kInvalidArgument, "input 'x' is not aligned to 4 bytes");
  inputs[0].data = nullptr;
  ExpectRefused(add.session, FERRY_kInvalidArgument, "input 'x': its data is NULL");
  inputs = right;
  inputs[1].size = 3;
  ExpectRefused(add.session, FERRY_kInvalidArgument, "inputs[1].size is 3");
  inputs = right;
  inputs[1].shape[0] = 2;
  inputs[1].bytes = 8;
  ExpectRefused(add.session, FERRY_kShapeMismatch, "b");
  inputs = right;
  ferry_tensor fine = Output("y");
  EXPECT_EQ(ferry_engine_run(add.session, inputs.data(), 2, &fine, 1), FERRY_kOk);
}

TEST_F(EngineApi, WrongOutputsAreNamed) {
  const Opened add(kAdd);
  std::vector<float> y(9);
  ExpectRefused(add.session, FERRY_kInvalidArgument, "no output 'z'; it has 'y'", Output("z"));
  ExpectRefused(add.session, FERRY_kShapeMismatch, "output 'y' is f32 [2,4], 32 bytes",
                Output("y", y.data(), 31));
  ExpectRefused(add.session, FERRY_kInvalidArgument, "output 'y' is not aligned",
                Output("y", reinterpret_cast<char*>(y.data()) + 1, 32));
  ferry_tensor both[2] = {Output("y", y.data(), 32), Output("y", y.data(), 32)};
  EXPECT_EQ(ferry_engine_run(add.session, inputs.data(), 2, both, 2), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_engine_run(add.session, nullptr, 2, nullptr, 0), FERRY_kInvalidArgument);
}

TEST_F(EngineApi, HandlesAreChecked) {
  auto add = std::make_unique<Opened>(kAdd);
  ferry_engine_session* session = add->session;
  ExpectRefused(nullptr, FERRY_kInvalidArgument, "session is NULL");
  ExpectRefused(reinterpret_cast<ferry_engine_session*>(add->engine), FERRY_kInvalidArgument,
                "session is a ferry_engine, not a ferry_engine_session");
  int foreign = 0;
  ExpectRefused(reinterpret_cast<ferry_engine_session*>(&foreign), FERRY_kInvalidArgument,
                "is no ferry_engine_session");
  ferry_engine_close(add->engine);
  ferry_engine_close(add->engine);  // nothing happens
  ferry_tensor fine = Output("y");
  EXPECT_EQ(ferry_engine_run(session, inputs.data(), 2, &fine, 1), FERRY_kOk);  // it lives on
  EXPECT_EQ(ferry_engine_input_count(add->engine), 0);
  add.reset();
  ExpectRefused(session, FERRY_kInvalidArgument, "or was closed");
  ferry_engine_session_destroy(session);
  ferry_engine_session_destroy(nullptr);
}

TEST_F(EngineApi, OneCallAtATime) {
  const Opened slow(kLong);
  std::vector<float> square(256 * 256, 0.001F);
  const ferry_tensor in = Floats("x", {256, 256}, square);
  std::atomic<int> refused = 0, ran = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 8; ++k) {
        const int code = ferry_engine_run(slow.session, &in, 1, nullptr, 0);
        ASSERT_TRUE(code == FERRY_kOk || code == FERRY_kFailedPrecondition) << ferry_error_text();
        ++(code == FERRY_kOk ? ran : refused);
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_GT(ran, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(EngineApi, SessionsOfOneModelRunAtOnce) {
  const Opened add(kAdd);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      ferry_engine_session* session = nullptr;
      ferry_engine_session_options options = {sizeof(options), 1};
      ASSERT_EQ(ferry_engine_session_create(add.engine, &options, &session), FERRY_kOk);
      for (int k = 1; k < 200; ++k) {
        std::vector<float> mine(static_cast<size_t>(4 * (k % 5 + 1)), static_cast<float>(i * k));
        std::vector<float> y(mine.size());
        const ferry_tensor in[2] = {Floats("x", {k % 5 + 1, 4}, mine), inputs[1]};
        ferry_tensor out = Output("y", y.data(), y.size() * 4);
        ASSERT_EQ(ferry_engine_run(session, in, 2, &out, 1), FERRY_kOk) << ferry_error_text();
        for (size_t at = 0; at < y.size(); ++at) ASSERT_EQ(y[at], mine[at] + b[at % 4]);
      }
      ferry_engine_session_destroy(session);
    });
  for (std::thread& one : threads) one.join();
}

struct Ended {
  std::atomic<int> code = -1;
  std::string text;
  ferry_engine_session* destroy = nullptr;
  static void Note(void* user, int code, const char* text) {
    auto& ended = *static_cast<Ended*>(user);
    ended.text = text;
    if (ended.destroy != nullptr) ferry_engine_session_destroy(ended.destroy);
    ended.code = code;
  }
  void Wait() {
    while (code < 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

TEST_F(EngineApi, RunsOnAnotherThreadAndIsCancelled) {
  const Opened slow(kLong);
  std::vector<float> square(256 * 256, 0.001F);
  const ferry_tensor in = Floats("x", {256, 256}, square);
  ferry_tensor out = Output("y");
  Ended done;
  ASSERT_EQ(ferry_engine_run_async(slow.session, &in, 1, &out, 1, Ended::Note, &done), FERRY_kOk);
  done.Wait();
  ASSERT_EQ(done.code, FERRY_kOk) << done.text;
  EXPECT_EQ(out.bytes, 256U * 256 * 4);
  int cancelled = 0;
  for (int i = 0; i < 50 && cancelled == 0; ++i) {
    Ended cut;
    ASSERT_EQ(ferry_engine_run_async(slow.session, &in, 1, &out, 1, Ended::Note, &cut), FERRY_kOk);
    EXPECT_EQ(ferry_engine_cancel(slow.session), FERRY_kOk);
    cut.Wait();
    cancelled += cut.code == FERRY_kCancelled ? 1 : 0;
  }
  EXPECT_EQ(cancelled, 1);
  ferry_tensor again = Output("y");
  EXPECT_EQ(ferry_engine_cancel(slow.session), FERRY_kOk);  // nothing runs: nothing happens
  EXPECT_EQ(ferry_engine_run(slow.session, &in, 1, &again, 1), FERRY_kOk);
  EXPECT_EQ(ferry_engine_run_async(slow.session, &in, 1, &out, 1, nullptr, nullptr),
            FERRY_kInvalidArgument);
}

TEST_F(EngineApi, ACallbackMayDestroyItsSession) {
  Opened add(kAdd);
  Ended done;
  done.destroy = add.session;
  ferry_tensor out = Output("y");
  ASSERT_EQ(ferry_engine_run_async(add.session, inputs.data(), 2, &out, 1, Ended::Note, &done),
            FERRY_kOk);
  done.Wait();
  EXPECT_EQ(done.code, FERRY_kOk);
  EXPECT_EQ(ferry_engine_cancel(add.session), FERRY_kInvalidArgument);
}

// A run that was taken has ended, and told it, when both calls have returned.
TEST_F(EngineApi, DestroyWaitsForARunThatAnotherThreadStarts) {
  const Opened add(kAdd);
  ferry_engine_session_options options = {sizeof(options)};
  options.threads = 1;
  for (int round = 0; round < 400; ++round) {
    ferry_engine_session* session = nullptr;
    ASSERT_EQ(ferry_engine_session_create(add.engine, &options, &session), FERRY_kOk);
    Ended done;
    std::atomic<int> ready = 0;
    int code = -1;
    const auto meet = [&] {
      for (++ready; ready < 2;) std::this_thread::yield();
    };
    std::thread runs([&] {
      meet();
      code = ferry_engine_run_async(session, inputs.data(), 2, nullptr, 0, Ended::Note, &done);
    });
    meet();
    const auto start = std::chrono::steady_clock::now() + std::chrono::microseconds(round % 80);
    while (std::chrono::steady_clock::now() < start) continue;
    ferry_engine_session_destroy(session);
    runs.join();
    if (code != FERRY_kOk) {
      EXPECT_TRUE(code == FERRY_kInvalidArgument || code == FERRY_kCancelled) << code;
      continue;
    }
    EXPECT_GE(done.code.load(), 0) << "round " << round;
    done.Wait();
  }
}

TEST_F(EngineApi, WhatACallbackThrowsEndsInTheLibrary) {
  const Opened add(kAdd);
  std::atomic<bool> called = false;
  const auto thrower = [](void* user, int, const char*) {
    static_cast<std::atomic<bool>*>(user)->store(true);
    throw std::runtime_error("from the app");
  };
  ferry_tensor out = Output("y");
  ASSERT_EQ(ferry_engine_run_async(add.session, inputs.data(), 2, &out, 1, thrower, &called),
            FERRY_kOk);
  while (!called) std::this_thread::yield();
  Ended done;
  int code = FERRY_kFailedPrecondition;
  while (code == FERRY_kFailedPrecondition)
    code = ferry_engine_run_async(add.session, inputs.data(), 2, &out, 1, Ended::Note, &done);
  ASSERT_EQ(code, FERRY_kOk);
  done.Wait();
  EXPECT_EQ(done.code, FERRY_kOk);
}

TEST_F(EngineApi, SaysWhatTheModelTakes) {
  const Opened add(kAdd);
  ASSERT_EQ(ferry_engine_input_count(add.engine), 2);
  ASSERT_EQ(ferry_engine_output_count(add.engine), 1);
  ferry_engine_io io = {sizeof(io)};
  ASSERT_EQ(ferry_engine_input(add.engine, 0, &io), FERRY_kOk);
  EXPECT_STREQ(io.name, "x");
  EXPECT_EQ(io.type, FERRY_TYPE_F32);
  EXPECT_EQ(io.rank, 2);
  EXPECT_EQ(io.shape[0], -1);
  EXPECT_STREQ(io.symbols[0], "n");
  EXPECT_EQ(io.shape[1], 4);
  EXPECT_STREQ(io.symbols[1], "");
  EXPECT_STREQ(io.kind, "");
  EXPECT_EQ(ferry_engine_input(add.engine, 2, &io), FERRY_kOutOfRange);
  EXPECT_EQ(ferry_engine_output(add.engine, -1, &io), FERRY_kOutOfRange);
  io.size = 2;
  EXPECT_EQ(ferry_engine_input(add.engine, 0, &io), FERRY_kInvalidArgument);
  char* json = nullptr;
  ASSERT_EQ(ferry_engine_info(add.engine, &json), FERRY_kOk);
  const Json info = ParseJson(json).value();
  ferry_string_free(json);
  EXPECT_EQ(info["inputs"][0]["shape"], (Json{"n", 4}));
  EXPECT_EQ(info["outputs"][0]["name"], "y");
  ASSERT_EQ(ferry_engine_isas(&json), FERRY_kOk);
  EXPECT_EQ(ParseJson(json).value()[0], "reference");
  ferry_string_free(json);
}

TEST_F(EngineApi, QuantisedInputsSayTheirScale) {
  const Opened quant(R"(graph quant
input q u8 [4]
const s f32 [] = 0.5
const z u8 [] = 128
node DequantizeLinear d (q, s, z) -> (x)
node QuantizeLinear e (x, s, z) -> (y)
output y
)");
  ferry_engine_io io = {sizeof(io)};
  ASSERT_EQ(ferry_engine_input(quant.engine, 0, &io), FERRY_kOk);
  EXPECT_EQ(io.scale, 0.5);
  EXPECT_EQ(io.zero_point, 128);
  ASSERT_EQ(ferry_engine_output(quant.engine, 0, &io), FERRY_kOk);
  EXPECT_EQ(io.scale, 0.5);
}

TEST_F(EngineApi, PlansAheadAndTimesNodes) {
  ferry_engine_session_options options = {sizeof(options), 2};
  options.profile = 1;
  const Opened add(kAdd, options);
  EXPECT_EQ(ferry_engine_resize(add.session, inputs.data(), 2), FERRY_kOk) << ferry_error_text();
  EXPECT_EQ(ferry_engine_resize(add.session, inputs.data(), 1), FERRY_kInvalidArgument);
  ferry_tensor out = Output("y");
  ASSERT_EQ(ferry_engine_run(add.session, inputs.data(), 2, &out, 1), FERRY_kOk);
  char* json = nullptr;
  ASSERT_EQ(ferry_engine_profile(add.session, &json), FERRY_kOk);
  const Json steps = ParseJson(json).value();
  ferry_string_free(json);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]["node"], "add");
  EXPECT_EQ(steps[0]["runs"], 1);
  ASSERT_EQ(ferry_engine_session_info(add.session, &json), FERRY_kOk);
  const Json info = ParseJson(json).value();
  ferry_string_free(json);
  EXPECT_EQ(info["steps"], 1);
  EXPECT_EQ(info["threads"], 2);
  EXPECT_EQ(info["is_static"], true);
  EXPECT_EQ(info["fallbacks"], Json::array());
  const Opened plain(kAdd);
  EXPECT_EQ(ferry_engine_profile(plain.session, &json), FERRY_kFailedPrecondition);
}

TEST_F(EngineApi, OptionsAreChecked) {
  const Opened add(kAdd);
  ferry_engine_session* session = nullptr;
  const auto refused = [&](auto set, int code) {
    ferry_engine_session_options options = {sizeof(options)};
    set(options);
    EXPECT_EQ(ferry_engine_session_create(add.engine, &options, &session), code)
        << ferry_error_text();
    EXPECT_EQ(session, nullptr);
  };
  using Options = ferry_engine_session_options;
  refused([](Options& o) { o.size = 0; }, FERRY_kInvalidArgument);
  refused([](Options& o) { o.threads = -1; }, FERRY_kInvalidArgument);
  refused([](Options& o) { o.precision = 7; }, FERRY_kInvalidArgument);
  refused([](Options& o) { o.backends = "cpu,npu"; }, FERRY_kUnsupported);
  EXPECT_STREQ(ferry_error_text(), "no backend 'npu' in this library; it has: cpu");
  refused([](Options& o) { o.isa = "no_such"; }, FERRY_kInvalidArgument);
  refused([](Options& o) { o.memory_bytes = 16; }, FERRY_kOutOfMemory);
  Options chosen = {sizeof(Options)};
  chosen.backends = "cpu";
  chosen.cache_folder = "nowhere";
  EXPECT_EQ(ferry_engine_session_create(add.engine, &chosen, &session), FERRY_kOk);
  ferry_engine_session_destroy(session);
  // A header of tomorrow: a member behind what this library knows.
  struct Newer {
    Options options;
    int more;
  } newer = {{sizeof(Newer)}, 0};
  EXPECT_EQ(ferry_engine_session_create(add.engine, &newer.options, &session), FERRY_kOk);
  ferry_engine_session_destroy(session);
  newer.more = 1;
  EXPECT_EQ(ferry_engine_session_create(add.engine, &newer.options, &session), FERRY_kUnsupported);
}

class EngineFiles : public testing::Test {
 protected:
  void SetUp() override {
    path = testing::TempDir() + "ferry_engine_" + std::to_string(getpid());
    const Bytes file = FileOf(kAdd);
    std::ofstream(path, std::ios::binary)
        << std::string(7, 'p') << std::string(file.begin(), file.end()) << "tail";
    bytes = file.size();
  }
  void TearDown() override { std::filesystem::remove(path); }
  std::string path;
  size_t bytes = 0;
  ferry_engine* engine = nullptr;
};

TEST_F(EngineFiles, OpensAPartOfAnOpenFile) {
  FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_EQ(ferry_engine_open_descriptor(fileno(file), 7, bytes, nullptr, &engine), FERRY_kOk)
      << ferry_error_text();
  EXPECT_EQ(ferry_engine_input_count(engine), 2);
  ferry_engine_close(engine);
  EXPECT_EQ(ferry_engine_open_descriptor(fileno(file), 7, bytes * 2, nullptr, &engine),
            FERRY_kOutOfRange);
  EXPECT_EQ(ferry_engine_open_descriptor(fileno(file), 0, 0, nullptr, &engine), FERRY_kBadModel);
  std::fclose(file);
  EXPECT_NE(ferry_engine_open_descriptor(-1, 0, 0, nullptr, &engine), FERRY_kOk);
}

TEST_F(EngineFiles, BadFilesAreNamed) {
  EXPECT_EQ(ferry_engine_open((path + ".none").c_str(), nullptr, &engine), FERRY_kNotFound);
  EXPECT_NE(std::string(ferry_error_text()).find(path + ".none"), std::string::npos);
  EXPECT_EQ(ferry_engine_open(path.c_str(), nullptr, &engine), FERRY_kBadModel);
  EXPECT_NE(std::string(ferry_error_text()).find(path), std::string::npos);
  EXPECT_EQ(engine, nullptr);
  EXPECT_EQ(ferry_engine_open(testing::TempDir().c_str(), nullptr, &engine), FERRY_kBadModel);
  EXPECT_EQ(ferry_engine_open(nullptr, nullptr, &engine), FERRY_kInvalidArgument);
}

TEST_F(EngineFiles, MemoryIsReleasedOnceAlsoAfterAnError) {
  int released = 0;
  const auto release = [](void* context) { ++*static_cast<int*>(context); };
  const Bytes file = FileOf(kAdd);
  ASSERT_EQ(
      ferry_engine_open_memory(file.data(), file.size(), nullptr, release, &released, &engine),
      FERRY_kOk);
  ferry_engine_session* session = nullptr;
  ASSERT_EQ(ferry_engine_session_create(engine, nullptr, &session), FERRY_kOk);
  ferry_engine_close(engine);
  ferry_engine_session_destroy(session);
  EXPECT_EQ(released, 1);
  EXPECT_NE(ferry_engine_open_memory(file.data(), 20, nullptr, release, &released, &engine),
            FERRY_kOk);
  EXPECT_EQ(released, 2);
}

TEST_F(EngineFiles, VerifyReadsTheWeights) {
  Bytes file = FileOf(
      "graph weights\ninput x f32 [2]\nconst w f32 [2] = 3 4\n"
      "node Mul m (x, w) -> (y)\noutput y\n");
  file.back() ^= 1;
  const ferry_engine_options verify = {sizeof(verify), 1};
  EXPECT_EQ(ferry_engine_open_memory(file.data(), file.size(), &verify, nullptr, nullptr, &engine),
            FERRY_kCorruptContent);
}

TEST_F(EngineApi, WhatWasOpenedBeforeAForkIsRefusedInTheChild) {
  const Opened add(kAdd);
  const pid_t child = fork();
  if (child == 0) {
    ferry_tensor out = Output("y");
    const int code = ferry_engine_run(add.session, inputs.data(), 2, &out, 1);
    ferry_engine_close(add.engine);
    ferry_engine* engine = nullptr;
    const int opened = ferry_engine_open_memory(add.bytes.data(), add.bytes.size(), nullptr,
                                                nullptr, nullptr, &engine);
    _exit(code == FERRY_kFailedPrecondition && opened == FERRY_kOk ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ferry_tensor out = Output("y");
  EXPECT_EQ(ferry_engine_run(add.session, inputs.data(), 2, &out, 1), FERRY_kOk);
}

TEST_F(EngineApi, Texts) {
  const Opened lower(R"(graph lower
input x string [2]
node StringNormalizer n (x) -> (y) case_change_action=s"LOWER"
output y
)");
  const char* texts[2] = {"ONE", "Two"};
  ferry_tensor in = {sizeof(in), "x", FERRY_TYPE_STRING, 1, {2}, texts, sizeof(texts)};
  ferry_tensor out = Output("y");
  ASSERT_EQ(ferry_engine_run(lower.session, &in, 1, &out, 1), FERRY_kOk) << ferry_error_text();
  const auto* made = static_cast<const char* const*>(out.data);
  EXPECT_STREQ(made[0], "one");
  EXPECT_STREQ(made[1], "two");
  texts[1] = nullptr;
  EXPECT_EQ(ferry_engine_run(lower.session, &in, 1, &out, 1), FERRY_kInvalidArgument);
}

TEST(Types, EachHasANameAndASize) {
  EXPECT_STREQ(ferry_type_name(FERRY_TYPE_BF16), "bf16");
  EXPECT_EQ(ferry_type_bytes(FERRY_TYPE_F64), 8U);
  EXPECT_EQ(ferry_type_bytes(FERRY_TYPE_STRING), sizeof(char*));
  EXPECT_EQ(ferry_type_name(99), nullptr);
  EXPECT_EQ(ferry_type_bytes(0), 0U);
  int named = 0;
  for (int type = 0; type < 64; ++type) named += ferry_type_name(type) != nullptr ? 1 : 0;
  EXPECT_EQ(named, static_cast<int>(tensor::kLastDType));
}

TEST(Codes, AreThoseOfTheTable) {
#define FERRY_ERROR(id, name, number, http, text) \
  EXPECT_EQ(FERRY_##id, number);                  \
  EXPECT_STREQ(ferry_code_name(number), name);
#include "common/base/errors.inc"
#undef FERRY_ERROR
  EXPECT_STREQ(ferry_code_name(9999), "internal");
}

}  // namespace
}  // namespace ferry::api
