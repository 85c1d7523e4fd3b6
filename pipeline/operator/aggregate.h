// Aggregates of windows. One file each under aggregates/, one row each in aggregates/list.inc.
//
// An aggregate of rows does not depend on their order, nor on how they were spread over parts that
// were merged; ties are broken by the values themselves. The estimates (distinct, top_k, quantile)
// are exact while they hold few values, and say how wrong they may be afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "pipeline/operator/state_bytes.h"

namespace ferry::operators {

// {"op":"quantile","field":"price","as":"p90","q":0.9} | {"op":"top_k",..,"k":10} | others.
struct AggregateSpec {
  std::string op, field, as;
  int64_t k = 0;   // of top_k, 1 to kMaxTop
  double q = 0.5;  // of quantile, 0 to 1
};
inline constexpr int64_t kMaxTop = 100;

// What an aggregate reads of a row.
enum class Takes { kNothing, kNumber, kAny };

// The running value of one aggregate in one pane. One thread at a time.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  // `value` is the field of one row, never null (rows without it are skipped by all but those that
  // take nothing), and of the type that the aggregate takes. `time_ms` is the row's.
  virtual void Add(const Json& value, int64_t time_ms) = 0;
  // `other` was made of the same spec.
  virtual void Merge(const Aggregate& other) = 0;
  virtual void Reset() = 0;
  // Null when no value was added (count: 0).
  virtual Json Value() const = 0;
  // How far off Value may be, as a share of it: 0 while it is exact.
  virtual double error() const { return 0; }
  virtual void Save(ByteWriter* out) const = 0;
  // What Save wrote; whether it was whole is the reader's to say.
  virtual void Load(ByteReader* in) = 0;
};

// How to make an aggregate where the caller has room for it.
struct AggregateKind {
  std::string_view name;
  Takes takes;
  size_t size;
  Aggregate* (*make)(const AggregateSpec& spec, void* at);
};
inline constexpr size_t kAggregateAlign = 16;

// nullptr when there is none of that name.
const AggregateKind* FindAggregate(std::string_view name);
std::vector<std::string_view> AggregateNames();
// kMalformed names the member.
Result<AggregateSpec> AggregateFromJson(const Json& json);

}  // namespace ferry::operators
