#include "common/base/json.h"
#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

class Mean : public Aggregate {
 public:
  void Add(const Json& value) override {
    if (!value.is_number()) return;
    sum_ += value.get<double>();
    ++values_;
  }
  Json Value() const override {
    return values_ == 0 ? Json(nullptr) : Json(sum_ / static_cast<double>(values_));
  }

 private:
  double sum_ = 0;
  int64_t values_ = 0;
};

}  // namespace

std::unique_ptr<Aggregate> MakeMean() {
  return std::make_unique<Mean>();
}

}  // namespace ferry::operators
