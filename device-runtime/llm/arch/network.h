// What an architecture is to the rest: which tensors it needs and how a forward pass runs over
// them. One file an architecture, one row in list.inc.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/kernels/linear/linear.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

class Workspace;

// A tensor under its name in Hugging Face checkpoints. Of two extents: a matrix, kept as it is
// stored. Of one: a vector (norm weights), kept as float32.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
};

// The tensors of a loaded model, all that the architecture asked for. Borrows their bytes.
struct Weights {
  std::map<std::string, kernels::WeightMatrix, std::less<>> matrices;
  std::map<std::string, const float*, std::less<>> vectors;

  // A name that the architecture did not ask for is a bug (CHECK).
  const kernels::WeightMatrix& Matrix(std::string_view name) const;
  const float* Vector(std::string_view name) const;
};

// One forward pass: model.h says what it does.
struct ForwardPass {
  std::span<const Chunk> chunks;
  Workspace& workspace;
  sys::Parallel& parallel;
};

// A model ready to run. Immutable; any number of passes at once, each with its own workspace.
class Network {
 public:
  virtual ~Network() = default;
  // Allocates nothing.
  virtual void Forward(const ForwardPass& pass) const = 0;
};

// Immutable, static.
class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual const char* name() const = 0;  // config.json's model_type
  // Checks the members of config.json that only this architecture gives a meaning, completes
  // `config` (whose common members are filled in), and returns as an object those that it needs
  // later, normalised: a Ferry model file keeps them. kUnsupported and kMalformed name the member.
  virtual Result<Json> ReadSettings(const Json& file, ModelConfig* config) const = 0;
  virtual std::vector<TensorSpec> Tensors(const ModelConfig& config,
                                          const Json& settings) const = 0;
  // `weights` outlives the network.
  virtual std::unique_ptr<Network> Build(const ModelConfig& config, const Json& settings,
                                         const Weights& weights,
                                         const kernels::KernelTable& table) const = 0;
};

#define FERRY_ARCHITECTURE(name) const Architecture& name##Architecture();
#include "device-runtime/llm/arch/list.inc"
#undef FERRY_ARCHITECTURE

// kUnsupported lists those supported.
Result<const Architecture*> FindArchitecture(std::string_view name);

}  // namespace ferry::llm
