#include "device-runtime/llm/adapter/adapter.h"

#include <bit>
#include <cmath>

#include "common/base/bytes.h"
#include "common/crypto/hash.h"
#include "device-runtime/llm/adapter/bind.h"

namespace ferry::llm {

Result<std::shared_ptr<const Adapter>> Adapter::Load(sys::FileSystem& fs, const std::string& path,
                                                     std::shared_ptr<const Model> base) {
  FERRY_ASSIGN_OR_RETURN(AdapterParts parts, ReadAdapter(fs, path));
  return BindAdapter(std::move(parts), std::move(base));
}

Result<std::shared_ptr<const Adapter>> Adapter::FromBytes(ByteView file,
                                                          std::shared_ptr<const void> owner,
                                                          std::shared_ptr<const Model> base) {
  FERRY_ASSIGN_OR_RETURN(AdapterParts parts, ReadAdapterFile(file, std::move(owner)));
  return BindAdapter(std::move(parts), std::move(base));
}

Adapter::Adapter(std::unique_ptr<State> state) : state_(std::move(state)) {}
Adapter::~Adapter() = default;

const Model& Adapter::base() const {
  return *state_->base;
}
const std::vector<LowRank>& Adapter::changes() const {
  return state_->changes;
}
const LowRank* Adapter::Of(int32_t tensor) const {
  if (tensor < 0) return nullptr;
  const int32_t place = state_->of_tensor[static_cast<size_t>(tensor)];
  return place < 0 ? nullptr : &state_->changes[static_cast<size_t>(place)];
}
int64_t Adapter::rank() const {
  return state_->rank;
}
int64_t Adapter::parameters() const {
  return state_->parameters;
}
int64_t Adapter::bytes() const {
  return state_->bytes;
}
const Digest& Adapter::digest() const {
  return state_->digest;
}

Result<std::shared_ptr<const AdapterSet>> AdapterSet::Create(
    const std::shared_ptr<const Model>& base, std::vector<Part> parts) {
  if (parts.empty()) return std::shared_ptr<const AdapterSet>();
  if (parts.size() > kMaxAdaptersOfSet) {
    return Status::Of(Code::kLimitExceeded, "{} adapters at once; at most {} can be had",
                      parts.size(), kMaxAdaptersOfSet);
  }
  crypto::Sha256Stream all;
  for (const Part& part : parts) {
    if (part.adapter == nullptr || &part.adapter->base() != base.get()) {
      return Status(Code::kInvalidArgument, "an adapter was loaded for another model");
    }
    if (!std::isfinite(part.scale)) {
      return Status::Of(Code::kInvalidArgument, "the scale {} of an adapter", part.scale);
    }
    uint8_t scale[4];
    PutU32(scale, std::bit_cast<uint32_t>(part.scale));
    all.Update(part.adapter->digest());
    all.Update(scale);
  }
  std::shared_ptr<AdapterSet> set(new AdapterSet());
  set->base_ = base;
  set->parts_ = std::move(parts);
  set->digest_ = all.Finish();
  return std::shared_ptr<const AdapterSet>(std::move(set));
}

Status CheckAdapters(const AdapterSet* adapters, const Model& model) {
  if (adapters == nullptr || &adapters->base() == &model) return OkStatus();
  return Status(Code::kInvalidArgument, "adapters of another model");
}

PrefixScope ScopeWith(const AdapterSet* adapters, const PrefixScope& scope) {
  if (adapters == nullptr) return scope;
  return PrefixScope::Of(
      fmt::format("adapters {} {} {}", ToHex(adapters->digest()), scope.id[0], scope.id[1]));
}

}  // namespace ferry::llm
