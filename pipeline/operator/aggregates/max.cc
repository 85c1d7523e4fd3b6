#include "common/base/json.h"
#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

class Max : public Aggregate {
 public:
  void Add(const Json& value) override {
    if (value.is_number() && (best_.is_null() || value > best_)) best_ = value;
  }
  Json Value() const override { return best_; }

 private:
  Json best_;
};

}  // namespace

std::unique_ptr<Aggregate> MakeMax() {
  return std::make_unique<Max>();
}

}  // namespace ferry::operators
