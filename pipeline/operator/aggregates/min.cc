#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/value.h"

namespace ferry::operators {
namespace {

// The smallest number; of 1 and 1.0 the integer, whichever came first.
class Min : public Aggregate {
 public:
  explicit Min(const AggregateSpec&) {}
  void Add(const Json& value, int64_t) override {
    if (best_.is_null()) {
      best_ = value;
      return;
    }
    const int order = CompareNumbers(value, best_);
    if (order < 0 || (order == 0 && best_.is_number_float())) best_ = value;
  }
  void Merge(const Aggregate& other) override {
    const Json& value = static_cast<const Min&>(other).best_;
    if (!value.is_null()) Add(value, 0);
  }
  void Reset() override { best_ = nullptr; }
  Json Value() const override { return best_; }
  void Save(ByteWriter* out) const override { out->Value(best_); }
  void Load(ByteReader* in) override {
    best_ = in->Value();
    if (!best_.is_number()) best_ = nullptr;
  }

 private:
  Json best_;
};

}  // namespace

AggregateKind MakeMin() {
  return KindOf<Min>();
}

}  // namespace ferry::operators
