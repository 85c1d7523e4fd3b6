#include "device-runtime/llm/adapter/bind.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "common/crypto/hash.h"
#include "device-runtime/llm/load/finite.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

using kernels::WeightMatrix;
using kernels::WeightType;

// Where PEFT names a head of its own that the base ties to its embedding.
constexpr std::string_view kTiedHead = "lm_head.weight";

// Tensors of two extents that no product reads.
std::set<std::string> Unadapted(const Description& d) {
  std::set<std::string> names = {d.positions};
  if (!d.head.empty()) names.insert(d.embedding);
  for (size_t i = 0; i < d.layers.size(); ++i) {
    const auto layer = static_cast<int64_t>(i);
    names.insert(TensorName(d.layers[i].convolution.weights, layer));
    names.insert(TensorName(d.layers[i].delta.convolution, layer));
  }
  return names;
}

int64_t BytesOf(const WeightMatrix& matrix) {
  return matrix.rows * matrix.columns * kernels::WeightBytes(matrix.type);
}
ByteView ViewOf(const WeightMatrix& matrix) {
  return {static_cast<const uint8_t*>(matrix.data), static_cast<size_t>(BytesOf(matrix))};
}

class Binder {
 public:
  Binder(const AdapterParts& parts, Adapter::State* state)
      : parts_(parts),
        state_(state),
        rounded_(!state->base->state().exact && state->base->weight_type().packed.has_value()),
        specs_(state->base->state().specs),
        unadapted_(Unadapted(state->base->description())) {
    for (size_t i = 0; i < specs_.size(); ++i) places_[specs_[i].name] = i;
    state->of_tensor.assign(specs_.size(), -1);
  }

  Status Add(const AdapterParts::Change& change) {
    FERRY_ASSIGN_OR_RETURN(const size_t place, PlaceOf(change.name));
    const TensorSpec& spec = specs_[place];
    if (state_->of_tensor[place] >= 0) {
      return Status::Of(Code::kBadModel, "{}: tensor \"{}\" is changed twice", parts_.source,
                        spec.name);
    }
    LowRank low{.name = spec.name, .scale = static_cast<float>(change.scale)};
    const int64_t rank = change.rank;
    if (rank < 1 || rank > kMaxAdapterRank) {
      return Status::Of(Code::kLimitExceeded, "{}: tensor \"{}\" has rank {}; 1 to {} can be had",
                        parts_.source, change.name, rank, kMaxAdapterRank);
    }
    if (!std::isfinite(low.scale)) {
      return Status::Of(Code::kBadModel, "{}: the scale of tensor \"{}\" is not finite",
                        parts_.source, change.name);
    }
    FERRY_ASSIGN_OR_RETURN(low.a, Matrix(change, "lora_A", change.a, rank, spec.shape[1]));
    FERRY_ASSIGN_OR_RETURN(low.b, Matrix(change, "lora_B", change.b, spec.shape[0], rank));
    state_->of_tensor[place] = 0;  // placed by Finish
    found_[place] = std::move(low);
    return OkStatus();
  }

  void Finish() {
    crypto::Sha256Stream all;
    const auto number = [&](uint64_t value) {
      uint8_t bytes[8];
      PutU64(bytes, value);
      all.Update(bytes);
    };
    for (auto& [place, low] : found_) {
      number(low.name.size());
      all.Update(AsBytes(low.name));
      number(std::bit_cast<uint32_t>(low.scale));
      for (const WeightMatrix* matrix : {&low.a, &low.b}) {
        number(static_cast<uint64_t>(matrix->type));
        number(static_cast<uint64_t>(matrix->rows));
        number(static_cast<uint64_t>(matrix->columns));
        all.Update(ViewOf(*matrix));
        state_->parameters += matrix->rows * matrix->columns;
        state_->bytes += BytesOf(*matrix);
      }
      state_->rank = std::max(state_->rank, low.rank());
      state_->of_tensor[place] = static_cast<int32_t>(state_->changes.size());
      state_->changes.push_back(std::move(low));
    }
    state_->digest = all.Finish();
  }

 private:
  Result<size_t> PlaceOf(const std::string& name) const {
    for (const auto& [usual, other] : kNameBeginnings) {
      if (!name.starts_with(other)) continue;
      const auto it = places_.find(fmt::format("{}{}", usual, name.substr(other.size())));
      if (it == places_.end()) continue;
      const TensorSpec& spec = specs_[it->second];
      const Description& d = state_->base->description();
      if (spec.shape.size() != 2 || unadapted_.contains(spec.name) || spec.name == d.embedding) {
        return Status::Of(Code::kUnsupported,
                          "{}: tensor \"{}\" is read by no product; adapters change products alone",
                          parts_.source, name);
      }
      return it->second;
    }
    // A tied head is the product of the embedding.
    const Description& d = state_->base->description();
    if (name == kTiedHead && d.head.empty()) return places_.at(d.embedding);
    return Status::Of(Code::kBadModel, "{}: the model ({}) has no tensor \"{}\"", parts_.source,
                      d.family, name);
  }

  Result<WeightMatrix> Matrix(const AdapterParts::Change& change, std::string_view which,
                              const StoredTensor& stored, int64_t rows, int64_t columns) {
    if (stored.shape != std::vector<int64_t>{rows, columns}) {
      return Status::Of(Code::kBadModel, "{}: {} of tensor \"{}\" has shape [{}], wanted [{}, {}]",
                        stored.where, which, change.name, fmt::join(stored.shape, ", "), rows,
                        columns);
    }
    WeightMatrix matrix{stored.type.rows, rows, columns, stored.values.data(), nullptr};
    const auto alignment = static_cast<uintptr_t>(kernels::WeightBytes(matrix.type));
    if (reinterpret_cast<uintptr_t>(matrix.data) % alignment != 0) {
      FERRY_ASSIGN_OR_RETURN(tensor::Buffer copy, tensor::Buffer::Allocate(BytesOf(matrix)));
      std::memcpy(copy.data(), stored.values.data(), stored.values.size());
      matrix.data = copy.data();
      state_->copies.push_back(std::move(copy));
    }
    const int64_t bad = FirstNonFinite(matrix.type, matrix.data, rows * columns);
    if (bad < 0) return rounded_ && matrix.type == WeightType::kF32 ? Rounded(matrix) : matrix;
    return Status::Of(Code::kBadModel, "{}: {} of tensor \"{}\" is NaN or infinite at element {}",
                      stored.where, which, change.name, bad);
  }

  // Where the base's products meet rows of 8 bits, an adapter's numbers need no more than bfloat16
  // has, and its bytes are what a step with it costs.
  Result<WeightMatrix> Rounded(const WeightMatrix& matrix) {
    const int64_t count = matrix.rows * matrix.columns;
    FERRY_ASSIGN_OR_RETURN(tensor::Buffer made, tensor::Buffer::Allocate(count * 2));
    const auto* const from = static_cast<const float*>(matrix.data);
    auto* const to = reinterpret_cast<uint16_t*>(made.data());
    for (int64_t i = 0; i < count; ++i) to[i] = tensor::FloatToBFloat16(from[i]);
    state_->copies.push_back(std::move(made));
    const int64_t bad = FirstNonFinite(WeightType::kBF16, to, count);
    if (bad < 0) return WeightMatrix{WeightType::kBF16, matrix.rows, matrix.columns, to, nullptr};
    return Status::Of(Code::kBadModel, "{}: {} is beyond bfloat16", parts_.source, from[bad]);
  }

  const AdapterParts& parts_;
  Adapter::State* state_;
  const bool rounded_;
  const std::vector<TensorSpec>& specs_;
  const std::set<std::string> unadapted_;
  std::map<std::string, size_t, std::less<>> places_;
  std::map<size_t, LowRank> found_;  // by place among the base's tensors
};

}  // namespace

Result<std::shared_ptr<const Adapter>> BindAdapter(AdapterParts parts,
                                                   std::shared_ptr<const Model> base) {
  if (parts.base && *parts.base != base->digest()) {
    return Status::Of(Code::kBadModel,
                      "{}: an adapter of the model {} ({}), which is not this one: {} ({})",
                      parts.source, ToHex(*parts.base), parts.base_name, ToHex(base->digest()),
                      base->config().architecture);
  }
  if (parts.changes.empty()) {
    return Status::Of(Code::kBadModel, "{}: the adapter changes nothing", parts.source);
  }
  auto state = std::make_unique<Adapter::State>();
  state->base = std::move(base);
  Binder binder(parts, state.get());
  for (const AdapterParts::Change& change : parts.changes) FERRY_TRY(binder.Add(change));
  binder.Finish();
  state->owners = std::move(parts.owners);
  for (tensor::Buffer& copy : parts.copies) state->copies.push_back(std::move(copy));
  return std::shared_ptr<const Adapter>(std::make_shared<Adapter>(std::move(state)));
}

}  // namespace ferry::llm
