#include "device-runtime/engine/split/running_part.h"

#include <algorithm>
#include <array>

namespace ferry::engine {
namespace {

constexpr int64_t kLooked = 4096;  // bytes at the start of an output that the first run looks at
// What lies there before; a second time, for an output may hold the first by chance.
constexpr std::array<uint8_t, 2> kPoisons = {0xa5, 0x5a};

}  // namespace

void RunningPart::SetValues(std::vector<Value> inputs, std::vector<Value> outputs) {
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  from_.clear();
  to_.clear();
  for (const Value& value : inputs_) from_.push_back(value.memory.get());
  for (const Value& value : outputs_) to_.push_back(value.memory.get());
}

Status RunningPart::RunOnce(const RunContext& context) {
  for (const Value& value : inputs_) {
    if (!value.is_copied || value.bytes == 0) continue;
    FERRY_TRY(backend_.CopyIn(context.at[value.root], value.bytes, *value.memory));
  }
  FERRY_TRY(part_->Run(from_, to_));
  for (const Value& value : outputs_) {
    if (!value.is_copied || value.bytes == 0) continue;
    FERRY_TRY(backend_.CopyOut(*value.memory, value.bytes, context.at[value.root]));
  }
  return OkStatus();
}

Status RunningPart::RunChecked(const RunContext& context) {
  std::vector<bool> written(outputs_.size(), false);
  std::vector<uint8_t> bytes;
  for (const uint8_t poison : kPoisons) {
    for (const Value& value : outputs_) {
      bytes.assign(static_cast<size_t>(std::min(value.bytes, kLooked)), poison);
      if (bytes.empty()) continue;
      FERRY_TRY(backend_.CopyIn(bytes.data(), std::ssize(bytes), *value.memory));
    }
    FERRY_TRY(RunOnce(context));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const int64_t looked = std::min(outputs_[i].bytes, kLooked);
      bytes.assign(static_cast<size_t>(looked), poison);
      if (looked > 0) FERRY_TRY(backend_.CopyOut(*outputs_[i].memory, looked, bytes.data()));
      written[i] = written[i] || looked == 0 || std::ranges::count(bytes, poison) < looked;
    }
    if (std::ranges::count(written, false) == 0) return OkStatus();
  }
  return Status::Of(Code::kInternal, "output {} of {} was not written",
                    std::ranges::find(written, false) - written.begin(), outputs_.size());
}

Status RunningPart::Run(const RunContext& context) {
  const Status ran = is_checked_ ? RunOnce(context) : RunChecked(context);
  if (!ran.ok()) return ran.Context("backend '{}', {}", backend_.name(), where_);
  is_checked_ = true;
  return OkStatus();
}

}  // namespace ferry::engine
