#include "common/base/json.h"
#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

class Sum : public Aggregate {
 public:
  void Add(const Json& value) override {
    if (!value.is_number()) return;
    any_ = true;
    sum_ += value.get<double>();
    whole_ = whole_ && value.is_number_integer() &&
             !__builtin_add_overflow(exact_, value.get<int64_t>(), &exact_);
  }
  Json Value() const override {
    if (!any_) return nullptr;
    return whole_ ? Json(exact_) : Json(sum_);
  }

 private:
  bool any_ = false;
  bool whole_ = true;  // every value so far was an integer and `exact_` did not overflow
  int64_t exact_ = 0;
  double sum_ = 0;
};

}  // namespace

std::unique_ptr<Aggregate> MakeSum() {
  return std::make_unique<Sum>();
}

}  // namespace ferry::operators
