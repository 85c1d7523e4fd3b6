// Tests that compare or compute.
#include "device-runtime/llm/template/checks/checks.h"

namespace ferry::llm::jinja {
namespace {

Result<bool> Divides(const Value& value, int64_t by, int64_t rest) {
  int64_t integer = 0;
  if (!value.AsInteger(&integer)) {
    return Status::Of(Code::kInvalidArgument, "{} is no integer", value.KindName());
  }
  if (by == 0) return Status(Code::kInvalidArgument, "division by zero");
  if (by == -1) return rest == 0;  // INT64_MIN % -1 overflows
  return (integer % by + by) % by == rest;
}

}  // namespace

Result<bool> EqCheck(const Value& value, const List& arguments, Budget& budget) {
  return Equal(value, arguments[0], budget);
}

Result<bool> EqualtoCheck(const Value& value, const List& arguments, Budget& budget) {
  return Equal(value, arguments[0], budget);
}

Result<bool> NeCheck(const Value& value, const List& arguments, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const bool same, Equal(value, arguments[0], budget));
  return !same;
}

Result<bool> LtCheck(const Value& value, const List& arguments, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const int order, Order(value, arguments[0], budget));
  return order < 0;
}

Result<bool> LeCheck(const Value& value, const List& arguments, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const int order, Order(value, arguments[0], budget));
  return order <= 0;
}

Result<bool> GtCheck(const Value& value, const List& arguments, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const int order, Order(value, arguments[0], budget));
  return order > 0;
}

Result<bool> GeCheck(const Value& value, const List& arguments, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const int order, Order(value, arguments[0], budget));
  return order >= 0;
}

Result<bool> InCheck(const Value& value, const List& arguments, Budget& budget) {
  return Contains(arguments[0], value, budget);
}

Result<bool> EvenCheck(const Value& value, const List&, Budget&) {
  return Divides(value, 2, 0);
}

Result<bool> OddCheck(const Value& value, const List&, Budget&) {
  return Divides(value, 2, 1);
}

Result<bool> DivisiblebyCheck(const Value& value, const List& arguments, Budget&) {
  int64_t by = 0;
  if (!arguments[0].AsInteger(&by)) {
    return Status::Of(Code::kInvalidArgument, "{} is no integer", arguments[0].KindName());
  }
  return Divides(value, by, 0);
}

}  // namespace ferry::llm::jinja
