// A model ready to run: a description's blocks over its weights.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/arch/describe/description.h"
#include "device-runtime/llm/arch/describe/tensors.h"
#include "device-runtime/llm/arch/residency.h"
#include "device-runtime/llm/matrix.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

class Device;
class Workspace;

// The tensors of a loaded model, all that its description asks for. Borrows their bytes.
struct Weights {
  std::map<std::string, llm::Matrix, std::less<>> matrices;
  std::map<std::string, const float*, std::less<>> vectors;

  // A name that the description did not ask for is a bug (CHECK).
  const llm::Matrix& Matrix(std::string_view name) const;
  const float* Vector(std::string_view name) const;
};

// One forward pass: model.h says what it does.
struct ForwardPass {
  std::span<const Chunk> chunks;
  Workspace& workspace;
  sys::Parallel& parallel;
};

// Runs a description. Immutable; any number of passes at once, each with its own workspace.
class Network {
 public:
  // `weights` and `device` outlive it; the description is sound. `exact` as in LoadOptions.
  Network(const Description& description, const Weights& weights, const Device& device, bool exact);
  // Before the first pass.
  void Keep(Residency residency);
  // Bytes of weights that leave memory in each pass.
  int64_t streamed_bytes() const;
  ~Network();

  // Allocates nothing.
  void Forward(const ForwardPass& pass) const;

  std::vector<KvLayer> kv() const;
  WorkspaceShape workspace() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ferry::llm
