// What a run costs through device-runtime/api/ferry.h above the engine's own, and the model that other languages run.
//
//   ferry-sdk-bench model FILE      writes the model: one Add of [1,4]
//   ferry-sdk-bench run             {"engine_us","c_us","overhead_us","grown_bytes"} as JSON
//
// Rounds of both are interleaved; a figure is the median of its rounds.
#include <malloc.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "device-runtime/api/ferry.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

namespace {

using ferry::engine::Model;
using ferry::engine::OutputMemory;
using ferry::engine::Session;
using ferry::tensor::Tensor;

constexpr const char* kOneAdd = R"(graph one_add
input x f32 [1,4]
input y f32 [1,4]
node Add add (x, y) -> (z)
output z
)";
constexpr int kRounds = 21;
constexpr int kRunsOfRound = 20'000;

double MicrosecondsOf(const std::function<bool()>& run) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRunsOfRound; ++i)
    if (!run()) return -1;
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count() / kRunsOfRound;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct CSession {
  explicit CSession(const ferry::Bytes& file) {
    ferry_engine_session_options options = {};
    options.size = sizeof(options);
    options.threads = 1;
    ok = ferry_engine_open_memory(file.data(), file.size(), nullptr, nullptr, nullptr, &engine) ==
             FERRY_kOk &&
         ferry_engine_session_create(engine, &options, &session) == FERRY_kOk;
  }
  ~CSession() {
    ferry_engine_session_destroy(session);
    ferry_engine_close(engine);
  }
  bool ok = false;
  ferry_engine* engine = nullptr;
  ferry_engine_session* session = nullptr;
};

ferry_tensor Floats(const char* name, float* values) {
  ferry_tensor out = {};
  out.size = sizeof(out);
  out.name = name;
  out.type = FERRY_TYPE_F32;
  out.rank = 2;
  out.shape[0] = 1;
  out.shape[1] = 4;
  out.data = values;
  out.bytes = 4 * sizeof(float);
  return out;
}

int Fail(const std::string& what) {
  std::fprintf(stderr, "ferry-sdk-bench: %s\n", what.c_str());
  return 1;
}

int Run(const ferry::Bytes& file) {
  CSession c(file);
  if (!c.ok) return Fail(ferry_error_text());
  auto model = Model::FromBytes(file);
  if (!model.ok()) return Fail(model.status().message());
  auto session = Session::Create(*model);
  if (!session.ok()) return Fail(session.status().message());
  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, z[4] = {};
  const Tensor inputs[2] = {Tensor::View(ferry::tensor::DType::kF32, {1, 4}, x),
                            Tensor::View(ferry::tensor::DType::kF32, {1, 4}, y)};
  const OutputMemory outputs[1] = {{z, sizeof(z)}};
  const ferry_tensor in[2] = {Floats("x", x), Floats("y", y)};
  ferry_tensor out = Floats("z", z);
  const auto engine_run = [&] { return (*session)->Execute(inputs, outputs).ok(); };
  const auto c_run = [&] { return ferry_engine_run(c.session, in, 2, &out, 1) == FERRY_kOk; };
  std::vector<double> engine_us, c_us;
  for (int round = 0; round < kRounds; ++round) {
    engine_us.push_back(MicrosecondsOf(engine_run));
    c_us.push_back(MicrosecondsOf(c_run));
  }
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 5; ++i) MicrosecondsOf(c_run);
  const auto grown = static_cast<int64_t>(mallinfo2().uordblks - before);
  std::printf(
      "{\"engine_us\": %.4f, \"c_us\": %.4f, \"overhead_us\": %.4f, \"grown_bytes\": %lld}\n",
      Median(engine_us), Median(c_us), Median(c_us) - Median(engine_us),
      static_cast<long long>(grown));  // NOLINT: printf's type
  return out.data == z && z[3] == 12 ? 0 : Fail("the sum is wrong");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto file = ferry::engine::Compile(ferry::ir::Parse(kOneAdd).value(), {"one_add"});
  if (!file.ok()) return Fail(file.status().message());
  if (args.size() == 2 && args[0] == "model") {
    std::ofstream out(args[1], std::ios::binary);
    out.write(reinterpret_cast<const char*>(file->data()),
              static_cast<std::streamsize>(file->size()));
    return out.good() ? 0 : Fail("cannot write " + args[1]);
  }
  if (args.size() == 1 && args[0] == "run") return Run(*file);
  return Fail("usage: ferry-sdk-bench run | ferry-sdk-bench model FILE");
}
