#include "pipeline/expression/expression.h"
#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

using expression::Expression;
using Fields = std::vector<std::pair<std::string, Expression>>;

// A new row with exactly these fields.
class Map : public Operator {
 public:
  explicit Map(Fields fields) : fields_(std::move(fields)) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    Row next;
    next.time_ms = row.time_ms;
    for (const auto& [name, expression] : fields_) {
      auto value = expression.Evaluate(row.fields).Context("field {}", name);
      FERRY_ASSIGN_OR_RETURN(next.fields[name], std::move(value));
    }
    out->push_back(std::move(next));
    return OkStatus();
  }

 private:
  Fields fields_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeMap(const Json& spec) {
  FERRY_TRY(CheckMembers(spec, {"op", "fields"}));
  FERRY_ASSIGN_OR_RETURN(const Json* members, GetObject(spec, "fields"));
  if (members->empty()) return Status(Code::kMalformed, "fields is empty");
  if (members->size() > kMaxFields)
    return Status::Of(Code::kLimitExceeded, "{} fields, the limit is {}", members->size(),
                      kMaxFields);
  Fields fields;
  for (const auto& [name, value] : members->items()) {
    FERRY_ASSIGN_OR_RETURN(std::string text, GetString(*members, name));
    auto expression = Expression::Parse(text).Context("field {}", name);
    if (!expression.ok()) return expression.status();
    fields.emplace_back(name, std::move(*expression));
  }
  return std::unique_ptr<Operator>(std::make_unique<Map>(std::move(fields)));
}

}  // namespace ferry::operators
