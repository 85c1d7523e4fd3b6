// Random sequences of calls of the SDK, on two threads that share their handles: open and closed
// ones, of the right and of the wrong type, good and bad arguments. Each byte chooses.
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "common/base/check.h"
#include "device-runtime/api/ferry.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr const char* kSdkModel = R"(graph two
input x f32 [n,4]
input b f32 [4]
node Add add (x, b) -> (y)
node Relu relu (y) -> (z)
output y
output z
)";
constexpr const char* kSdkStreams =
    R"([{"name":"a","source":"tap","operators":[{"op":"filter","where":"n > 1"}],"app":true}])";
constexpr size_t kSdkHandles = 8;      // of each type
constexpr size_t kMostCalls = 400;     // of one thread
constexpr size_t kMostRuntimes = 4;    // of one input: each starts threads
constexpr size_t kMostAsyncRuns = 64;  // of one input

const Bytes& SdkModelFile() {
  static const Bytes file = engine::Compile(ir::Parse(kSdkModel).value(), {"two"}).value();
  return file;
}

// What both threads work on. Closed handles stay in their places, to be used again.
struct SdkShared {
  std::array<std::atomic<ferry_engine*>, kSdkHandles> engines = {};
  std::array<std::atomic<ferry_engine_session*>, kSdkHandles> sessions = {};
  std::array<std::atomic<ferry_stream*>, kSdkHandles> streams = {};
  std::array<std::atomic<ferry_runtime*>, kSdkHandles> runtimes = {};
  std::atomic<size_t> runtimes_made = 0, async_runs = 0, async_done = 0;
};

void CheckCode(int code) {
  // Every failure has a text, and every code a name.
  CHECK(code == FERRY_kOk || std::strlen(ferry_error_text()) > 0) << ferry_code_name(code);
  CHECK(code != FERRY_kInternal) << ferry_error_text();
}

// `call` sets the text it is given. Not the results of one expression: whether the text or the call
// is looked at first would be the compiler's choice.
template <typename Call>
void TakeSdkText(const Call& call) {
  char* text = nullptr;
  const int code = call(&text);
  CheckCode(code);
  if (code == FERRY_kOk) ferry_string_free(text);
}

class SdkCaller {
 public:
  SdkCaller(SdkShared& shared, ByteView bytes) : shared_(shared), bytes_(bytes) {}
  void Run() {
    for (size_t i = 0; i < kMostCalls && at_ < bytes_.size(); ++i) Step();
  }

 private:
  uint8_t Next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  template <typename T>
  std::atomic<T*>& Any(std::array<std::atomic<T*>, kSdkHandles>& all) {
    return all[Next() % kSdkHandles];
  }

  void Step() {
    switch (Next() % 22) {
      case 0:
        return OpenEngine();
      case 1:
        return ferry_engine_close(Any(shared_.engines));
      case 2:
        return OpenSession();
      case 3:
        return ferry_engine_session_destroy(Any(shared_.sessions));
      case 4:
      case 5:
      case 6:
        return RunSession(false);
      case 7:
        return RunSession(true);
      case 8:
        return CheckCode(ferry_engine_cancel(Any(shared_.sessions)));
      case 9:
        return Describe();
      case 10:
        return TakeSdkText(
            [&](char** text) { return ferry_engine_session_info(Any(shared_.sessions), text); });
      case 11:
        return TakeSdkText(
            [&](char** text) { return ferry_engine_profile(Any(shared_.sessions), text); });
      case 12: {
        ferry_stream* opened = nullptr;
        CheckCode(ferry_stream_open(Next() % 4 == 0 ? "[{\"name\":" : kSdkStreams, &opened));
        if (opened != nullptr) ferry_stream_close(Any(shared_.streams).exchange(opened));
        return;
      }
      case 13:
        return ferry_stream_close(Any(shared_.streams));
      case 14:
        return CheckCode(ferry_stream_send(Any(shared_.streams), Next() % 8 == 0 ? "tip" : "tap",
                                           Next() % 8 == 0 ? "{" : "{\"n\":2}"));
      case 15:
        return TakeSdkText(
            [&](char** text) { return ferry_stream_read(Any(shared_.streams), Next(), text); });
      case 16:
        return CheckCode(ferry_stream_advance(Any(shared_.streams), Next() - 1));
      case 17:
        return OpenRuntime();
      case 18:
        return ferry_runtime_destroy(Any(shared_.runtimes));
      case 19:
        return CheckCode(
            ferry_event_send(Any(shared_.runtimes), Next() % 8 == 0 ? "{" : "{\"id\":\"a\"}"));
      case 20:
        return TakeSdkText([&](char** text) { return ferry_status(Any(shared_.runtimes), text); });
      default:
        return Foreign();
    }
  }

  void OpenEngine() {
    const Bytes& file = SdkModelFile();
    const size_t size = Next() % 8 == 0 ? Next() : file.size();
    ferry_engine* opened = nullptr;
    CheckCode(ferry_engine_open_memory(file.data(), std::min(size, file.size()), nullptr, nullptr,
                                       nullptr, &opened));
    if (opened != nullptr) ferry_engine_close(Any(shared_.engines).exchange(opened));
  }

  void OpenSession() {
    ferry_engine_session_options options = {};
    options.size = sizeof(options);
    options.threads = Next() % 2 + 1;
    options.profile = Next() % 2;
    options.precision = Next() % 4;
    ferry_engine_session* made = nullptr;
    CheckCode(ferry_engine_session_create(Any(shared_.engines), &options, &made));
    if (made != nullptr) ferry_engine_session_destroy(Any(shared_.sessions).exchange(made));
  }

  void RunSession(bool async) {
    // Of the whole process, so that an asynchronous run may read them late.
    static std::array<float, 64> values = {};
    ferry_tensor inputs[2] = {}, outputs[2] = {};
    const int rows = Next() % 5;
    inputs[0] = {sizeof(ferry_tensor), "x", FERRY_TYPE_F32, 2, {rows, 4}};
    inputs[1] = {sizeof(ferry_tensor), "b", FERRY_TYPE_F32, 1, {4}};
    inputs[0].bytes = static_cast<size_t>(rows) * 16;
    inputs[1].bytes = 16;
    for (ferry_tensor& one : inputs) {
      one.data = values.data();
      Spoil(one);
    }
    std::array<float, 64> mine = {};
    for (ferry_tensor& one : outputs) {
      one.size = sizeof(one);
      if (Next() % 4 == 0) one.name = "z";
    }
    if (async) return RunLater(inputs);
    outputs[0].data = mine.data();
    outputs[0].bytes = Next() % 4 == 0 ? Next() : sizeof(mine);
    CheckCode(
        ferry_engine_run(Any(shared_.sessions), inputs, 2 - Next() % 8 / 7, outputs, Next() % 3));
  }

  void RunLater(const ferry_tensor* inputs) {
    if (shared_.async_runs.fetch_add(1) >= kMostAsyncRuns) {
      shared_.async_done.fetch_add(1);
      return;
    }
    const auto done = [](void* user, int code, const char* text) {
      CHECK(code == FERRY_kOk || std::strlen(text) > 0);
      static_cast<std::atomic<size_t>*>(user)->fetch_add(1);
    };
    const int code = ferry_engine_run_async(Any(shared_.sessions), inputs, 2, nullptr, 0, done,
                                            &shared_.async_done);
    CheckCode(code);
    if (code != FERRY_kOk) shared_.async_done.fetch_add(1);
  }

  // Now and then something is wrong with a tensor.
  void Spoil(ferry_tensor& one) {
    switch (Next()) {
      case 1:
        one.name = "q";
        break;
      case 2:
        one.type = Next();
        break;
      case 3:
        one.rank = Next();
        break;
      case 4:
        one.shape[0] = -Next();
        break;
      case 5:
        one.bytes = Next();
        break;
      case 6:
        one.data = static_cast<char*>(one.data) + 1;
        break;
      case 7:
        one.size = Next();
        break;
      case 8:
        one.data = nullptr;
        break;
      default:
        break;
    }
  }

  void Describe() {
    const ferry_engine* engine = Any(shared_.engines);
    const int count = ferry_engine_input_count(engine);
    ferry_engine_io io = {};
    io.size = sizeof(io);
    if (ferry_engine_input(engine, Next() % 3, &io) == FERRY_kOk) CHECK(io.rank <= FERRY_MAX_RANK);
    CHECK(count == 0 || count == 2);
    TakeSdkText([&](char** text) { return ferry_engine_info(engine, text); });
  }

  void OpenRuntime() {
    if (shared_.runtimes_made.fetch_add(1) >= kMostRuntimes) return;
    ferry_runtime* made = nullptr;
    CheckCode(ferry_runtime_create(nullptr, nullptr, nullptr, &made));
    if (made != nullptr) ferry_runtime_destroy(Any(shared_.runtimes).exchange(made));
  }

  // Handles where those of another type are due, and addresses.
  void Foreign() {
    auto* engine = reinterpret_cast<ferry_engine*>(Any(shared_.sessions).load());  // NOLINT
    CHECK(ferry_engine_input_count(engine) == 0);
    auto* address = reinterpret_cast<ferry_stream*>(&shared_);  // NOLINT
    CHECK(ferry_stream_advance(address, 0) == FERRY_kInvalidArgument);
    ferry_engine_close(engine);
  }

  SdkShared& shared_;
  const ByteView bytes_;
  size_t at_ = 0;
};

void RunSdkCalls(ByteView bytes) {
  SdkShared shared;
  const size_t half = bytes.size() / 2;
  std::thread other([&] { SdkCaller(shared, bytes.subspan(0, half)).Run(); });
  SdkCaller(shared, bytes.subspan(half)).Run();
  other.join();
  for (auto& one : shared.sessions) ferry_engine_session_destroy(one);
  for (auto& one : shared.engines) ferry_engine_close(one);
  for (auto& one : shared.streams) ferry_stream_close(one);
  for (auto& one : shared.runtimes) ferry_runtime_destroy(one);
  // Destroyed sessions have ended their runs, and told it.
  CHECK(shared.async_done == shared.async_runs);
}

std::vector<Bytes> SdkCallSeeds() {
  std::vector<Bytes> seeds;
  // Opens one of each and uses it; the numbers behind a call are its choices.
  const Bytes all = {0,  1, 0, 2,  1, 1, 0, 0,  0, 4, 2,  9, 9, 0,  0, 0,  1,
                     1,  0, 1, 7,  1, 9, 9, 0,  0, 0, 8,  0, 9, 0,  0, 10, 0,
                     12, 1, 0, 14, 0, 1, 1, 15, 0, 0, 16, 0, 0, 21, 0, 3,  0};
  seeds.push_back(all);
  Bytes runtime = {17, 0, 19, 0, 1, 20, 0, 18, 0, 20, 0};
  seeds.push_back(runtime);
  runtime.insert(runtime.end(), all.begin(), all.end());
  runtime.insert(runtime.end(), all.rbegin(), all.rend());
  seeds.push_back(runtime);
  return seeds;
}

}  // namespace

const Target kSdkCallsTarget = {"sdk_calls", RunSdkCalls, SdkCallSeeds, 8};

}  // namespace ferry::fuzz
