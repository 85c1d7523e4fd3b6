#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/value.h"

namespace ferry::operators {
namespace {

// The value of the earliest row in event time; of several at that time the one whose canonical text
// is least.
class First : public Aggregate {
 public:
  explicit First(const AggregateSpec&) {}
  void Add(const Json& value, int64_t time_ms) override {
    if (any_ && time_ms != time_ms_ && !(time_ms < time_ms_)) return;
    if (any_ && time_ms == time_ms_) {
      if (SameValue(value, value_)) {
        if (value != value_ || value.type() != value_.type()) value_ = Canonical(value);
        return;
      }
      if (!ValueLess(value, value_)) return;
    }
    any_ = true;
    time_ms_ = time_ms;
    value_ = value;
  }
  void Merge(const Aggregate& other) override {
    const auto& one = static_cast<const First&>(other);
    if (one.any_) Add(one.value_, one.time_ms_);
  }
  void Reset() override {
    any_ = false;
    value_ = nullptr;
  }
  Json Value() const override { return value_; }
  void Save(ByteWriter* out) const override {
    out->U64(any_ ? 1 : 0);
    out->I64(time_ms_);
    out->Value(value_);
  }
  void Load(ByteReader* in) override {
    any_ = in->U64() != 0;
    time_ms_ = in->I64();
    value_ = in->Value();
  }

 private:
  bool any_ = false;
  int64_t time_ms_ = 0;
  Json value_;
};

}  // namespace

AggregateKind MakeFirst() {
  return KindOf<First>();
}

}  // namespace ferry::operators
