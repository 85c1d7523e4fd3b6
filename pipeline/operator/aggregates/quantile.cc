#include <algorithm>
#include <cmath>
#include <map>

#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

constexpr size_t kExactValues = 64;      // more are counted in buckets
constexpr double kQuantileError = 0.01;  // of a value, relative
constexpr size_t kMaxBuckets = 4096;     // the doubles have 71,000; the smallest then share one
constexpr double kLeast = 1e-300;        // nearer to zero is zero

// The value at rank q (n - 1), rounded down, of the values in order: exact up to kExactValues,
// then DDSketch (Masson, Rim, Lee, VLDB 2019): buckets of ratio gamma, so that a value is off by
// at most kQuantileError of itself. When values span more than kMaxBuckets buckets (a factor of
// 10^35), the ones nearest to zero share a bucket.
class Quantile : public Aggregate {
 public:
  explicit Quantile(const AggregateSpec& spec) : q_(spec.q) {}
  void Add(const Json& value, int64_t) override { AddDouble(value.get<double>(), 1); }
  void Merge(const Aggregate& other) override {
    const auto& one = static_cast<const Quantile&>(other);
    if (!one.buckets_.empty() && buckets_.empty()) Spill();
    for (const double value : one.values_) AddDouble(value, 1);
    for (const auto& [bucket, count] : one.buckets_) buckets_[bucket] += count;
    total_ += one.buckets_.empty() ? 0 : one.total_;
    Shrink();
  }
  void Reset() override {
    values_.clear();
    buckets_.clear();
    total_ = 0;
  }
  Json Value() const override {
    if (total_ == 0) return nullptr;
    const auto rank = static_cast<int64_t>(q_ * static_cast<double>(total_ - 1));
    if (buckets_.empty()) {
      std::vector<double> values = values_;
      std::nth_element(values.begin(), values.begin() + rank, values.end());
      return values[static_cast<size_t>(rank)];
    }
    int64_t before = 0;
    for (const auto& [bucket, count] : buckets_) {
      before += count;
      if (before > rank) return Middle(bucket);
    }
    return Middle(buckets_.rbegin()->first);
  }
  double error() const override { return buckets_.empty() ? 0 : kQuantileError; }
  void Save(ByteWriter* out) const override {
    out->U64(values_.size());
    for (const double value : values_) out->F64(value);
    out->U64(buckets_.size());
    for (const auto& [bucket, count] : buckets_) {
      out->I64(bucket);
      out->I64(count);
    }
  }
  void Load(ByteReader* in) override {
    Reset();
    for (uint64_t left = in->U64(); left > 0 && in->ok(); --left) AddDouble(in->F64(), 1);
    const uint64_t buckets = in->U64();
    if (buckets > 0) Spill();
    for (uint64_t left = buckets; left > 0 && in->ok(); --left) {
      const int64_t bucket = in->I64(), count = in->I64();
      buckets_[bucket] += count;
      total_ += count;
    }
  }

 private:
  static double LogGamma() {
    static const double log_gamma = std::log((1 + kQuantileError) / (1 - kQuantileError));
    return log_gamma;
  }
  // Buckets in the order of their values: negative ones below zero, 0 for zero. The index of a
  // magnitude is moved so that it is positive for every double.
  static int64_t BucketOf(double value) {
    const double magnitude = std::fabs(value);
    if (magnitude < kLeast) return 0;
    const auto index = static_cast<int64_t>(std::ceil(std::log(magnitude) / LogGamma())) + kShift;
    return value < 0 ? -index : index;
  }
  static double Middle(int64_t bucket) {
    if (bucket == 0) return 0;
    const auto index = static_cast<double>(std::abs(bucket) - kShift);
    // 2 gamma^i / (gamma + 1) = gamma^i (1 - error)
    const double middle = std::exp(index * LogGamma()) * (1 - kQuantileError);
    const double value = std::min(middle, 1.7976931348623157e308);
    return bucket < 0 ? -value : value;
  }
  void AddDouble(double value, int64_t count) {
    total_ += count;
    if (buckets_.empty()) {
      values_.push_back(value);
      if (values_.size() > kExactValues) Spill();
      return;
    }
    buckets_[BucketOf(value)] += count;
    if (buckets_.size() > kMaxBuckets) Shrink();
  }
  void Spill() {
    for (const double value : values_) ++buckets_[BucketOf(value)];
    values_.clear();
    if (buckets_.empty()) buckets_[0] += 0;  // so that what follows is counted in buckets, too
  }
  void Shrink() {
    while (buckets_.size() > kMaxBuckets) {
      auto least = buckets_.lower_bound(0);
      if (least == buckets_.end() || std::next(least) == buckets_.end()) least = buckets_.begin();
      const auto next = std::next(least);
      next->second += least->second;
      buckets_.erase(least);
    }
  }

  static constexpr int64_t kShift = 40'000;  // log(1e-300) / log(gamma) is -34,540

  double q_;
  std::vector<double> values_;          // while there are few
  std::map<int64_t, int64_t> buckets_;  // else
  int64_t total_ = 0;
};

}  // namespace

AggregateKind MakeQuantile() {
  return KindOf<Quantile>();
}

}  // namespace ferry::operators
