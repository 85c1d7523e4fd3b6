#include "pipeline/operator/aggregate.h"

#include "pipeline/operator/aggregates/make.h"
#include "pipeline/operator/members.h"

namespace ferry::operators {
namespace {

constexpr AggregateMaker kAggregateMakers[] = {
#define FERRY_AGGREGATE(Name, text, takes) Make##Name,
#include "pipeline/operator/aggregates/list.inc"
#undef FERRY_AGGREGATE
};
constexpr std::string_view kAggregateNames[] = {
#define FERRY_AGGREGATE(Name, text, takes) text,
#include "pipeline/operator/aggregates/list.inc"
#undef FERRY_AGGREGATE
};
constexpr Takes kAggregateTakes[] = {
#define FERRY_AGGREGATE(Name, text, takes) Takes::takes,
#include "pipeline/operator/aggregates/list.inc"
#undef FERRY_AGGREGATE
};

const std::vector<AggregateKind>& Kinds() {
  static const std::vector<AggregateKind> kinds = [] {
    std::vector<AggregateKind> out;
    for (size_t k = 0; k < std::size(kAggregateMakers); ++k) {
      out.push_back(kAggregateMakers[k]());
      out.back().name = kAggregateNames[k];
      out.back().takes = kAggregateTakes[k];
    }
    return out;
  }();
  return kinds;
}

}  // namespace

const AggregateKind* FindAggregate(std::string_view name) {
  for (const AggregateKind& kind : Kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

std::vector<std::string_view> AggregateNames() {
  return {std::begin(kAggregateNames), std::end(kAggregateNames)};
}

Result<AggregateSpec> AggregateFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "not an object");
  AggregateSpec out;
  FERRY_ASSIGN_OR_RETURN(out.op, GetString(json, "op"));
  const AggregateKind* kind = FindAggregate(out.op);
  if (kind == nullptr)
    return Status::Of(Code::kMalformed, "there is no aggregate \"{}\"; known are: {}", out.op,
                      fmt::join(AggregateNames(), " "));
  if (out.op == "top_k")
    FERRY_TRY(CheckMembers(json, {"op", "field", "as", "k"}));
  else if (out.op == "quantile")
    FERRY_TRY(CheckMembers(json, {"op", "field", "as", "q"}));
  else
    FERRY_TRY(CheckMembers(json, {"op", "field", "as"}));
  FERRY_ASSIGN_OR_RETURN(out.field, GetStringOr(json, "field", ""));
  FERRY_ASSIGN_OR_RETURN(out.as, GetString(json, "as"));
  if ((kind->takes == Takes::kNothing) != out.field.empty())
    return Status::Of(Code::kMalformed, "{} takes {} field", out.op,
                      out.field.empty() ? "a" : "no");
  FERRY_ASSIGN_OR_RETURN(out.k, GetIntOr(json, "k", 10));
  if (out.k < 1 || out.k > kMaxTop)
    return Status::Of(Code::kMalformed, "k {} is not from 1 to {}", out.k, kMaxTop);
  FERRY_ASSIGN_OR_RETURN(out.q, GetNumberOr(json, "q", 0.5));
  if (!(out.q >= 0 && out.q <= 1))
    return Status::Of(Code::kMalformed, "q {} is not from 0 to 1", out.q);
  return out;
}

}  // namespace ferry::operators
