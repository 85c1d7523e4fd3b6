#include <limits>
#include <map>
#include <set>

#include "pipeline/operator/aggregate.h"
#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

constexpr int64_t kMaxWindowMs = int64_t{366} * 24 * 3600 * 1000;

struct AggregateSpec {
  std::string op, field, as;
};

struct Spec {
  int64_t size_ms = 0;
  int64_t allowed_lateness_ms = 0;
  std::vector<std::string> key;
  std::vector<AggregateSpec> aggregates;
};

struct Pane {
  Json key;  // one value a key field
  std::vector<std::unique_ptr<Aggregate>> aggregates;
};

const Json& FieldOf(const Json& fields, const std::string& name) {
  static const Json kNull;
  if (!fields.is_object()) return kNull;
  const auto at = fields.find(name);
  return at == fields.end() ? kNull : *at;
}

// Keyed tumbling windows [k size, (k + 1) size) on event time. A window closes once, when the
// watermark reaches its end; rows that come later are counted as late and dropped. Rows out carry
// the key's fields, the aggregates, window_start_ms and window_end_ms; their time is the window's
// last millisecond. Windows leave in order of time, then of the key's JSON text.
class Window : public Operator {
 public:
  explicit Window(Spec spec) : spec_(std::move(spec)) {}

  Status Push(const Row& row, std::vector<Row>*) override {
    const int64_t phase = row.time_ms % spec_.size_ms;
    const int64_t start = row.time_ms - phase - (phase < 0 ? spec_.size_ms : 0);
    if (start + spec_.size_ms <= watermark_ms_) {
      ++losses_.late;
      return OkStatus();
    }
    for (const AggregateSpec& one : spec_.aggregates) {
      const Json& value = FieldOf(row.fields, one.field);
      if (!one.field.empty() && !value.is_null() && !value.is_number())
        return Status::Of(Code::kInvalidArgument, "{} of field {} does not take {}", one.op,
                          one.field, value.type_name());
    }
    FERRY_ASSIGN_OR_RETURN(Pane * pane, PaneOf(start, row.fields));
    for (size_t k = 0; k < pane->aggregates.size(); ++k)
      pane->aggregates[k]->Add(FieldOf(row.fields, spec_.aggregates[k].field));
    return OkStatus();
  }

  Status Advance(int64_t watermark_ms, std::vector<Row>* out) override {
    if (watermark_ms <= watermark_ms_) return OkStatus();
    watermark_ms_ = watermark_ms;
    while (!windows_.empty() && windows_.begin()->first + spec_.size_ms <= watermark_ms_)
      CloseFirst(out);
    return OkStatus();
  }

  Status Flush(std::vector<Row>* out) override {
    while (!windows_.empty()) {
      watermark_ms_ = std::max(watermark_ms_, windows_.begin()->first + spec_.size_ms);
      CloseFirst(out);
    }
    return OkStatus();
  }

  int64_t allowed_lateness_ms() const override { return spec_.allowed_lateness_ms; }
  int64_t next_close_ms() const override {
    return windows_.empty() ? 0 : windows_.begin()->first + spec_.size_ms;
  }
  Losses losses() const override { return losses_; }

 private:
  Result<Pane*> PaneOf(int64_t start, const Json& fields) {
    Json key = Json::array();
    for (const std::string& name : spec_.key) key.push_back(FieldOf(fields, name));
    std::string text = WriteJson(key);
    if (text.size() > kMaxKeyBytes) {
      ++losses_.refused;
      return Status::Of(Code::kLimitExceeded, "a key of {} bytes, the limit is {}", text.size(),
                        kMaxKeyBytes);
    }
    const auto window = windows_.find(start);
    if (window != windows_.end()) {
      const auto found = window->second.find(text);
      if (found != window->second.end()) return &found->second;
    }
    if (panes_ >= kMaxOpenPanes) {
      ++losses_.refused;
      return Status::Of(Code::kLimitExceeded, "{} windows and keys are open, the limit",
                        kMaxOpenPanes);
    }
    ++panes_;
    Pane& pane = windows_[start][std::move(text)];
    pane.key = std::move(key);
    for (const AggregateSpec& one : spec_.aggregates)
      pane.aggregates.push_back(MakeAggregate(one.op));
    return &pane;
  }

  void CloseFirst(std::vector<Row>* out) {
    const auto window = windows_.begin();
    for (auto& [text, pane] : window->second) {
      Row row;
      row.time_ms = window->first + spec_.size_ms - 1;
      for (size_t k = 0; k < spec_.key.size(); ++k) row.fields[spec_.key[k]] = pane.key[k];
      row.fields["window_start_ms"] = window->first;
      row.fields["window_end_ms"] = window->first + spec_.size_ms;
      for (size_t k = 0; k < pane.aggregates.size(); ++k)
        row.fields[spec_.aggregates[k].as] = pane.aggregates[k]->Value();
      out->push_back(std::move(row));
    }
    panes_ -= window->second.size();
    windows_.erase(window);
  }

  Spec spec_;
  int64_t watermark_ms_ = std::numeric_limits<int64_t>::min();
  std::map<int64_t, std::map<std::string, Pane>> windows_;  // start -> key text -> pane
  size_t panes_ = 0;
  Losses losses_;
};

Result<AggregateSpec> AggregateFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "not an object");
  FERRY_TRY(CheckMembers(json, {"op", "field", "as"}));
  AggregateSpec out;
  FERRY_ASSIGN_OR_RETURN(out.op, GetString(json, "op"));
  FERRY_ASSIGN_OR_RETURN(out.field, GetStringOr(json, "field", ""));
  FERRY_ASSIGN_OR_RETURN(out.as, GetString(json, "as"));
  if (MakeAggregate(out.op) == nullptr)
    return Status::Of(Code::kMalformed, "there is no aggregate \"{}\"; known are: {}", out.op,
                      fmt::join(AggregateNames(), " "));
  if (AggregateNeedsField(out.op) == out.field.empty())
    return Status::Of(Code::kMalformed, "{} takes {} field", out.op,
                      out.field.empty() ? "a" : "no");
  return out;
}

Status ReadAggregates(const Json& spec, Spec* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* aggregates, GetArray(spec, "aggregates"));
  if (aggregates->empty()) return Status(Code::kMalformed, "aggregates is empty");
  if (aggregates->size() > kMaxFields)
    return Status::Of(Code::kLimitExceeded, "{} aggregates, the limit is {}", aggregates->size(),
                      kMaxFields);
  std::set<std::string> names(out->key.begin(), out->key.end());
  names.insert({"window_start_ms", "window_end_ms"});
  for (const Json& item : *aggregates) {
    auto one = AggregateFromJson(item).Context("aggregate {}", out->aggregates.size() + 1);
    FERRY_ASSIGN_OR_RETURN(AggregateSpec aggregate, std::move(one));
    if (!names.insert(aggregate.as).second)
      return Status::Of(Code::kMalformed, "the field {} is there twice", aggregate.as);
    out->aggregates.push_back(std::move(aggregate));
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<Operator>> MakeWindow(const Json& spec) {
  FERRY_TRY(
      CheckMembers(spec, {"op", "kind", "size_ms", "key", "aggregates", "allowed_lateness_ms"}));
  Spec out;
  FERRY_ASSIGN_OR_RETURN(std::string kind, GetStringOr(spec, "kind", "tumbling"));
  if (kind != "tumbling") return Status::Of(Code::kUnsupported, "there is no kind \"{}\"", kind);
  FERRY_ASSIGN_OR_RETURN(out.size_ms, GetInt(spec, "size_ms"));
  if (out.size_ms <= 0 || out.size_ms > kMaxWindowMs)
    return Status::Of(Code::kMalformed, "size_ms {} is not from 1 to {}", out.size_ms,
                      kMaxWindowMs);
  FERRY_ASSIGN_OR_RETURN(out.allowed_lateness_ms, GetIntOr(spec, "allowed_lateness_ms", 0));
  if (out.allowed_lateness_ms < 0 || out.allowed_lateness_ms > kMaxWindowMs)
    return Status::Of(Code::kMalformed, "allowed_lateness_ms {} is not from 0 to {}",
                      out.allowed_lateness_ms, kMaxWindowMs);
  FERRY_ASSIGN_OR_RETURN(out.key, GetStringsOr(spec, "key"));
  if (std::set<std::string>(out.key.begin(), out.key.end()).size() != out.key.size())
    return Status(Code::kMalformed, "key names a field twice");
  FERRY_TRY(ReadAggregates(spec, &out));
  return std::unique_ptr<Operator>(std::make_unique<Window>(std::move(out)));
}

}  // namespace ferry::operators
