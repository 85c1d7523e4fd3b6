#include "tests/conformance/backend/test_backend.h"

#include <cstring>

#include "device-runtime/engine/model/state.h"
#include "device-runtime/engine/plan.h"

namespace ferry::test {
namespace {

using backends::DeviceMemory;
using tensor::Tensor;

class TestMemory final : public DeviceMemory {
 public:
  TestMemory(tensor::Buffer buffer, int64_t bytes, std::atomic<int64_t>& live)
      : buffer_(std::move(buffer)), bytes_(bytes), live_(live) {
    live_ += bytes_;
  }
  ~TestMemory() override { live_ -= bytes_; }
  int64_t bytes() const override { return bytes_; }
  uint8_t* data() const { return buffer_.data(); }

 private:
  tensor::Buffer buffer_;
  const int64_t bytes_;
  std::atomic<int64_t>& live_;
};

uint8_t* DataOf(const DeviceMemory& memory) {
  return static_cast<const TestMemory&>(memory).data();
}

class TestPart final : public backends::BackendPart {
 public:
  explicit TestPart(const TestBackend& owner) : owner_(owner) {}

  Status Make(ir::Program part, const backends::CpuDevice& cpu,
              const backends::BackendSettings& settings) {
    for (const ir::BufferInfo& buffer : part.buffers) {
      if (buffer.input < 0) continue;
      const auto at = static_cast<size_t>(buffer.input);
      if (at >= types_.size()) types_.resize(at + 1);
      types_[at] = {buffer.dtype, buffer.shape};
    }
    engine::PlanSettings wanted;
    wanted.error_bound = settings.error_bound;
    wanted.cancel = settings.cancel;
    FERRY_ASSIGN_OR_RETURN(
        plan_, engine::MakePlan(std::move(part), model_, cpu,
                                std::make_shared<engine::Arena>(settings.budget), wanted));
    return OkStatus();
  }

  Status Run(std::span<DeviceMemory* const> inputs,
             std::span<DeviceMemory* const> outputs) override {
    ++owner_.counts().runs;
    if (owner_.Fails(Fault::kRunFails)) return Status(Code::kInternal, "the device was lost");
    if (owner_.Fails(Fault::kRunWritesNothing)) return OkStatus();
    std::vector<Tensor> views;
    std::vector<const Tensor*> bound;
    for (size_t i = 0; i < inputs.size(); ++i) {
      views.push_back(Tensor::View(types_[i].first, types_[i].second, DataOf(*inputs[i])));
    }
    for (const Tensor& view : views) bound.push_back(&view);
    FERRY_TRY(engine::RunPlan(*plan_, bound, sys::SerialParallel(), strings_));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor output = engine::PlanOutput(*plan_, i);
      if (output.size_bytes() == 0) continue;
      std::memcpy(DataOf(*outputs[i]), output.raw(), output.bytes().size());
    }
    return OkStatus();
  }

  std::vector<backends::Uploads::Memory> constants;

 private:
  const TestBackend& owner_;
  engine::Model::State model_;
  std::vector<std::pair<tensor::DType, tensor::Shape>> types_;  // of inputs
  std::unique_ptr<engine::Plan> plan_;
  tensor::StringPool strings_;
};

}  // namespace

bool TestBackend::Fails(Fault what) const {
  return fault == what && calls_++ >= good_calls;
}

std::vector<std::string> TestBackend::Primitives() const {
  if (primitives.empty()) return {ir::PrimitiveNames().begin(), ir::PrimitiveNames().end()};
  return {primitives.begin(), primitives.end()};
}

bool TestBackend::Runs(const ir::Program&, const ir::Step& step) const {
  return primitives.empty() || primitives.contains(ir::PrimitiveName(step.primitive));
}

Result<std::unique_ptr<DeviceMemory>> TestBackend::Allocate(
    int64_t bytes, const backends::BackendSettings& settings) const {
  if (Fails(Fault::kAllocateFails)) return Status(Code::kOutOfMemory, "no memory on the device");
  if (Fails(Fault::kAllocateGivesNothing)) return std::unique_ptr<DeviceMemory>();
  return New(Fails(Fault::kAllocateGivesLess) ? bytes / 2 : bytes, settings);
}

Result<std::unique_ptr<DeviceMemory>> TestBackend::New(
    int64_t bytes, const backends::BackendSettings& settings) const {
  FERRY_ASSIGN_OR_RETURN(tensor::Buffer buffer, tensor::Buffer::Allocate(bytes, settings.budget));
  std::memset(buffer.data(), 0xee, static_cast<size_t>(bytes));
  return std::unique_ptr<DeviceMemory>(
      std::make_unique<TestMemory>(std::move(buffer), bytes, counts_.live_bytes));
}

Status TestBackend::CopyIn(const uint8_t* host, int64_t bytes, DeviceMemory& to) const {
  ++counts_.copies_in;
  if (Fails(Fault::kCopyInFails)) return Status(Code::kInternal, "the way in is broken");
  std::memcpy(DataOf(to), host, static_cast<size_t>(bytes));
  return OkStatus();
}

Status TestBackend::CopyOut(const DeviceMemory& from, int64_t bytes, uint8_t* host) const {
  ++counts_.copies_out;
  if (Fails(Fault::kCopyOutFails)) return Status(Code::kInternal, "the way out is broken");
  std::memcpy(host, DataOf(from), static_cast<size_t>(bytes));
  return OkStatus();
}

Result<std::unique_ptr<backends::BackendPart>> TestBackend::Prepare(
    ir::Program part, backends::Uploads& uploads, const backends::BackendSettings& settings) const {
  FERRY_TRY(ir::Verify(part));
  {
    const std::lock_guard lock(mutex_);
    settings_ = settings;
  }
  if (Fails(Fault::kPrepareFails)) return Status(Code::kUnsupported, "the compiler gave up");
  if (Fails(Fault::kPrepareGivesNothing)) return std::unique_ptr<backends::BackendPart>();
  ++counts_.prepared;
  auto made = std::make_unique<TestPart>(*this);
  for (ir::BufferInfo& buffer : part.buffers) {
    if (!buffer.constant || buffer.constant->size_bytes() == 0) continue;
    const Tensor constant = *buffer.constant;
    const auto upload = [&]() -> Result<backends::Uploads::Memory> {
      if (Fails(Fault::kUploadFails)) return Status(Code::kOutOfMemory, "no room for weights");
      if (Fails(Fault::kUploadGivesNothing)) return backends::Uploads::Memory();
      ++counts_.uploads;
      FERRY_ASSIGN_OR_RETURN(auto memory, New(constant.size_bytes(), {}));
      std::memcpy(DataOf(*memory), constant.raw(), constant.bytes().size());
      return backends::Uploads::Memory(std::move(memory));
    };
    FERRY_ASSIGN_OR_RETURN(backends::Uploads::Memory memory, uploads.Get(constant, "", upload));
    buffer.constant = Tensor::View(constant.dtype(), constant.shape(), DataOf(*memory));
    made->constants.push_back(std::move(memory));
  }
  FERRY_TRY(made->Make(std::move(part), *cpu_, settings));
  return std::unique_ptr<backends::BackendPart>(std::move(made));
}

}  // namespace ferry::test
