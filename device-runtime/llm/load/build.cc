// From parts to a model: every tensor there, of its shape, aligned and finite.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/sys/memory.h"
#include "common/sys/pages.h"
#include "device-runtime/llm/device/device.h"
#include "device-runtime/llm/load/finite.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/load/stored/store.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm {
namespace {

using kernels::WeightMatrix;
using kernels::WeightType;

constexpr size_t kMaxNamesInMessage = 16;
constexpr int64_t kLookedRows = kernels::kPackedTileRows;
constexpr int64_t kLookedBytes = int64_t{8} << 20;   // looked at before they leave memory
constexpr int64_t kParallelFrom = int64_t{8} << 20;  // bytes of weights

Status MissingTensors(const std::string& source, const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMaxNamesInMessage);
  std::string list = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (shown < names.size()) list += fmt::format(" and {} more", names.size() - shown);
  return Status::Of(Code::kBadModel, "{}: {} tensors are missing: {}", source, names.size(), list);
}

// A matrix may be stored with an extent of 1 between its own, as convolutions are.
std::vector<int64_t> Squeezed(const TensorSpec& spec, std::vector<int64_t> shape) {
  if (spec.shape.size() == 2 && shape.size() == 3 && shape[1] == 1) shape.erase(shape.begin() + 1);
  return shape;
}

Status CheckStored(const TensorSpec& spec, const StoredTensor& stored, bool transposed) {
  std::vector<int64_t> shape = Squeezed(spec, stored.shape);
  if (transposed) std::reverse(shape.begin(), shape.end());
  if (shape == spec.shape) return OkStatus();
  return Status::Of(Code::kBadModel, "{}: tensor \"{}\" has shape [{}], wanted [{}]", stored.where,
                    spec.name, fmt::join(stored.shape, ", "), fmt::join(spec.shape, ", "));
}

class Builder {
 public:
  explicit Builder(Model::State* state) : state_(state) {}

  Status Add(const TensorSpec& spec, const StoredTensor& stored) {
    const ImportRules& rules = state_->config.rules;
    const bool is_matrix = spec.shape.size() == 2;
    const bool transposed = is_matrix && rules.transposed && spec.in_layer;
    FERRY_TRY(CheckStored(spec, stored, transposed));
    const bool normalised = rules.head_normalised && spec.name == state_->config.description.head;
    const bool changed = transposed || normalised || (spec.is_norm && rules.norm_offset);
    const int64_t rows = spec.shape[0];
    const int64_t columns = is_matrix ? spec.shape[1] : 1;
    if (stored.type.packed && stored.owner != nullptr && (spec.exact || changed)) {
      FERRY_ASSIGN_OR_RETURN(const StoredTensor widened,
                             StoreAsRows(spec.name, stored, sys::SerialParallel()));
      return Add(spec, widened);
    }
    state_->parameters += rows * columns;
    if (stored.owner != nullptr) state_->owners.push_back(stored.owner);
    if (stored.type.packed) return AddPacked(spec, stored);
    WeightMatrix matrix{stored.type.rows, rows, columns, nullptr, nullptr};
    FERRY_ASSIGN_OR_RETURN(matrix.data, Aligned(stored.values, WeightBytes(matrix.type)));
    places_.push_back({spec.name, stored.where, matrix.type, matrix.data, rows * columns, {}});
    if (matrix.type == WeightType::kI8) {
      const ByteView scales(stored.scales, static_cast<size_t>(rows) * sizeof(float));
      FERRY_ASSIGN_OR_RETURN(const void* aligned, Aligned(scales, sizeof(float)));
      matrix.scales = static_cast<const float*>(aligned);
      places_.push_back({spec.name, stored.where, WeightType::kF32, aligned, rows, {}});
    }
    if (transposed) FERRY_TRY(Transpose(&matrix));
    if (normalised) FERRY_TRY(NormaliseRows(&matrix));
    if (is_matrix) {
      Keep(spec, {matrix, {}});
    } else {
      state_->weight_bytes += rows * 4;
      const float offset = spec.is_norm && rules.norm_offset ? 1.0f : 0.0f;
      FERRY_ASSIGN_OR_RETURN(state_->weights.vectors[spec.name], Widened(matrix, offset));
    }
    state_->checksums.push_back(changed ? std::nullopt : stored.checksum);
    return OkStatus();
  }

  // Names the first tensor, in the order of the architecture, that has a NaN or an infinity. What
  // it looks at lives as long as the model.
  // `release`: what was looked at leaves memory.
  std::function<Status()> FiniteCheck(bool release) const {
    return [places = places_, bytes = state_->weight_bytes, release] {
      return CheckFinite(places, bytes, release);
    };
  }

 private:
  struct Place {
    std::string name, where;
    WeightType type;
    const void* data;
    int64_t count;
    kernels::PackedMatrix packed;  // has data: in place of the rest
  };

  static int64_t FirstBad(const Place& place, bool release) {
    const int64_t rows = place.packed.data != nullptr ? place.packed.rows : place.count;
    const int64_t all = place.packed.data != nullptr
                            ? kernels::PackedBytes(place.packed.form, rows, place.packed.columns)
                            : rows * WeightBytes(place.type);
    const int64_t step =
        release ? kLookedRows * std::max<int64_t>(1, kLookedBytes / (all / rows * kLookedRows + 1))
                : rows;
    for (int64_t first = 0; first < rows; first += step) {
      const int64_t count = std::min(step, rows - first);
      const Matrix whole{{place.type, rows, 1, place.data, nullptr}, place.packed};
      const Matrix part = RowsOf(whole, first, count);
      const int64_t found = part.is_packed() ? FirstNonFiniteRow(part.packed)
                                             : FirstNonFinite(place.type, part.plain.data, count);
      if (found >= 0) return first + found;
      const void* data = part.is_packed() ? part.packed.data : part.plain.data;
      const int64_t bytes = part.is_packed() ? part.bytes() : count * WeightBytes(place.type);
      if (release) {
        sys::ReleaseMapped({static_cast<const uint8_t*>(data), static_cast<size_t>(bytes)});
      }
    }
    return -1;
  }

  static Status CheckFinite(const std::vector<Place>& places, int64_t weight_bytes, bool release) {
    std::vector<int64_t> found(places.size(), -1);
    const auto check = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Place& place = places[static_cast<size_t>(i)];
        found[static_cast<size_t>(i)] = FirstBad(place, release);
      }
    };
    const auto count = static_cast<int64_t>(places.size());
    if (weight_bytes < kParallelFrom) {
      check(0, count);
    } else {
      sys::StartThreadPool(0)->For(count, 1, check);
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] < 0) continue;
      return Status::Of(Code::kBadModel, "{}: tensor \"{}\" is NaN or infinite at {} {}",
                        places[i].where, places[i].name,
                        places[i].packed.data != nullptr ? "row" : "element", found[i]);
    }
    return OkStatus();
  }

  Status AddPacked(const TensorSpec& spec, const StoredTensor& stored) {
    const kernels::PackedForm& form = *stored.type.packed;
    if (spec.exact || spec.shape.size() != 2) {
      return Status::Of(Code::kBadModel, "{}: tensor \"{}\" cannot be packed", stored.where,
                        spec.name);
    }
    if (!kernels::IsPackedForm(form, spec.shape[1])) {
      return Status::Of(Code::kUnsupported, "{}: tensor \"{}\": {} columns cannot be packed so",
                        stored.where, spec.name, spec.shape[1]);
    }
    kernels::PackedMatrix packed{form, spec.shape[0], spec.shape[1], nullptr};
    FERRY_ASSIGN_OR_RETURN(packed.data, Aligned(stored.values, kernels::kPackedAlignment));
    places_.push_back({spec.name, stored.where, WeightType::kF32, nullptr, 0, packed});
    Keep(spec, {{}, packed});
    state_->checksums.push_back(stored.checksum);
    return OkStatus();
  }

  void Keep(const TensorSpec& spec, const Matrix& matrix) {
    const int64_t count = matrix.rows() * matrix.columns();
    state_->weight_bytes += matrix.bytes();
    if (count > largest_) {
      largest_ = count;
      state_->weight_type = matrix.type();
    }
    Matrix& kept = state_->weights.matrices[spec.name] = matrix;
    kept.tensor = static_cast<int32_t>(&spec - state_->specs.data());
  }

  // The bytes themselves, or a copy where they do not begin at a multiple of `alignment`.
  Result<const void*> Aligned(ByteView bytes, int64_t alignment) {
    if (reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<uintptr_t>(alignment) == 0) {
      return static_cast<const void*>(bytes.data());
    }
    FERRY_ASSIGN_OR_RETURN(tensor::Buffer copy,
                           state_->device->NewWeights(static_cast<int64_t>(bytes.size())));
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    state_->copies.push_back(std::move(copy));
    return static_cast<const void*>(state_->copies.back().data());
  }

  Result<const float*> Widened(const WeightMatrix& vector, float offset) {
    if (vector.type == WeightType::kF32 && offset == 0) {
      return static_cast<const float*>(vector.data);
    }
    FERRY_ASSIGN_OR_RETURN(float* const out, NewFloats(vector.rows));
    for (int64_t i = 0; i < vector.rows; ++i) {
      kernels::WidenRow(vector, i, out + i);
      out[i] += offset;
    }
    return static_cast<const float*>(out);
  }

  Result<float*> NewFloats(int64_t count) {
    FERRY_ASSIGN_OR_RETURN(tensor::Buffer made, state_->device->NewWeights(count * 4));
    state_->copies.push_back(std::move(made));
    return reinterpret_cast<float*>(state_->copies.back().data());
  }

  // [rows][columns] from numbers stored [columns][rows].
  Status Transpose(WeightMatrix* matrix) {
    WeightMatrix stored = *matrix;
    std::swap(stored.rows, stored.columns);
    FERRY_ASSIGN_OR_RETURN(float* const out, NewFloats(stored.rows * stored.columns));
    std::vector<float> row(static_cast<size_t>(stored.columns));
    for (int64_t r = 0; r < stored.rows; ++r) {
      kernels::WidenRow(stored, r, row.data());
      for (int64_t c = 0; c < stored.columns; ++c) {
        out[c * stored.rows + r] = row[static_cast<size_t>(c)];
      }
    }
    *matrix = {WeightType::kF32, matrix->rows, matrix->columns, out, nullptr};
    return OkStatus();
  }

  Status NormaliseRows(WeightMatrix* matrix) {
    // Source of the least length: torch.nn.functional.normalize.
    constexpr double kLeast = 1e-12;
    FERRY_ASSIGN_OR_RETURN(float* const out, NewFloats(matrix->rows * matrix->columns));
    for (int64_t r = 0; r < matrix->rows; ++r) {
      float* row = out + r * matrix->columns;
      kernels::WidenRow(*matrix, r, row);
      double squares = 0;
      for (int64_t c = 0; c < matrix->columns; ++c) {
        squares += static_cast<double>(row[c]) * static_cast<double>(row[c]);
      }
      const auto length = static_cast<float>(std::max(std::sqrt(squares), kLeast));
      for (int64_t c = 0; c < matrix->columns; ++c) row[c] /= length;
    }
    matrix->type = WeightType::kF32;
    matrix->data = out;
    matrix->scales = nullptr;
    return OkStatus();
  }

  Model::State* state_;
  std::vector<Place> places_;
  int64_t largest_ = 0;
};

Result<std::optional<StoredTensor>> FindTensor(const TensorSource& source,
                                               const std::string& name) {
  for (const auto& [usual, other] : kNameBeginnings) {
    if (!name.starts_with(usual)) continue;
    FERRY_ASSIGN_OR_RETURN(auto found,
                           source.Find(fmt::format("{}{}", other, name.substr(usual.size()))));
    if (found) return found;
  }
  return std::optional<StoredTensor>();
}

Result<const Device*> DeviceOf(const LoadOptions& options) {
  if (options.device != nullptr) return options.device;
  FERRY_ASSIGN_OR_RETURN(const kernels::Isa isa,
                         options.isa ? Result<kernels::Isa>(*options.isa) : kernels::ChooseIsa());
  if (kernels::IsaRuns(isa)) return &CpuDevice(isa);
  return Status::Of(Code::kUnsupported, "this processor does not run {}", kernels::IsaName(isa));
}

// Shares the memory out between caches, what passes need and weights.
Status LimitMemory(const LoadOptions& options, Model::State* state) {
  ModelConfig& config = state->config.config;
  config.kv_bytes = options.kv_bytes > 0 ? options.kv_bytes : options.memory_bytes / 4;
  const int64_t others = sys::AnonymousMemory() + config.kv_bytes +
                         Workspace::Bytes(config, kDefaultPrefillChunk) +
                         config.outputs * static_cast<int64_t>(sizeof(float));
  Result<Residency> residency =
      Residency::Plan(state->specs, state->weights, config.layers, options.memory_bytes - others);
  FERRY_TRY(residency.status().Context(
      "{} bytes of memory, of which caches, passes and the rest of the process have {}",
      options.memory_bytes, others));
  state->network->Keep(std::move(*residency));
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<const Model>> BuildModel(ModelParts parts, const LoadOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const Device* const device, DeviceOf(options));
  auto state = std::make_unique<Model::State>();
  state->exact = options.exact;
  state->config = std::move(parts.config);
  state->quantized = parts.quantized;
  state->device = device;
  state->isa = device->table().isa;
  Description& description = state->config.description;
  if (state->config.may_tie && !description.head.empty()) {
    FERRY_ASSIGN_OR_RETURN(const auto head, FindTensor(*parts.tensors, description.head));
    if (!head) description.head.clear();
  }
  FERRY_ASSIGN_OR_RETURN(state->specs, TensorsOf(description));
  state->owners = std::move(parts.owners);
  Builder builder(state.get());
  std::vector<std::string> missing;
  for (const TensorSpec& spec : state->specs) {
    FERRY_ASSIGN_OR_RETURN(const auto stored, FindTensor(*parts.tensors, spec.name));
    if (!stored) {
      missing.push_back(spec.name);
    } else {
      FERRY_TRY(builder.Add(spec, *stored));
    }
  }
  if (!missing.empty()) return MissingTensors(parts.source, missing);
  if (parts.check) {
    state->check = [sections = std::move(parts.check),
                    finite = builder.FiniteCheck(options.memory_bytes > 0)] {
      FERRY_TRY(sections());
      return finite();
    };
  } else {
    FERRY_TRY(builder.FiniteCheck(options.memory_bytes > 0)());
  }
  state->tokenizer = std::move(parts.tokenizer);
  state->chat_template = std::move(parts.chat_template);
  state->network = std::make_unique<Network>(description, state->weights, *device, options.exact);
  state->config.config.kv = state->network->kv();
  state->config.config.workspace = state->network->workspace();
  state->config.config.kv_spill_folder = options.spill_folder;
  if (options.memory_bytes > 0) FERRY_TRY(LimitMemory(options, state.get()));
  return std::shared_ptr<const Model>(std::make_shared<Model>(std::move(state)));
}

}  // namespace ferry::llm
