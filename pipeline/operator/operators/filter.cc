#include "pipeline/expression/expression.h"
#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

using expression::Expression;

class Filter : public Operator {
 public:
  explicit Filter(Expression where) : where_(std::move(where)) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    FERRY_ASSIGN_OR_RETURN(bool keep, where_.Test(row.fields));
    if (keep) out->push_back(row);
    return OkStatus();
  }

 private:
  Expression where_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeFilter(const Json& spec) {
  FERRY_TRY(CheckMembers(spec, {"op", "where"}));
  FERRY_ASSIGN_OR_RETURN(std::string where, GetString(spec, "where"));
  auto expression = Expression::Parse(where).Context("where");
  if (!expression.ok()) return expression.status();
  return std::unique_ptr<Operator>(std::make_unique<Filter>(std::move(*expression)));
}

}  // namespace ferry::operators
