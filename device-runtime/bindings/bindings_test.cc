#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "device-runtime/bindings/modules.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::bindings {
namespace {

using testing::HasSubstr;

class FakeHost : public Host {
 public:
  Result<std::shared_ptr<const engine::Model>> LoadModel(std::string_view name) override {
    return Status::Of(Code::kNotFound, "the task has no model \"{}\"", name);
  }
  Status Emit(std::string_view stream, Json row) override {
    if (stream == "closed") return Status(Code::kFailedPrecondition, "the stream is closed");
    rows.push_back(std::move(row));
    return OkStatus();
  }
  int64_t NowMs() override { return 1234; }
  std::shared_ptr<tensor::MemoryBudget> Budget() override { return budget; }

  std::vector<Json> rows;
  std::shared_ptr<tensor::MemoryBudget> budget =
      std::make_shared<tensor::MemoryBudget>(int64_t{64} << 20);
};

Status RunScript(FakeHost* host, const std::string& source, const vm::Limits& limits = {}) {
  vm::Isolate::Options options;
  options.limits = limits;
  options.modules = AllModules();
  options.host = static_cast<Host*>(host);
  auto isolate = vm::Isolate::Create(std::move(options));
  if (!isolate.ok()) return isolate.status();
  return (*isolate)->RunSource(source, "case").status();
}

// Every file under cases/ runs to its end without an exception.
TEST(Bindings, Cases) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(FERRY_SOURCE_DIR "/device-runtime/bindings/cases")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    FakeHost host;
    const Status status = RunScript(&host, text.str());
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(host.budget->used(), 0);  // all tensors died with the isolate
  }
  EXPECT_GE(files, 2);
}

TEST(Bindings, EmittedRowsReachTheHost) {
  FakeHost host;
  const Status status =
      RunScript(&host, "from ferry import events\nevents.emit('r', {'a': [1, 2.5, 'x', None]})\n");
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(host.rows.size(), 1u);
  EXPECT_EQ(host.rows[0], (Json{{"a", {1, 2.5, "x", nullptr}}}));
}

TEST(Bindings, TensorsCountAgainstTheMemoryOfTheScript) {
  FakeHost host;
  vm::Limits limits;
  limits.memory_bytes = 4 << 20;
  const std::string keep = R"(
from ferry import engine
row = [0.0] * 1000
kept = []
while True:
    kept.append(engine.tensor(row))
)";
  EXPECT_EQ(RunScript(&host, keep, limits).code(), Code::kScriptMemory);
  const std::string drop = R"(
from ferry import engine
row = [0.0] * 1000
for k in range(5000):
    t = engine.tensor(row)
)";
  const Status status = RunScript(&host, drop, limits);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(host.budget->used(), 0);
}

TEST(Bindings, WorkOnTensorsCountsSteps) {
  FakeHost host;
  vm::Limits limits;
  limits.steps = 1'000'000;
  const std::string text = R"(
from ferry import engine
t = engine.tensor([0.0] * 10000)
while True:
    t.argmax()
)";
  EXPECT_EQ(RunScript(&host, text, limits).code(), Code::kScriptTime);
}

}  // namespace
}  // namespace ferry::bindings
