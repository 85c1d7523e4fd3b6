#include "common/base/json.h"
#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

class Count : public Aggregate {
 public:
  void Add(const Json&) override { ++rows_; }
  Json Value() const override { return rows_; }

 private:
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<Aggregate> MakeCount() {
  return std::make_unique<Count>();
}

}  // namespace ferry::operators
