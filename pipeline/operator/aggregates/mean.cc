#include <cmath>

#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/sum/exact_sum.h"

namespace ferry::operators {
namespace {

// The exactly rounded sum over the number of values, as Python's math.fsum(v) / len(v); null where
// the sum is beyond the doubles.
class Mean : public Aggregate {
 public:
  explicit Mean(const AggregateSpec&) {}
  void Add(const Json& value, int64_t) override { sum_.Add(value); }
  void Merge(const Aggregate& other) override { sum_.Merge(static_cast<const Mean&>(other).sum_); }
  void Reset() override { sum_.Reset(); }
  Json Value() const override {
    const double rounded = sum_.Rounded();
    if (sum_.count() == 0 || !std::isfinite(rounded)) return nullptr;
    return rounded / static_cast<double>(sum_.count());
  }
  void Save(ByteWriter* out) const override { sum_.Save(out); }
  void Load(ByteReader* in) override { sum_.Load(in); }

 private:
  ExactSum sum_;
};

}  // namespace

AggregateKind MakeMean() {
  return KindOf<Mean>();
}

}  // namespace ferry::operators
