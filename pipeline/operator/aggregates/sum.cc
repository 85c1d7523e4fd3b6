#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/sum/exact_sum.h"

namespace ferry::operators {
namespace {

class Sum : public Aggregate {
 public:
  explicit Sum(const AggregateSpec&) {}
  void Add(const Json& value, int64_t) override { sum_.Add(value); }
  void Merge(const Aggregate& other) override { sum_.Merge(static_cast<const Sum&>(other).sum_); }
  void Reset() override { sum_.Reset(); }
  Json Value() const override { return sum_.Value(); }
  void Save(ByteWriter* out) const override { sum_.Save(out); }
  void Load(ByteReader* in) override { sum_.Load(in); }

 private:
  ExactSum sum_;
};

}  // namespace

AggregateKind MakeSum() {
  return KindOf<Sum>();
}

}  // namespace ferry::operators
