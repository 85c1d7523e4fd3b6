// One part of a plan on its backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/split/placement.h"

namespace ferry::engine {

// A session's; one thread at a time.
class RunningPart {
 public:
  using Memory = std::shared_ptr<backends::DeviceMemory>;
  struct Value {
    ir::BufferId root = -1;
    int64_t bytes = 0;
    Memory memory;
    bool is_copied = false;  // from the host before the part runs, or to it afterwards
  };

  RunningPart(const Backend& backend, std::unique_ptr<backends::BackendPart> part,
              std::string where)
      : backend_(backend), part_(std::move(part)), where_(std::move(where)) {}

  // In the order of the part's program.
  void SetValues(std::vector<Value> inputs, std::vector<Value> outputs);

  // Allocates nothing but in the first run, which finds out whether the backend writes its outputs
  // at all.
  Status Run(const RunContext& context);

 private:
  Status RunOnce(const RunContext& context);
  Status RunChecked(const RunContext& context);

  const Backend& backend_;
  std::unique_ptr<backends::BackendPart> part_;
  const std::string where_;  // for errors
  std::vector<Value> inputs_, outputs_;
  std::vector<backends::DeviceMemory*> from_, to_;
  bool is_checked_ = false;
};

}  // namespace ferry::engine
