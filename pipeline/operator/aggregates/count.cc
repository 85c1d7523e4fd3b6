#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

class Count : public Aggregate {
 public:
  explicit Count(const AggregateSpec&) {}
  void Add(const Json&, int64_t) override { ++rows_; }
  void Merge(const Aggregate& other) override { rows_ += static_cast<const Count&>(other).rows_; }
  void Reset() override { rows_ = 0; }
  Json Value() const override { return rows_; }
  void Save(ByteWriter* out) const override { out->I64(rows_); }
  void Load(ByteReader* in) override { rows_ = in->I64(); }

 private:
  int64_t rows_ = 0;
};

}  // namespace

AggregateKind MakeCount() {
  return KindOf<Count>();
}

}  // namespace ferry::operators
