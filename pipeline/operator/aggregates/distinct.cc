#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <set>

#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/value.h"

namespace ferry::operators {
namespace {

constexpr size_t kExactDistinct = 256;  // values; more are estimated
constexpr int kRegisterBits = 14;
constexpr size_t kRegisters = size_t{1} << kRegisterBits;
constexpr double kDistinctError = 0.025;  // three standard deviations of 1.04 / sqrt(kRegisters)

// The number of different values, by 64-bit hashes (256 values share one with a chance of 2e-15):
// exact up to kExactDistinct, then HyperLogLog (Flajolet 2007), with linear counting while
// registers are empty.
class Distinct : public Aggregate {
 public:
  explicit Distinct(const AggregateSpec&) {}
  void Add(const Json& value, int64_t) override { AddHash(HashValue(value)); }
  void Merge(const Aggregate& other) override {
    const auto& one = static_cast<const Distinct&>(other);
    if (one.registers_ != nullptr) {
      if (registers_ == nullptr) Estimate();
      for (size_t k = 0; k < kRegisters; ++k)
        (*registers_)[k] = std::max((*registers_)[k], (*one.registers_)[k]);
    }
    for (const uint64_t hash : one.values_) AddHash(hash);
  }
  void Reset() override {
    values_.clear();
    registers_ = nullptr;
  }
  Json Value() const override {
    if (registers_ == nullptr) return values_.size();
    double sum = 0;
    int empty = 0;
    for (const uint8_t rank : *registers_) {
      sum += std::ldexp(1.0, -rank);
      empty += rank == 0 ? 1 : 0;
    }
    const auto m = static_cast<double>(kRegisters);
    double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    if (estimate <= 2.5 * m && empty > 0) estimate = m * std::log(m / empty);
    return static_cast<int64_t>(std::llround(estimate));
  }
  double error() const override { return registers_ == nullptr ? 0 : kDistinctError; }
  void Save(ByteWriter* out) const override {
    out->Text(
        registers_ == nullptr
            ? std::string_view()
            : std::string_view(reinterpret_cast<const char*>(registers_->data()), kRegisters));
    out->U64(values_.size());
    for (const uint64_t hash : values_) out->U64(hash);
  }
  void Load(ByteReader* in) override {
    Reset();
    const std::string_view bytes = in->Text();
    if (bytes.size() == kRegisters) {
      registers_ = std::make_unique<Registers>();
      std::copy(bytes.begin(), bytes.end(), registers_->begin());
    }
    for (uint64_t left = in->U64(); left > 0 && in->ok(); --left) AddHash(in->U64());
  }

 private:
  using Registers = std::array<uint8_t, kRegisters>;

  void Note(uint64_t hash) {
    const uint64_t mixed = MixHash(hash, 0x5851f42d4c957f2d);  // all bits of it are as good
    const auto rank =
        static_cast<uint8_t>(std::countl_zero(mixed << kRegisterBits | (kRegisters >> 1)) + 1);
    uint8_t& best = (*registers_)[mixed >> (64 - kRegisterBits)];
    best = std::max(best, rank);
  }
  void AddHash(uint64_t hash) {
    if (registers_ != nullptr) return Note(hash);
    values_.insert(hash);
    if (values_.size() > kExactDistinct) Estimate();
  }
  void Estimate() {
    registers_ = std::make_unique<Registers>();
    registers_->fill(0);
    for (const uint64_t hash : values_) Note(hash);
    values_.clear();
  }

  std::set<uint64_t> values_;  // hashes, while there are few
  std::unique_ptr<Registers> registers_;
};

}  // namespace

AggregateKind MakeDistinct() {
  return KindOf<Distinct>();
}

}  // namespace ferry::operators
