#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

using MapFields = std::vector<std::pair<std::string, RowExpression>>;

// A new row with exactly these fields; the sign of an update stays.
class Map : public Operator {
 public:
  explicit Map(MapFields fields) : fields_(std::move(fields)) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    Row next{row.time_ms, Json::object(), row.origin};
    for (const auto& [name, expression] : fields_) {
      auto value = expression.Evaluate(row).Context("field {}", name);
      FERRY_ASSIGN_OR_RETURN(next.fields[name], std::move(value));
    }
    if (const auto sign = row.fields.find(kUpdateField); sign != row.fields.end())
      next.fields[kUpdateField] = *sign;
    out->push_back(std::move(next));
    return OkStatus();
  }
  bool takes_updates() const override { return true; }

 private:
  MapFields fields_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeMap(const Json& spec, const Surroundings& around) {
  FERRY_TRY(CheckMembers(spec, {"op", "fields"}));
  FERRY_ASSIGN_OR_RETURN(const Json* members, GetObject(spec, "fields"));
  if (members->empty()) return Status(Code::kMalformed, "fields is empty");
  if (members->size() > kMaxFields)
    return Status::Of(Code::kLimitExceeded, "{} fields, the limit is {}", members->size(),
                      kMaxFields);
  MapFields fields;
  for (const auto& [name, value] : members->items()) {
    FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(*members, name));
    FERRY_ASSIGN_OR_RETURN(RowExpression parsed,
                           RowExpression::Parse(text, around.hash_key).Context("field {}", name));
    fields.emplace_back(name, std::move(parsed));
  }
  return std::unique_ptr<Operator>(std::make_unique<Map>(std::move(fields)));
}

}  // namespace ferry::operators
