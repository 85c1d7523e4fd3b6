#include "pipeline/operator/window/window.h"

#include <algorithm>
#include <set>

namespace ferry::operators {
namespace {

Status CheckWindowMembers(const Json& spec, std::initializer_list<std::string_view> own) {
  std::vector<std::string_view> known = {
      "op", "kind", "key", "aggregates", "emit", "min_rows", "allowed_lateness_ms"};
  known.insert(known.end(), own.begin(), own.end());
  for (const auto& [key, value] : spec.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view near = NearestName(key, known);
    if (near.empty()) return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
    return Status::Of(Code::kMalformed, "there is no member \"{}\"; \"{}\" is near", key, near);
  }
  return OkStatus();
}

Status ReadAggregates(const Json& spec, std::initializer_list<std::string_view> fields,
                      WindowSpec* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* aggregates, GetArray(spec, "aggregates"));
  if (aggregates->empty()) return Status(Code::kMalformed, "aggregates is empty");
  if (aggregates->size() > kMaxFields)
    return Status::Of(Code::kLimitExceeded, "{} aggregates, the limit is {}", aggregates->size(),
                      kMaxFields);
  std::set<std::string> names(out->key.begin(), out->key.end());
  names.insert({"window_start_ms", "window_end_ms"});
  if (out->updates) names.insert(kUpdateField);
  for (const std::string_view field : fields) names.emplace(field);
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

Result<WindowSpec> ReadWindow(const Json& spec, std::initializer_list<std::string_view> own,
                              std::initializer_list<std::string_view> fields) {
  FERRY_TRY(CheckWindowMembers(spec, own));
  WindowSpec out;
  FERRY_ASSIGN_OR_RETURN(out.allowed_lateness_ms, GetIntOr(spec, "allowed_lateness_ms", 0));
  if (out.allowed_lateness_ms < 0 || out.allowed_lateness_ms > kMaxWindowMs)
    return Status::Of(Code::kMalformed, "allowed_lateness_ms {} is not from 0 to {}",
                      out.allowed_lateness_ms, kMaxWindowMs);
  FERRY_ASSIGN_OR_RETURN(const std::string emit, GetStringOr(spec, "emit", "final"));
  if (emit != "final" && emit != "updates")
    return Status::Of(Code::kMalformed, "emit is \"{}\", not final or updates", emit);
  out.updates = emit == "updates";
  FERRY_ASSIGN_OR_RETURN(out.min_rows, GetIntOr(spec, "min_rows", 0));
  if (out.min_rows < 0 || out.min_rows > kMaxMinRows)
    return Status::Of(Code::kMalformed, "min_rows {} is not from 0 to {}", out.min_rows,
                      kMaxMinRows);
  if (out.updates && out.min_rows > 1)
    return Status(Code::kMalformed, "min_rows is for \"emit\": \"final\": updates tell each row");
  FERRY_ASSIGN_OR_RETURN(out.key, ReadKeyNames(spec));
  FERRY_TRY(ReadAggregates(spec, fields, &out));
  return out;
}

Result<int64_t> ReadDuration(const Json& spec, std::string_view name, int64_t least) {
  FERRY_ASSIGN_OR_RETURN(const int64_t value, GetInt(spec, name));
  if (value < least || value > kMaxWindowMs)
    return Status::Of(Code::kMalformed, "{} {} is not from {} to {}", name, value, least,
                      kMaxWindowMs);
  return value;
}

WindowOperator::WindowOperator(WindowSpec spec)
    : spec_(std::move(spec)),
      key_(spec_.key),
      inputs_(spec_.aggregates),
      panes_(&spec_.aggregates) {
  columns_ = {{"window_start_ms", Column::kStart, 0}, {"window_end_ms", Column::kEnd, 0}};
  for (size_t k = 0; k < spec_.key.size(); ++k) columns_.push_back({spec_.key[k], Column::kKey, k});
  for (size_t k = 0; k < spec_.aggregates.size(); ++k)
    columns_.push_back({spec_.aggregates[k].as, Column::kAggregate, k});
  std::sort(columns_.begin(), columns_.end(),
            [](const Column& a, const Column& b) { return a.name < b.name; });
}

Status WindowOperator::Advance(int64_t watermark_ms, std::vector<Row>* out) {
  if (watermark_ms <= watermark_ms_) return OkStatus();
  watermark_ms = std::min(watermark_ms, -kLongAgo);
  const Status status = Close(watermark_ms, out);
  watermark_ms_ = std::max(watermark_ms_, watermark_ms);
  return status;
}

Result<Pane*> WindowOperator::NewPane(const Json* more) {
  if (panes_.open() >= kMaxOpenPanes) {
    ++losses_.refused;
    return Status::Of(Code::kLimitExceeded, "{} windows and keys are open, the limit",
                      kMaxOpenPanes);
  }
  Pane* pane = panes_.New();
  key_.ToCanonical(&pane->key);  // into the memory of the key before
  if (more != nullptr) pane->key.push_back(*more);
  pane->text = WriteKey(pane->key);
  if (const size_t bytes = pane->text.size(); bytes > kMaxKeyBytes) {
    panes_.Free(pane);
    ++losses_.refused;
    return Status::Of(Code::kLimitExceeded, "a key of {} bytes, the limit is {}", bytes,
                      kMaxKeyBytes);
  }
  pane->code = code_;
  pane->hash = hash_;
  if (more != nullptr) {
    AppendCode(*more, &pane->code);
    pane->hash = HashCode(pane->code);
  }
  return pane;
}

// The names come in their order, so that each is put behind the one before.
Row WindowOperator::MakeRow(const Json& key, const Pane* pane, int64_t start_ms, int64_t end_ms,
                            int64_t time_ms) const {
  Row row;
  row.time_ms = time_ms;
  auto& fields = *row.fields.get_ptr<Json::object_t*>();
  for (const Column& column : columns_) {
    const auto at = fields.emplace_hint(fields.end(), column.name, nullptr);
    switch (column.kind) {
      case Column::kKey:
        at->second = key[column.place];
        break;
      case Column::kStart:
        at->second = start_ms;
        break;
      case Column::kEnd:
        at->second = end_ms;
        break;
      case Column::kAggregate:
        at->second = panes_.Value(pane, column.place);
        break;
    }
  }
  panes_.FillErrors(pane, &row.fields);
  return row;
}

void WindowOperator::EmitFinal(int64_t rows, Row row, std::vector<Row>* out) {
  if (rows >= spec_.min_rows)
    out->push_back(std::move(row));
  else
    ++losses_.small;
}

void WindowOperator::EmitUpdate(const char* sign, Row row, std::vector<Row>* out) {
  row.fields[kUpdateField] = sign;
  out->push_back(std::move(row));
}

void WindowOperator::SaveChanges(event::StateWriter& out) {
  std::string bytes;
  ByteWriter writer(&bytes);
  writer.I64(watermark_ms_);
  for (const int64_t n :
       {losses_.late, losses_.refused, losses_.missing_exits, losses_.missing_enters})
    writer.I64(n);
  if (spec_.min_rows > 0) writer.I64(losses_.small);
  if (bytes != saved_) out.Put("w", bytes);
  saved_ = std::move(bytes);
  panes_.SaveChanges(out);
  SaveMore(out);
}

Status WindowOperator::Load(std::string_view key, std::string_view value) {
  if (key == "w") {
    ByteReader in(value);
    watermark_ms_ = in.I64();
    for (int64_t* n :
         {&losses_.late, &losses_.refused, &losses_.missing_exits, &losses_.missing_enters})
      *n = in.I64();
    if (spec_.min_rows > 0) losses_.small = in.I64();
    if (!in.Done()) return Status(Code::kMalformed, "a watermark's state is damaged");
    saved_ = value;
    return OkStatus();
  }
  if (!key.starts_with("p")) return LoadMore(key, value);
  Pane* pane = panes_.Load(key, value);
  if (pane == nullptr || pane->key.size() < key_.size() || !Adopt(pane))
    return Status(Code::kMalformed, "a pane's state is damaged");
  return OkStatus();
}

}  // namespace ferry::operators
