#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

// A row for each item of a list field, with the row's other fields. With "as" the item stands
// there; else its members are put among the fields, over those of the same name, and an item that
// is no object stands in the list's place. No list, no rows.
class FlatMap : public Operator {
 public:
  FlatMap(std::string field, std::string as) : field_(std::move(field)), as_(std::move(as)) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    Json scratch;
    const Json& list = field_.Of(row, &scratch);
    if (list.is_null()) return OkStatus();
    if (!list.is_array())
      return Status::Of(Code::kInvalidArgument, "field {} is {}, not a list", field_.name(),
                        list.type_name());
    if (list.size() > kMaxListRows) {
      ++losses_.refused;
      return Status::Of(Code::kLimitExceeded, "field {} has {} items, the limit is {}",
                        field_.name(), list.size(), kMaxListRows);
    }
    Json others = row.fields;
    others.erase(field_.name());
    for (const Json& item : list) {
      Row next{row.time_ms, others, row.origin};
      if (!as_.empty())
        next.fields[as_] = item;
      else if (item.is_object())
        next.fields.update(item);
      else
        next.fields[field_.name()] = item;
      out->push_back(std::move(next));
    }
    return OkStatus();
  }
  bool takes_updates() const override { return true; }
  Losses losses() const override { return losses_; }

 private:
  FieldRef field_;
  std::string as_;
  Losses losses_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeFlatMap(const Json& spec, const Surroundings&) {
  FERRY_TRY(CheckMembers(spec, {"op", "field", "as"}));
  FERRY_ASSIGN_OR_RETURN(std::string field, GetString(spec, "field"));
  FERRY_ASSIGN_OR_RETURN(std::string as, GetStringOr(spec, "as", ""));
  return std::unique_ptr<Operator>(std::make_unique<FlatMap>(std::move(field), std::move(as)));
}

}  // namespace ferry::operators
