#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

class Filter : public Gate {
 public:
  explicit Filter(RowExpression where) : where_(std::move(where)) {}
  Result<bool> Admit(const Row& row) override { return where_.Test(row); }
  bool takes_updates() const override { return true; }

 private:
  RowExpression where_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeFilter(const Json& spec, const Surroundings& around) {
  FERRY_TRY(CheckMembers(spec, {"op", "where"}));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(spec, "where"));
  FERRY_ASSIGN_OR_RETURN(RowExpression where,
                         RowExpression::Parse(text, around.hash_key).Context("where"));
  return std::unique_ptr<Operator>(std::make_unique<Filter>(std::move(where)));
}

}  // namespace ferry::operators
